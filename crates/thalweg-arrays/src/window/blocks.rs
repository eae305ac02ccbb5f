//! The default engine on the CPU: windows along a line ([`super::line`]), pictures by rows and columns ([`super::grid`]).
//!
//! Work O(n), and n log min(w, 64) of the cheapest kind, whatever the data; span O(w) for narrow windows. Extra memory: a few
//! hundred KiB a thread, 1.2 MiB at most where windows go by leaps; minima of chunks (a thousandth of the array) for wide windows.

use super::line::{Scratches, one_by_one, regular};
use super::shape::{Shape, bound};
use super::task::{Places, Width};
use super::{Outputs, WindowEngine, far, grid, leaps, near};
use crate::width::expect_width;
use thalweg_core::bits::Bits;
use thalweg_core::coding::Ranking;
use thalweg_core::disjoint::Disjoint;
use thalweg_core::{Coding, Result, by_width};

/// See the module's text.
#[derive(Debug)]
pub(super) struct Blocks;

impl WindowEngine for Blocks {
    fn name(&self) -> &'static str {
        "blocks"
    }

    fn extra_bytes(&self, len: usize, width: usize, shape: &Shape<'_>) -> usize {
        let threads = rayon::current_num_threads();
        match shape {
            Shape::Regular(windows) => {
                let lanes_or_chunks = match windows.plan(len).width {
                    wide if wide >= far::WIDE => far::extra_bytes::<u64>(len, threads),
                    narrow => threads * near::scratch_bytes::<u64>(narrow, true) / (8 / width.max(4)),
                };
                lanes_or_chunks + threads * leaps::scratch_bytes(windows.plan(len).width, width)
            }
            Shape::Ragged { starts, ends } => {
                let widest = (0..starts.len()).map(|j| (bound(*ends, j) - bound(*starts, j)) as usize).max();
                threads * widest.unwrap_or(0) * size_of::<usize>()
            }
            Shape::Grid { columns, windows } => grid::extra_bytes(len, width, *columns, windows),
        }
    }

    fn solve(&self, bits: Bits<'_>, coding: Coding, shape: Shape<'_>, fill: u64, outputs: Outputs<'_>) -> Result<()> {
        expect_width(bits, coding)?;
        by_width!(Bits, bits, array => solve(array, coding.ranking(), shape, fill, outputs))
    }
}

fn solve<R: Width>(array: &[R], order: Ranking<R>, shape: Shape<'_>, fill: u64, outputs: Outputs<'_>) -> Result<()> {
    let values = outputs.values.map(|values| R::of_bits_mut(values).expect("the keys' width"));
    let values = values.map(Disjoint::new);
    let positions = outputs.positions.map(Places::of);
    let fill = R::from_u64(fill);
    match shape {
        Shape::Regular(windows) => regular(array, order, &windows, fill, values, positions, 0, &Scratches::default()),
        Shape::Ragged { starts, ends } => {
            let window = |j: usize| bound(starts, j) as usize..bound(ends, j) as usize;
            one_by_one(array, order, starts.len(), &window, fill, values, positions, 0)
        }
        Shape::Grid { columns, windows } => grid::solve(array, order, columns, &windows, fill, values, positions),
    }
}
