//! Rows, then columns, by sums of products in single precision.
//!
//! Between the two the picture lies in panels, strips of some columns with their rows one after another: the pass over columns
//! reads them from end to end, and what it reads again and again fits the first-level cache.
#![allow(unsafe_code)]

use thalweg_core::disjoint::Disjoint;
use thalweg_core::dispatch;
use thalweg_core::memory::{large_zeroed, try_with_large_capacity};
use thalweg_core::parallel::{chunk_range, for_each_chunk};

use super::alpha::divide;
use super::line::Line;
use super::{Options, Picture, Sample, kernel};
use crate::Result;
use crate::filter::{PADDING, Window};

/// Samples of a panel's row: a block of the kernel with AVX-512.
const PANEL: usize = 64;
/// The same where pixels have three samples and must not be cut.
const PANEL_OF_THREES: usize = 192;
/// Rows of a task, in either pass.
const ROWS: usize = 16;
const STRIP: usize = 64;

pub(super) fn gaussian<S: Sample>(pixels: &[S], picture: Picture, options: &Options) -> Result<Vec<S>> {
    let Picture { height, width, channels, alpha } = picture;
    let row = width * channels;
    let panel = if alpha && channels == 3 { PANEL_OF_THREES } else { PANEL };
    // A row more, of zeros.
    let panel_len = (height + 1) * panel;
    let mut panels = large_zeroed::<f32>(row.div_ceil(panel) * panel_len, "the blurred rows")?;
    across(pixels, picture, options, panel, &mut panels)?;

    let down = kernel::half(options.sigma[0], height, options.boundary)?;
    let reach = down.len() - 1;
    let down = kernel::whole(&down);
    let rows: Vec<usize> = (-(reach as isize)..(height + reach) as isize)
        .map(|position| options.boundary.locate(position, height).unwrap_or(height) * panel)
        .collect();
    let mut blurred = try_with_large_capacity(pixels.len(), "the blurred picture")?;
    let place = Disjoint::uninit(&mut blurred.spare_capacity_mut()[..pixels.len()]);
    let strips = height.div_ceil(STRIP);
    for_each_chunk(row.div_ceil(panel) * strips, 1, &|task| {
        let (number, strip) = (task.start / strips, chunk_range(task.start % strips, STRIP, height));
        let columns = chunk_range(number, panel, row);
        let window = Window {
            input: &panels[number * panel_len..][..panel_len],
            rows: &rows[strip.start..strip.end + 2 * reach],
            weights: &down,
            height: down.len(),
            width: 1,
            step: 1,
            columns: columns.len(),
        };
        let mut sums = [0.0; STRIP * PANEL_OF_THREES];
        window.slide(&mut sums[..strip.len() * panel], panel);
        for (y, sums) in strip.zip(sums.chunks_exact_mut(panel)) {
            let sums = &mut sums[..columns.len()];
            let here = y * row + columns.start..y * row + columns.end;
            if alpha {
                divide(sums, &pixels[here.clone()], channels);
            }
            // SAFETY: inside, and every task has columns and rows of its own.
            let out = unsafe { place.slice(here) };
            narrow(sums, out);
        }
    });
    // SAFETY: the tasks cover all of it.
    unsafe { blurred.set_len(pixels.len()) };
    Ok(blurred)
}

/// Blurs all rows, into the panels.
fn across<S: Sample>(
    pixels: &[S],
    picture: Picture,
    options: &Options,
    panel: usize,
    panels: &mut [f32],
) -> Result<()> {
    let Picture { height, width, channels, .. } = picture;
    let row = width * channels;
    let half = kernel::half(options.sigma[1], width, options.boundary)?;
    let line = Line::new(picture, half.len() - 1, options.boundary)?;
    let weights = kernel::whole(&half);
    let panel_len = (height + 1) * panel;
    let place = Disjoint::new(panels);
    for_each_chunk(height, ROWS, &|rows| {
        let mut extended = vec![0.0; line.len() + PADDING];
        let mut sums = vec![0.0; row.next_multiple_of(PADDING)];
        for y in rows {
            line.load(&pixels[y * row..][..row], &mut extended);
            let window = Window {
                input: &extended,
                rows: &[0],
                weights: &weights,
                height: 1,
                width: weights.len(),
                step: channels,
                columns: row,
            };
            window.slide(&mut sums, row.next_multiple_of(PADDING));
            for (number, piece) in sums[..row].chunks(panel).enumerate() {
                // SAFETY: inside, and the row is this task's.
                unsafe { place.copy_from(number * panel_len + y * panel, piece) };
            }
        }
    });
    Ok(())
}

dispatch! {
    fn narrow<S: Sample>(values: &[f32], out: &mut [std::mem::MaybeUninit<S>]) = narrow_all;
}

#[inline(always)]
fn narrow_all<S: Sample>(values: &[f32], out: &mut [std::mem::MaybeUninit<S>]) {
    for (out, &value) in out.iter_mut().zip(values) {
        out.write(S::of_single(value));
    }
}
