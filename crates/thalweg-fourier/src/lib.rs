//! [Thalweg](https://docs.rs/thalweg)'s engines for Fourier transforms. Users add the crate `thalweg`, which chooses engines and
//! devices.
//!
//! - [`blur`]: Gaussian blur of pictures.
//! - [`convolution`]: convolutions and correlations in one and two dimensions.
//! - [`exact`]: convolutions of integers, exact.
//! - [`transform`]: complex and real transforms of any length, along axes of arrays of up to three dimensions.
//! - [`Shape`]: the sizes of an array's dimensions.
#![deny(unsafe_code)]
#![warn(missing_debug_implementations)]

pub mod blur;
pub mod convolution;
pub mod exact;
mod filter;
mod float;
mod good_length;
mod rule;
mod shape;
pub mod transform;
mod vector;

pub use float::{Float, root_of_unity};
pub use num_complex::Complex;
pub use shape::{Axes, Lines, MAX_DIMENSIONS, Shape};
pub use thalweg_core::{Error, Result};
