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
use super::long_real::{LongReal, Strided};
use super::options::{Direction, Options};
use super::plan::{RealPlan, RealScratch};
use super::scratch::{Buffer, Reals, Spares};
use super::split::width;
use super::tiles::{Block, pitch};
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
    let mut out = filled(halved_shape(shape, options)?.len(), Complex::default(), "frequencies")?;
    halve_into(values, shape, options, &mut out)?;
    Ok(out)
}

/// The shape of half of the frequencies.
pub(crate) fn halved_shape(shape: &Shape, options: &Options) -> Result<Shape> {
    let last = *options.axes_of(shape).as_slice().last().expect("axes are never none");
    shape.with_size(last, shape.sizes()[last] / 2 + 1)
}

/// [`transform_real`] to where the caller wants it.
pub(crate) fn halve_into<T: Float>(
    values: &[T],
    shape: &Shape,
    options: &Options,
    out: &mut [Complex<T>],
) -> Result<()> {
    // As the complex ones: compiled here.
    if T::NAME == f32::NAME {
        halve_singles(bytemuck::cast_slice(values), shape, options, bytemuck::cast_slice_mut(out))
    } else {
        halve_doubles(bytemuck::cast_slice(values), shape, options, bytemuck::cast_slice_mut(out))
    }
}

fn halve_singles(values: &[f32], shape: &Shape, options: &Options, out: &mut [Complex<f32>]) -> Result<()> {
    halve_here(values, shape, options, out)
}

fn halve_doubles(values: &[f64], shape: &Shape, options: &Options, out: &mut [Complex<f64>]) -> Result<()> {
    halve_here(values, shape, options, out)
}

fn halve_here<T: Float>(values: &[T], shape: &Shape, options: &Options, out: &mut [Complex<T>]) -> Result<()> {
    expect_len("values", values.len(), shape.len())?;
    let halved = halved_shape(shape, options)?;
    expect_len("frequencies", out.len(), halved.len())?;
    let axes = options.axes_of(shape);
    let (&last, others) = axes.as_slice().split_last().expect("axes are never none");
    let factor = options.factor(shape);
    let first_factor = if others.is_empty() { factor } else { 1.0 };
    RealLines { lines: shape.lines(last), direction: options.direction, factor: first_factor }.halve(values, out)?;
    transform_axes(out, &halved, others, options, factor)
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
    expect_len("frequencies", frequencies.len(), halved_shape(shape, options)?.len())?;
    let mut copy = computed(frequencies.len(), TASK, "frequencies", |i| frequencies[i])?;
    let mut out = large_zeroed(shape.len(), "real values")?;
    restore_into(&mut copy, shape, options, &mut out)?;
    Ok(out)
}

/// [`restore_real`] to where the caller wants it. The frequencies are destroyed.
pub(crate) fn restore_into<T: Float>(
    frequencies: &mut [Complex<T>],
    shape: &Shape,
    options: &Options,
    out: &mut [T],
) -> Result<()> {
    if T::NAME == f32::NAME {
        restore_singles(bytemuck::cast_slice_mut(frequencies), shape, options, bytemuck::cast_slice_mut(out))
    } else {
        restore_doubles(bytemuck::cast_slice_mut(frequencies), shape, options, bytemuck::cast_slice_mut(out))
    }
}

fn restore_singles(frequencies: &mut [Complex<f32>], shape: &Shape, options: &Options, out: &mut [f32]) -> Result<()> {
    restore_here(frequencies, shape, options, out)
}

fn restore_doubles(frequencies: &mut [Complex<f64>], shape: &Shape, options: &Options, out: &mut [f64]) -> Result<()> {
    restore_here(frequencies, shape, options, out)
}

fn restore_here<T: Float>(
    frequencies: &mut [Complex<T>],
    shape: &Shape,
    options: &Options,
    out: &mut [T],
) -> Result<()> {
    let halved = halved_shape(shape, options)?;
    expect_len("frequencies", frequencies.len(), halved.len())?;
    expect_len("values", out.len(), shape.len())?;
    let axes = options.axes_of(shape);
    let (&last, others) = axes.as_slice().split_last().expect("axes are never none");
    // The first axes first, so that the last one is what `transform_real` began with.
    transform_axes(frequencies, &halved, others, options, 1.0)?;
    RealLines { lines: shape.lines(last), direction: options.direction, factor: options.factor(shape) }
        .restore(frequencies, out)
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
        if stride == 1 {
            return self.halve_rows(values, out);
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
        if stride == 1 {
            return self.restore_rows(halves, out);
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

    /// Lines that lie one after another need not be turned.
    fn halve_rows<T: Float>(&self, values: &[T], out: &mut [Complex<T>]) -> Result<()> {
        let Lines { outer, len, .. } = self.lines;
        let (half, rows) = (len / 2 + 1, (TASK / len).max(1));
        let plan = RealPlan::new(len);
        let spares = Spares::new(outer.div_ceil(rows), || Ok((Reals::new(len)?, plan.scratch()?)))?;
        for_each_chunk_mut(out, rows * half, &|start, out| {
            spares.with(|(reals, scratch)| {
                let lines = values[start / half * len..].chunks_exact(len);
                for (line, frequencies) in lines.zip(out.chunks_exact_mut(half)) {
                    // The plan destroys what it is given.
                    reals[..len].copy_from_slice(line);
                    plan.forward(&mut reals[..len], frequencies, scratch);
                    finish(frequencies, self.direction == Direction::Inverse, self.factor);
                }
            });
        });
        Ok(())
    }

    /// The same, back.
    fn restore_rows<T: Float>(&self, halves: &mut [Complex<T>], out: &mut [T]) -> Result<()> {
        let Lines { outer, len, .. } = self.lines;
        let (half, rows) = (len / 2 + 1, (TASK / len).max(1));
        let plan = RealPlan::new(len);
        let spares = Spares::new(outer.div_ceil(rows), || plan.scratch())?;
        let halves = Disjoint::new(halves);
        for_each_chunk_mut(out, rows * len, &|start, out| {
            let first = start / len * half;
            // SAFETY: these rows are this task's.
            let halves = unsafe { halves.slice_mut(first..first + out.len() / len * half) };
            spares.with(|scratch| {
                for (line, frequencies) in out.chunks_exact_mut(len).zip(halves.chunks_exact_mut(half)) {
                    finish(frequencies, self.direction == Direction::Forward, self.factor);
                    plan.back(frequencies, line, scratch);
                }
            });
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
    reals: Reals<T>,
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
                reals: Reals::new(width * pitch::<T>(len))?,
                frequencies: Buffer::new(width * pitch::<Complex<T>>(len / 2 + 1))?,
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
