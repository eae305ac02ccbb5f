//! Rows, then columns, by Fourier transforms.
//!
//! Two lines are transformed at a time, as the real and the imaginary parts of one: the kernel is real, so they stay apart. It is
//! symmetric, too, so its spectrum is real, and a product is one factor. Lines are extended as far as the kernel reaches and
//! no further. Every pass writes columns for the next one to read as rows, some lines at a time.
//!
//! Single precision is enough for samples, and an error of 2^-22 of the largest. With alpha it is not: colours are divided by an
//! alpha that may be 10^-4 of it, and are computed in double precision.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::sync::Arc;

use rustfft::{Fft, FftPlanner};
use thalweg_core::disjoint::Disjoint;
use thalweg_core::error::try_filled;
use thalweg_core::memory::{large_zeroed, try_with_large_capacity};
use thalweg_core::parallel::for_each_chunk;

use super::alpha::{divide, multiply};
use super::{Options, Picture, Sample, kernel};
use crate::convolution::Boundary;
use crate::good_length::good_length;
use crate::{Complex, Float, Result};

/// Rows that a task of the first pass transforms: a cache line of a column in single precision.
const ROWS: usize = 16;
/// Columns that a task of the second pass transforms, a multiple of every number of channels.
const COLUMNS: usize = 48;

pub(super) fn gaussian<S: Sample>(pixels: &[S], picture: Picture, options: &Options) -> Result<Vec<S>> {
    if picture.alpha { blur::<S, f64>(pixels, picture, options) } else { blur::<S, f32>(pixels, picture, options) }
}

fn blur<S: Sample, T: Float>(pixels: &[S], picture: Picture, options: &Options) -> Result<Vec<S>> {
    let Picture { height, width, channels, alpha } = picture;
    let row = width * channels;
    let across = Filter::<T>::new(options.sigma[1], width, options.boundary)?;
    let mut columns = large_zeroed::<T>(pixels.len(), "the blurred rows")?;
    let place = Disjoint::new(&mut columns);
    for_each_chunk(height, ROWS, &|rows| {
        let (mut samples, mut lines) = (vec![T::default(); row * rows.len()], across.lines(rows.len()));
        for (out, sample) in samples.iter_mut().zip(&pixels[rows.start * row..rows.end * row]) {
            *out = sample.real();
        }
        if alpha {
            multiply(&mut samples, channels);
        }
        for channel in 0..channels {
            lines.fill(|line, x| samples[line * row + x * channels + channel]);
            across.apply(&mut lines);
            for x in 0..width {
                let start = (x * channels + channel) * height;
                // SAFETY: inside, and every task has rows of its own.
                let out = unsafe { place.slice(start + rows.start..start + rows.end) };
                lines.read(x, out);
            }
        }
    });

    let down = Filter::<T>::new(options.sigma[0], height, options.boundary)?;
    let mut blurred = try_with_large_capacity(pixels.len(), "the blurred picture")?;
    let place = Disjoint::uninit(&mut blurred.spare_capacity_mut()[..pixels.len()]);
    for_each_chunk(row, COLUMNS, &|task| {
        let mut lines = down.lines(task.len());
        lines.fill(|line, y| columns[(task.start + line) * height + y]);
        down.apply(&mut lines);
        let mut sums = [const { MaybeUninit::uninit() }; COLUMNS];
        for y in 0..height {
            let sums = &mut sums[..task.len()];
            lines.read(y, sums);
            // SAFETY: all of them have been written.
            let sums = unsafe { thalweg_core::disjoint::filled_mut(sums) };
            let here = y * row + task.start..y * row + task.end;
            if alpha {
                divide(sums, &pixels[here.clone()], channels);
            }
            // SAFETY: inside, and every task has columns of its own.
            let out = unsafe { place.slice(here) };
            for (out, &sum) in out.iter_mut().zip(&*sums) {
                out.write(S::of_real(sum));
            }
        }
    });
    // SAFETY: the tasks cover all of it.
    unsafe { blurred.set_len(pixels.len()) };
    Ok(blurred)
}

/// The filter of lines of one length.
struct Filter<T: Float> {
    len: usize,
    /// The length of transforms.
    size: usize,
    /// Where the elements that lie beyond the ends are found, from the end of the line to the end of the transform, which is the
    /// line's beginning again.
    beyond: Vec<Option<usize>>,
    forward: Arc<dyn Fft<T>>,
    inverse: Arc<dyn Fft<T>>,
    /// The kernel's spectrum, divided by the length.
    spectrum: Vec<T>,
}

/// Lines of a task, two to a transform.
struct Lines<'a, T: Float> {
    filter: &'a Filter<T>,
    count: usize,
    pairs: Vec<Complex<T>>,
    scratch: Vec<Complex<T>>,
}

impl<T: Float> Filter<T> {
    fn new(sigma: f64, len: usize, boundary: Boundary) -> Result<Self> {
        let half = kernel::half(sigma, len, boundary)?;
        let reach = half.len() - 1;
        let size = good_length(len + 2 * reach);
        let mut beyond = try_filled(size - len, None, "the borders")?;
        for i in 0..reach {
            beyond[i] = boundary.locate((len + i) as isize, len);
            beyond[size - len - 1 - i] = boundary.locate(-1 - i as isize, len);
        }
        let mut spectrum = try_filled(size, Complex::new(0.0, 0.0), "the kernel")?;
        for (i, &weight) in half.iter().enumerate() {
            spectrum[i].re = weight;
            spectrum[(size - i) % size].re = weight;
        }
        FftPlanner::new().plan_fft_forward(size).process(&mut spectrum);
        let mut planner = FftPlanner::new();
        Ok(Self {
            len,
            size,
            beyond,
            forward: planner.plan_fft_forward(size),
            inverse: planner.plan_fft_inverse(size),
            spectrum: spectrum.iter().map(|x| T::of(x.re / size as f64)).collect(),
        })
    }

    fn lines(&self, count: usize) -> Lines<'_, T> {
        let scratch = self.forward.get_inplace_scratch_len().max(self.inverse.get_inplace_scratch_len());
        Lines {
            filter: self,
            count,
            pairs: vec![Complex::default(); count.div_ceil(2) * self.size],
            scratch: vec![Complex::default(); scratch],
        }
    }

    fn apply(&self, lines: &mut Lines<'_, T>) {
        for pair in lines.pairs.chunks_exact_mut(self.size) {
            self.forward.process_with_scratch(pair, &mut lines.scratch);
            for (x, &factor) in pair.iter_mut().zip(&self.spectrum) {
                *x = *x * factor;
            }
            self.inverse.process_with_scratch(pair, &mut lines.scratch);
        }
    }
}

impl<T: Float> Lines<'_, T> {
    /// Element `i` of line `line` is what `element` says, for all lines; and what lies beyond the ends.
    fn fill(&mut self, element: impl Fn(usize, usize) -> T) {
        let len = self.filter.len;
        for (number, pair) in self.pairs.chunks_exact_mut(self.filter.size).enumerate() {
            let (first, second) = (2 * number, 2 * number + 1);
            let (inside, outside) = pair.split_at_mut(len);
            if second < self.count {
                for (i, x) in inside.iter_mut().enumerate() {
                    *x = Complex::new(element(first, i), element(second, i));
                }
            } else {
                for (i, x) in inside.iter_mut().enumerate() {
                    *x = Complex::new(element(first, i), T::default());
                }
            }
            for (x, place) in outside.iter_mut().zip(&self.filter.beyond) {
                *x = place.map_or(Complex::default(), |at| inside[at]);
            }
        }
    }

    /// Element `i` of all lines.
    fn read(&self, i: usize, out: &mut [MaybeUninit<T>]) {
        let pairs = self.pairs.chunks_exact(self.filter.size).map(|pair| pair[i]);
        let (whole, half) = out.as_chunks_mut::<2>();
        for (out, x) in whole.iter_mut().zip(pairs) {
            out[0].write(x.re);
            out[1].write(x.im);
        }
        if let [out] = half {
            out.write(self.pairs[self.pairs.len() - self.filter.size + i].re);
        }
    }
}
