//! Fourier transforms of any length, complex and real, along axes of arrays of up to three dimensions, on any device.
//!
//! [`fft`], [`ifft`], [`transform`], [`transform_real`] and [`restore_real`] serve the common case on the CPU, [`Builder`]
//! chooses the device. [`error_limit`] is the contract.
//!
//! | engine | idea | where |
//! |---|---|---|
//! | `two_pass` | short lines by `rustfft`, blocks of columns in the cache; long lines as matrices in two passes over memory | CPU |
//! | `stockham` | passes in workgroup memory; Bluestein for lengths with large primes; `f32` | GPU |

use thalweg_core::{Answer, Chosen, Error, Result};
pub use thalweg_fourier::transform::{
    Direction, Norm, Options, error_limit, fft, ifft, restore_real, transform, transform_real,
};
use thalweg_fourier::{Axes, Complex, Float, Shape};

use crate::Device;
use crate::costs::Costs;
use crate::device::{Question, on_device, threads};
use crate::setters::setters;

/// The engine of the CPU. There is no choice: each device has one.
pub const ENGINE: &str = "two_pass";
/// The engine of GPUs.
pub const GPU_ENGINE: &str = "stockham";

/// What the transform of an array costs, whose lines along all axes together have `len` elements, with parts of `width` bytes: on
/// the CPU 0.04 ns a byte and doubling, over the threads. All of it goes over the bus and back.
pub fn costs(elements: usize, len: usize, width: usize, threads: usize) -> Costs {
    let bytes = elements as f64 * (2 * width) as f64;
    let doublings = (len.max(2) as f64).log2();
    Costs { cpu: 0.04e-9 * bytes * doublings / threads as f64, bytes_up: bytes, bytes_down: bytes, device: 0.0 }
}

/// Transforms with a choice of direction, factor, axes and device.
///
/// ```
/// use thalweg::fourier::transform::{Builder, Direction, Norm};
/// use thalweg::fourier::{Complex, Shape};
/// let shape = Shape::new(&[2, 2])?;
/// let mut values = [1.0, 2.0, 3.0, 4.0].map(|x| Complex::new(x, 0.0));
/// let chosen = Builder::new().norm(Norm::Ortho).transform(&mut values, &shape)?;
/// assert_eq!(values.map(|x| x.re), [5.0, -1.0, -2.0, 0.0]);
/// assert!(chosen.is_cpu());
/// Builder::new().direction(Direction::Inverse).norm(Norm::Ortho).transform(&mut values, &shape)?;
/// assert_eq!(values.map(|x| x.re), [1.0, 2.0, 3.0, 4.0]);
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Builder {
    options: Options,
    device: Device,
}

impl Builder {
    /// Forward along all axes, unscaled, [`Device::Auto`].
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Chooses the direction.
        direction in options: Direction,
        /// Chooses where the factor 1/n goes.
        norm in options: Norm,
        /// Chooses the axes; `None` for all.
        axes in options: Option<Axes>,
        /// Chooses direction, factor and axes at once.
        options: Options,
        /// Chooses the device.
        device: Device,
    }

    fn question<T: Float>(&self, shape: &Shape, on_gpu: bool) -> Question {
        let len = self.options.axes_of(shape).as_slice().iter().map(|&axis| shape.sizes()[axis]).product();
        Question {
            engine: ENGINE,
            gpu_engine: GPU_ENGINE,
            asked: false,
            on_cpu: true,
            on_gpu,
            costs: costs(shape.len(), len, size_of::<T>(), threads()),
        }
    }

    /// Transforms an array of this shape in place; which device did, and why. A GPU transforms `f32` only.
    ///
    /// # Errors
    /// As for [`transform`], and what the device says. After an error the values are unspecified.
    pub fn transform<T: Float>(&self, values: &mut [Complex<T>], shape: &Shape) -> Result<Chosen> {
        let question = self.question::<T>(shape, T::NAME == f32::NAME);
        // One of the two has the values; the other may come after it.
        let values = std::cell::RefCell::new(values);
        let spoiled = std::cell::Cell::new(None::<Error>);
        let answer = on_device!(
            self.device,
            question,
            |gpu| {
                let mut values = values.borrow_mut();
                if T::NAME != f32::NAME {
                    return Err(not_on_device(WIDE));
                }
                thalweg_core::error::expect_len("values", values.len(), shape.len())?;
                let plan = thalweg_gpu::fourier::transform::Plan::new(gpu, shape, &self.options)?;
                let parts: &mut [f32] = bytemuck::cast_slice_mut::<Complex<T>, _>(&mut values);
                let mut array = gpu.upload(parts)?;
                plan.run(&mut array)?;
                // What failed so far left the values as they were.
                array.download(parts).inspect_err(|error| spoiled.set(Some(error.clone())))
            },
            || match spoiled.take() {
                Some(error) => Err(error),
                None => transform(&mut values.borrow_mut(), shape, &self.options),
            }
        );
        Ok(answer?.chosen().clone())
    }

    /// The first half of the frequencies of real values: [`transform_real`]. A GPU transforms `f32` only.
    ///
    /// # Errors
    /// As for [`transform_real`], and what the device says.
    pub fn transform_real<T: Float>(&self, values: &[T], shape: &Shape) -> Result<Answer<Vec<Complex<T>>>> {
        on_device!(
            self.device,
            self.question::<T>(shape, T::NAME == f32::NAME),
            |gpu| {
                let values = as_f32(values)?;
                let half = thalweg_gpu::fourier::transform::transform_real(gpu, values, shape, &self.options)?;
                of_f32(half)
            },
            || transform_real(values, shape, &self.options)
        )
    }

    /// Real values of this shape from the first half of their frequencies: [`restore_real`]. A GPU transforms `f32` only.
    ///
    /// # Errors
    /// As for [`restore_real`], and what the device says.
    pub fn restore_real<T: Float>(&self, frequencies: &[Complex<T>], shape: &Shape) -> Result<Answer<Vec<T>>> {
        on_device!(
            self.device,
            self.question::<T>(shape, T::NAME == f32::NAME),
            |gpu| {
                let half = bytemuck::cast_slice(as_f32(bytemuck::cast_slice::<Complex<T>, T>(frequencies))?);
                of_f32(thalweg_gpu::fourier::transform::restore_real(gpu, half, shape, &self.options)?)
            },
            || restore_real(frequencies, shape, &self.options)
        )
    }
}

/// The same numbers, if they are `f32`.
#[cfg(feature = "gpu")]
fn as_f32<T: Float>(values: &[T]) -> Result<&[f32]> {
    bytemuck::try_cast_slice(values).ok().filter(|_| T::NAME == f32::NAME).ok_or_else(|| not_on_device(WIDE))
}

/// A result for `f32` as that for the same type.
#[cfg(feature = "gpu")]
fn of_f32<A: 'static, B: 'static>(values: A) -> Result<B> {
    let same: Box<dyn std::any::Any> = Box::new(values);
    same.downcast().map(|values| *values).map_err(|_| not_on_device(WIDE))
}

#[cfg(feature = "gpu")]
const WIDE: &str = "f64 is transformed on the CPU; GPUs have f32";

#[cfg(feature = "gpu")]
fn not_on_device(reason: &str) -> Error {
    Error::NotOnDevice { problem: "transform", engine: GPU_ENGINE, reason: reason.into() }
}
