//! Fourier transforms and convolutions, on any device.

pub use thalweg_fourier::{Axes, Complex, Float, Shape, transform};
