//! Gaussian blur of pictures, on any device.
//!
//! [`gaussian`] serves the common case on the CPU, [`Builder`] chooses engine and device:
//!
//! | engine | idea | work a sample |
//! |---|---|---|
//! | `direct` | rows, then columns, by sums of products in registers | O(sigma) |
//! | `spectral` | rows, then columns, two lines at a time through a Fourier transform | O(log n) |
//! | `naive` | sums of products in double precision; sequential | O(sigma) |
//!
//! By default the one that takes less time for this picture and sigma, by times that were measured.

use thalweg_core::{Answer, Chosen, Result};
use thalweg_fourier::blur::Blurred;
pub use thalweg_fourier::blur::{Engine, Options, Picture, Sample, blur, choose, estimate, gaussian, radius};
use thalweg_fourier::convolution::Boundary;

use crate::Device;
use crate::costs::Costs;
use crate::device::{Question, on_device, threads};
use crate::setters::setters;

/// What a blur costs that takes one thread so many seconds, over the threads; a picture of `bytes` goes to a device and comes back.
pub fn costs(seconds: f64, bytes: usize, threads: usize) -> Costs {
    Costs { cpu: seconds / threads as f64, bytes_up: bytes as f64, bytes_down: bytes as f64, device: 0.0 }
}

/// Blurs pictures with a choice of boundary, engine and device.
///
/// ```
/// use thalweg::fourier::blur::{Builder, Engine, Picture};
/// let picture = Picture { height: 1, width: 5, channels: 1, alpha: false };
/// let blurred = Builder::new(0.5).engine(Engine::Naive).blur(&[0u8, 0, 255, 0, 0], picture)?;
/// assert_eq!(*blurred, [0, 27, 201, 27, 0]);
/// assert_eq!(blurred.chosen().engine(), "naive");
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Builder {
    options: Options,
    device: Device,
}

impl Builder {
    /// A Gaussian of this standard deviation in pixels, borders reflected, default engine, [`Device::Auto`].
    pub fn new(sigma: f64) -> Self {
        Self { options: Options::new(sigma), device: Device::Auto }
    }

    setters! {
        /// Chooses the standard deviations down the columns and along the rows.
        sigma in options: [f64; 2],
        /// Chooses what lies beyond the borders.
        boundary in options: Boundary,
        /// Chooses the engine; `None` leaves the choice to the library.
        engine in options: Option<Engine>,
        /// Chooses the device.
        device: Device,
    }

    /// The blurred picture.
    ///
    /// # Errors
    /// As for [`gaussian`], and what the device says.
    pub fn blur<S: Sample>(&self, pixels: &[S], picture: Picture) -> Result<Answer<Vec<S>>> {
        let (engine, seconds) = estimate(picture, &self.options)?;
        let question = Question {
            engine: engine.name(),
            gpu_engine: engine.name(),
            asked: self.options.engine.is_some(),
            on_cpu: true,
            on_gpu: false,
            costs: costs(seconds, size_of_val(pixels), threads()),
        };
        let answer = on_device!(
            self.device,
            question,
            |_gpu| {
                let reason = "pictures are blurred on the CPU".into();
                Err(thalweg_core::Error::NotOnDevice { problem: "blur", engine: engine.name(), reason })
            },
            || blur(pixels, picture, &self.options)
        );
        let (Blurred { samples, engine: used }, mut chosen) = answer?.into_parts();
        if used != engine {
            let reason = format!("{}; not all sums that {engine} makes are finite", chosen.reason());
            chosen = Chosen::on_cpu(used.name(), reason);
        }
        Ok(Answer::new(samples, chosen))
    }
}
