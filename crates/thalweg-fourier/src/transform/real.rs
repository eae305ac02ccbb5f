//! Real transforms: half of the frequencies of the last axis tell the rest.
//!
//! Rows by `realfft`, long ones by all threads, then the other axes as complex lines.
#![allow(unsafe_code)]

use thalweg_core::disjoint::Disjoint;
use thalweg_core::error::expect_len;
use thalweg_core::memory::{computed, filled, large_zeroed};
use thalweg_core::parallel::{for_each_chunk, for_each_chunk_mut};

use super::complex::transform_axes;
use super::lines::TASK;
use super::long::width;
use super::long_real::{LongReal, Strided};
use super::options::{Direction, Options};
use super::plan::{RealPlan, RealScratch};
use super::scratch::{Buffer, Spares};
use super::tiles::{Block, pitch};
use crate::float::same;
use crate::{Complex, Float, Lines, Result, Shape};

/// The transform of real values. Along the last of the named axes it holds the frequencies up to the middle, `n / 2 + 1` of
/// n: the others are their conjugates. As `rfftn` of NumPy.
///
/// ```
/// use thalweg_fourier::{Complex, Shape, transform::{Options, transform_real}};
/// let half = transform_real(&[1.0, 2.0, 3.0, 4.0], &Shape::line(4)?, &Options::FORWARD)?;
/// assert_eq!(half, [Complex::new(10.0, 0.0), Complex::new(-2.0, 2.0), Complex::new(-2.0, 0.0)]);
/// # Ok::<(), thalweg_fourier::Error>(())
/// ```
///
/// Work O(n log n).
///
/// # Errors
/// [`Error::Length`](crate::Error::Length) if the shape has another number of elements,
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub fn transform_real<T: Float>(values: &[T], shape: &Shape, options: &Options) -> Result<Vec<Complex<T>>> {
    // As the complex ones: compiled here.
    if T::NAME == f32::NAME {
        halved_singles(bytemuck::cast_slice(values), shape, options).map(same)
    } else {
        halved_doubles(bytemuck::cast_slice(values), shape, options).map(same)
    }
}

fn halved_singles(values: &[f32], shape: &Shape, options: &Options) -> Result<Vec<Complex<f32>>> {
    halved(values, shape, options)
}

fn halved_doubles(values: &[f64], shape: &Shape, options: &Options) -> Result<Vec<Complex<f64>>> {
    halved(values, shape, options)
}

fn halved<T: Float>(values: &[T], shape: &Shape, options: &Options) -> Result<Vec<Complex<T>>> {
    expect_len("values", values.len(), shape.len())?;
    let axes = options.axes_of(shape);
    let (&last, others) = axes.as_slice().split_last().expect("axes are never none");
    let halved = shape.with_size(last, shape.sizes()[last] / 2 + 1)?;
    let mut out = filled(halved.len(), Complex::default(), "frequencies")?;
    let factor = options.factor(shape);
    let first_factor = if others.is_empty() { factor } else { 1.0 };
    RealLines { lines: shape.lines(last), direction: options.direction, factor: first_factor }
        .halve(values, &mut out)?;
    transform_axes(&mut out, &halved, others, options, factor)?;
    Ok(out)
}

/// The inverse of [`transform_real`] if the options say so: real values of this shape from half of their frequencies. As
/// `irfftn` of NumPy. What the missing half would say is taken from the half that is there.
///
/// ```
/// use thalweg_fourier::{Complex, Shape, transform::{Options, restore_real}};
/// let half = [Complex::new(10.0, 0.0), Complex::new(-2.0, 2.0), Complex::new(-2.0, 0.0)];
/// assert_eq!(restore_real(&half, &Shape::line(4)?, &Options::INVERSE)?, [1.0, 2.0, 3.0, 4.0]);
/// # Ok::<(), thalweg_fourier::Error>(())
/// ```
///
/// # Errors
/// As [`transform_real`].
pub fn restore_real<T: Float>(frequencies: &[Complex<T>], shape: &Shape, options: &Options) -> Result<Vec<T>> {
    if T::NAME == f32::NAME {
        restored_singles(bytemuck::cast_slice(frequencies), shape, options).map(same)
    } else {
        restored_doubles(bytemuck::cast_slice(frequencies), shape, options).map(same)
    }
}

fn restored_singles(frequencies: &[Complex<f32>], shape: &Shape, options: &Options) -> Result<Vec<f32>> {
    restored(frequencies, shape, options)
}

fn restored_doubles(frequencies: &[Complex<f64>], shape: &Shape, options: &Options) -> Result<Vec<f64>> {
    restored(frequencies, shape, options)
}

fn restored<T: Float>(frequencies: &[Complex<T>], shape: &Shape, options: &Options) -> Result<Vec<T>> {
    let axes = options.axes_of(shape);
    let (&last, others) = axes.as_slice().split_last().expect("axes are never none");
    let halved = shape.with_size(last, shape.sizes()[last] / 2 + 1)?;
    expect_len("frequencies", frequencies.len(), halved.len())?;
    let mut copy = computed(frequencies.len(), TASK, "frequencies", |i| frequencies[i])?;
    // The first axes first, so that the last one is what `transform_real` began with.
    transform_axes(&mut copy, &halved, others, options, 1.0)?;
    let mut out = large_zeroed(shape.len(), "real values")?;
    RealLines { lines: shape.lines(last), direction: options.direction, factor: options.factor(shape) }
        .restore(&mut copy, &mut out)?;
    Ok(out)
}

/// Real lines along an axis and what is done to them.
struct RealLines {
    lines: Lines,
    direction: Direction,
    factor: f64,
}

impl RealLines {
    /// The halves of the lines' frequencies.
    fn halve<T: Float>(&self, values: &[T], out: &mut [Complex<T>]) -> Result<()> {
        let Lines { outer, len, stride } = self.lines;
        let half = len / 2 + 1;
        if let Some(plan) = LongReal::new(len, self.direction)? {
            let mut column = if stride > 1 { large_zeroed(len, "a real line")? } else { Vec::new() };
            for (o, s) in (0..outer).flat_map(|o| (0..stride).map(move |s| (o, s))) {
                let start = o * len * stride + s;
                let line = if stride == 1 {
                    &values[start..start + len]
                } else {
                    for_each_chunk_mut(&mut column, TASK, &|at, part| {
                        (at..).zip(part).for_each(|(i, x)| *x = values[start + i * stride]);
                    });
                    &column
                };
                plan.halve(line, Strided { start: o * half * stride + s, stride }, out, self.factor)?;
            }
            return Ok(());
        }
        let blocks = RealBlocks::<T>::new(self.lines)?;
        let out = Disjoint::new(out);
        blocks.for_each(&|plan, [real, halved], Spare { reals, frequencies, scratch }| {
            real.gather_from(values, reals);
            for (reals, frequencies) in real_and_half(len, reals, frequencies).take(real.width) {
                plan.forward(reals, frequencies, scratch);
                finish(frequencies, self.direction == Direction::Inverse, self.factor);
            }
            // SAFETY: every block is one task's.
            unsafe { halved.scatter(frequencies, out) };
        });
        Ok(())
    }

    /// The lines of these halves, which are destroyed.
    fn restore<T: Float>(&self, halves: &mut [Complex<T>], out: &mut [T]) -> Result<()> {
        let Lines { outer, len, stride } = self.lines;
        let half = len / 2 + 1;
        if let Some(plan) = LongReal::new(len, self.direction)? {
            for (o, s) in (0..outer).flat_map(|o| (0..stride).map(move |s| (o, s))) {
                let to = Strided { start: o * len * stride + s, stride };
                plan.restore(halves, Strided { start: o * half * stride + s, stride }, to, out, self.factor)?;
            }
            return Ok(());
        }
        let blocks = RealBlocks::<T>::new(self.lines)?;
        let (halves, out) = (&*halves, Disjoint::new(out));
        blocks.for_each(&|plan, [real, halved], Spare { reals, frequencies, scratch }| {
            halved.gather_from(halves, frequencies);
            for (reals, frequencies) in real_and_half(len, reals, frequencies).take(real.width) {
                finish(frequencies, self.direction == Direction::Forward, self.factor);
                plan.back(frequencies, reals, scratch);
            }
            // SAFETY: every block is one task's.
            unsafe { real.scatter(reals, out) };
        });
        Ok(())
    }
}

/// Real lines in blocks of columns, and the blocks of their halves.
struct RealBlocks<T: Float> {
    lines: Lines,
    plan: RealPlan<T>,
    /// Lines of a block.
    width: usize,
    spares: Spares<Spare<T>>,
}

/// The lines of a block, one behind the other, and those of its halves.
struct Spare<T: Float> {
    reals: Vec<T>,
    frequencies: Buffer<T>,
    scratch: RealScratch<T>,
}

/// What is done to a block of real lines, to that of their halves, or from one to the other.
type Work<'a, T> = dyn Fn(&RealPlan<T>, [Block; 2], &mut Spare<T>) + Sync + 'a;

impl<T: Float> RealBlocks<T> {
    fn new(lines: Lines) -> Result<Self> {
        let Lines { outer, len, stride } = lines;
        let plan = RealPlan::new(len);
        let width = width::<T>(len).max((TASK / len).next_power_of_two()).min(stride);
        let spares = Spares::new(outer * stride.div_ceil(width), || {
            Ok(Spare {
                reals: large_zeroed(width * pitch::<T>(len), "real lines")?,
                frequencies: Buffer::zeroed(width * pitch::<Complex<T>>(len / 2 + 1))?,
                scratch: plan.scratch()?,
            })
        })?;
        Ok(Self { lines, plan, width, spares })
    }

    /// Every block and that of its halves, to one task each.
    fn for_each(&self, work: &Work<'_, T>) {
        let Lines { outer, len, stride } = self.lines;
        let blocks = stride.div_ceil(self.width);
        for_each_chunk(outer * blocks, (TASK / (self.width * len)).max(1), &|range| {
            self.spares.with(|spare| {
                for index in range.clone() {
                    let (outer, column) = (index / blocks, index % blocks * self.width);
                    let width = self.width.min(stride - column);
                    let block = |len| Block { start: outer * len * stride + column, stride, len, width };
                    work(&self.plan, [block(len), block(len / 2 + 1)], spare);
                }
            });
        });
    }
}

/// The lines of a block and their halves.
fn real_and_half<'a, T: Float>(
    len: usize,
    reals: &'a mut [T],
    frequencies: &'a mut [Complex<T>],
) -> impl Iterator<Item = (&'a mut [T], &'a mut [Complex<T>])> {
    let half = len / 2 + 1;
    let frequencies = frequencies.chunks_mut(pitch::<Complex<T>>(half)).map(move |line| &mut line[..half]);
    reals.chunks_mut(pitch::<T>(len)).map(move |line| &mut line[..len]).zip(frequencies)
}

/// Multiplies frequencies, and turns their sign of rotation where asked.
fn finish<T: Float>(frequencies: &mut [Complex<T>], conjugate: bool, factor: f64) {
    if conjugate {
        frequencies.iter_mut().for_each(|x| *x = x.conj());
    }
    if factor != 1.0 {
        frequencies.iter_mut().for_each(|x| *x = *x * T::of(factor));
    }
}
