//! Fourier transforms on the device: complex ones of any length, along axes of arrays of up to three dimensions.
//!
//! The [contract](thalweg_fourier::transform) is that of the CPU for `f32`. [`transform()`] works on values of the host, a
//! [`Plan`] on those of the device. Lines whose length has no prime factor above 13 take one pass over the array for every
//! factor of up to 1024 (one pass up to 4096 where the values of a line are neighbours); other lengths are convolutions
//! (`bluestein`). A pass is generated for its length (`pass`, `text`): butterflies of up to 16 values in the registers of
//! a thread (`butterfly`), exchanged through the workgroup's memory, with roots of unity from tables (`tables`).

mod bluestein;
mod butterfly;
mod lengths;
mod pass;
mod plan;
mod tables;
mod text;
mod tuning;

use thalweg_core::Result;
use thalweg_core::error::expect_len;
use thalweg_fourier::transform::Options;
use thalweg_fourier::{Complex, Shape};

pub use self::plan::Plan;
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
