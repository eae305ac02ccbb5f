//! Convolutions and correlations in one and two dimensions, on any device.
//!
//! [`convolve`] serves the common case on the CPU, [`Builder`] chooses engine and device:
//!
//! | engine | idea | work |
//! |---|---|---|
//! | `direct` | slides the kernel over blocks of the result that stay in registers | O(n m) |
//! | `spectral` | products of spectra, in tiles | O(n log m) |
//! | `naive` | every element's sum in twice the precision; sequential | O(n m) |
//!
//! By default the one that takes less time for these sizes, by times that were measured.

use thalweg_core::{Answer, Chosen, Result};
use thalweg_fourier::convolution::Convolved;
pub use thalweg_fourier::convolution::{
    Boundary, Engine, Extent, Options, Place, choose, convolution, convolve, estimate,
};
use thalweg_fourier::{Float, Shape};

use crate::Device;
use crate::costs::Costs;
use crate::device::{Question, on_device, threads};
use crate::setters::setters;

/// What a convolution costs that takes one thread so many seconds, over the threads; `len` and `results` elements of `width` bytes go
/// to a device and come back.
pub fn costs(seconds: f64, len: usize, results: usize, width: usize, threads: usize) -> Costs {
    let bytes = |elements: usize| elements as f64 * width as f64;
    Costs { cpu: seconds / threads as f64, bytes_up: bytes(len), bytes_down: bytes(results), device: 0.0 }
}

/// Convolves with a choice of boundary, extent, engine and device.
///
/// ```
/// use thalweg::fourier::Shape;
/// use thalweg::fourier::convolution::{Boundary, Builder, Engine};
/// let (array, kernel) = ([1.0, 2.0, 4.0, 8.0], [0.5, 0.0, -0.5]);
/// let slopes = Builder::new().boundary(Boundary::Nearest).engine(Engine::Naive);
/// let slopes = slopes.convolve(&array, &Shape::line(4)?, &kernel, &Shape::line(3)?)?;
/// assert_eq!(*slopes, [0.5, 1.5, 3.0, 2.0]);
/// assert_eq!(slopes.chosen().engine(), "naive");
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Builder {
    options: Options,
    device: Device,
}

impl Builder {
    /// A convolution with zeros beyond the ends, as large as the array, default engine, [`Device::Auto`].
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Chooses what lies beyond the ends.
        boundary in options: Boundary,
        /// Chooses which elements are told.
        extent in options: Extent,
        /// Chooses correlation.
        correlate in options: bool,
        /// Chooses the engine; `None` leaves the choice to the library.
        engine in options: Option<Engine>,
        /// Chooses the device.
        device: Device,
    }

    /// The convolution.
    ///
    /// # Errors
    /// As for [`convolve`], and what the device says.
    pub fn convolve<T: Float>(
        &self,
        array: &[T],
        shape: &Shape,
        kernel: &[T],
        kernel_shape: &Shape,
    ) -> Result<Answer<Vec<T>>> {
        let (engine, seconds) = estimate::<T>(shape, kernel_shape, &self.options)?;
        let results = self.options.result_shape(shape, kernel_shape)?.len();
        let question = Question {
            engine: engine.name(),
            gpu_engine: Engine::Spectral.name(),
            asked: self.options.engine.is_some(),
            on_cpu: true,
            on_gpu: T::NAME == f32::NAME && self.options.engine.is_none_or(|engine| engine == Engine::Spectral),
            costs: costs(seconds, array.len() + kernel.len(), results, size_of::<T>(), threads()),
        };
        let answer = on_device!(
            self.device,
            question,
            |gpu| {
                let wide = || {
                    let reason = "f64 is convolved on the CPU; GPUs have f32".into();
                    thalweg_core::Error::NotOnDevice { problem: "convolution", engine: Engine::Spectral.name(), reason }
                };
                if T::NAME != f32::NAME {
                    return Err(wide());
                }
                let [array, kernel] = [array, kernel].map(bytemuck::cast_slice::<T, f32>);
                let convolve = thalweg_gpu::fourier::convolution::convolve;
                let values: Box<dyn std::any::Any> =
                    Box::new(convolve(gpu, array, shape, kernel, kernel_shape, &self.options)?);
                Ok(Convolved { values: *values.downcast().map_err(|_| wide())?, engine: Engine::Spectral })
            },
            || convolution(array, shape, kernel, kernel_shape, &self.options)
        );
        let (Convolved { values, engine: used }, mut chosen) = answer?.into_parts();
        // A GPU has transforms only.
        if used != engine && chosen.is_cpu() {
            let reason = format!("{}; not all sums that {engine} makes are finite", chosen.reason());
            chosen = Chosen::on_cpu(used.name(), reason);
        }
        Ok(Answer::new(values, chosen))
    }
}
