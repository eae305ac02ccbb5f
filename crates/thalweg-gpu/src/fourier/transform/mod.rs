//! Fourier transforms on the device: complex ones of any length, along axes of arrays of up to three dimensions.
//!
//! The [contract](thalweg_fourier::transform) is that of the CPU for `f32`. [`transform()`] works on values of the host, a
//! [`Plan`] on those of the device. Lines whose length has no prime factor above 13 take one pass over the array for every
//! factor of up to 1024 (one pass up to 4096 where the values of a line are neighbours); other lengths are convolutions
//! (`bluestein`). A pass is generated for its length (`pass`, `text`): butterflies of up to 16 values in the registers of
//! a thread (`butterfly`), exchanged through the workgroup's memory, with roots of unity from tables (`tables`).

pub(in crate::fourier) mod bluestein;
pub(in crate::fourier) mod butterfly;
mod lengths;
mod lines;
mod pass;
mod plan;
pub(in crate::fourier) mod program;
mod real;
mod tables;
pub(in crate::fourier) mod text;
mod tuning;

use thalweg_core::Result;
use thalweg_core::error::expect_len;
use thalweg_core::memory::filled;
use thalweg_fourier::transform::Options;
use thalweg_fourier::{Complex, Shape};

pub use self::plan::Plan;
pub use self::real::RealPlan;
pub use self::tuning::Tuning;
use crate::device::Device;

/// Transforms an array of this shape of the host in place.
///
/// ```no_run
/// use thalweg_fourier::{Complex, Shape, transform::Options};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let mut values = [1.0, 2.0, 3.0, 4.0].map(|x| Complex::new(x, 0.0));
/// thalweg_gpu::fourier::transform::transform(&device, &mut values, &Shape::line(4)?, &Options::FORWARD)?;
/// assert_eq!(values[1], Complex::new(-2.0, 2.0));
/// # Ok::<(), thalweg_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Length`](thalweg_core::Error::Length) if there are other than the shape's many values; those of [`Plan::new`].
pub fn transform(device: &Device, values: &mut [Complex<f32>], shape: &Shape, options: &Options) -> Result<()> {
    expect_len("values", values.len(), shape.len())?;
    let plan = Plan::new(device, shape, options)?;
    let parts: &mut [f32] = bytemuck::cast_slice_mut(values);
    let mut array = device.upload(parts)?;
    plan.run(&mut array)?;
    array.download(parts)
}

/// The transform of real values of the host: half of the frequencies of the last named axis, as
/// [on the CPU](thalweg_fourier::transform::transform_real).
///
/// # Errors
/// As [`transform()`].
pub fn transform_real(device: &Device, values: &[f32], shape: &Shape, options: &Options) -> Result<Vec<Complex<f32>>> {
    expect_len("values", values.len(), shape.len())?;
    let plan = RealPlan::halving(device, shape, options)?;
    let axes = options.axes_of(shape);
    let &last = axes.as_slice().last().expect("axes are never none");
    let halved = shape.with_size(last, shape.sizes()[last] / 2 + 1)?;
    let mut out = filled(halved.len(), Complex::default(), "frequencies")?;
    run_real(&plan, values, bytemuck::cast_slice_mut(&mut out))?;
    Ok(out)
}

/// Real values of the host from half of their frequencies, as [on the CPU](thalweg_fourier::transform::restore_real).
///
/// # Errors
/// As [`transform()`].
pub fn restore_real(
    device: &Device,
    frequencies: &[Complex<f32>],
    shape: &Shape,
    options: &Options,
) -> Result<Vec<f32>> {
    let axes = options.axes_of(shape);
    let &last = axes.as_slice().last().expect("axes are never none");
    let halved = shape.with_size(last, shape.sizes()[last] / 2 + 1)?;
    expect_len("frequencies", frequencies.len(), halved.len())?;
    let plan = RealPlan::restoring(device, shape, options)?;
    let mut out = filled(shape.len(), 0.0, "real values")?;
    run_real(&plan, bytemuck::cast_slice(frequencies), &mut out)?;
    Ok(out)
}

fn run_real(plan: &RealPlan, input: &[f32], output: &mut [f32]) -> Result<()> {
    let input = plan.device().upload(input)?;
    let mut results = plan.device().allocate(output.len())?;
    plan.run(&input, &mut results)?;
    results.download(output)
}
