//! Fourier transforms and convolutions, on any device.

pub mod blur;
pub mod convolution;
pub mod exact;
pub mod transform;

pub use thalweg_fourier::{Axes, Complex, Float, Shape};
pub use thalweg_fourier::{MAX_DIMENSIONS, root_of_unity};
