//! The roots of unity that a pass reads, from the CPU's in double precision.
//!
//! For every stage but the first, the turns before its butterflies, one row of them for every value of a butterfly. For the turn
//! between two passes, two tables whose products are the roots: one by a butterfly's number, one by the value's number in it. One
//! table for both would be as large as the array; these two are an eighth of it for the first pass, and hardly anything for others.

use rayon::prelude::*;
use thalweg_core::Result;
use thalweg_core::memory::filled;
use thalweg_fourier::{Complex, root_of_unity};

use super::pass::Pass;
use crate::array::DeviceArray;
use crate::device::Device;

/// Where the tables of a pass begin, in roots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    /// Of every stage; the first one has none.
    pub(super) stages: Vec<u64>,
    /// Of the turns by a butterfly's number.
    pub(super) firsts: u64,
    /// Of the turns by a value's number in its butterfly, from the second value on.
    pub(super) steps: u64,
    pub(super) len: u64,
}

impl Layout {
    pub(super) fn of(pass: &Pass) -> Self {
        let mut layout = Self::default();
        let mut done = 1;
        for &radix in &pass.radices {
            layout.stages.push(layout.len);
            if done > 1 {
                layout.len += u64::from((radix - 1) * done);
            }
            done *= radix;
        }
        if let (Some(turn), Some(&last)) = (pass.turn, pass.radices.last()) {
            layout.firsts = layout.len;
            layout.steps = layout.firsts + u64::from(pass.len / last) * turn.count;
            layout.len = layout.steps + u64::from(last - 1) * turn.count;
        }
        layout
    }
}

/// The tables of a pass, on the device.
pub(super) fn upload(device: &Device, pass: &Pass) -> Result<DeviceArray<f32>> {
    let layout = Layout::of(pass);
    let mut roots: Vec<Complex<f32>> = filled(layout.len.max(1) as usize, Complex::default(), "roots of unity")?;
    let mut done = 1;
    for (&radix, &start) in pass.radices.iter().zip(&layout.stages) {
        if done > 1 {
            let rows = &mut roots[start as usize..][..((radix - 1) * done) as usize];
            fill(rows, done.into(), 1, 1, (done * radix).into());
        }
        done *= radix;
    }
    if let (Some(turn), Some(&last)) = (pass.turn, pass.radices.last()) {
        let whole = u64::from(pass.len) * turn.count;
        let apart = u64::from(pass.len / last);
        fill(&mut roots[layout.firsts as usize..layout.steps as usize], turn.count, 0, 1, whole);
        fill(&mut roots[layout.steps as usize..], turn.count, apart, apart, whole);
    }
    device.upload(bytemuck::cast_slice(&roots))
}

/// Rows of `width` roots: `exp(-2 pi i (first + step * row) column / whole)`.
fn fill(roots: &mut [Complex<f32>], width: u64, first: u64, step: u64, whole: u64) {
    roots.par_iter_mut().with_min_len(1 << 12).enumerate().for_each(|(i, root)| {
        let (row, column) = (i as u64 / width, i as u64 % width);
        let exact = root_of_unity((first + step * row) * column % whole, whole);
        *root = Complex::new(exact.re as f32, -exact.im as f32);
    });
}
