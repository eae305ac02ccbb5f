//! [Thalweg](https://docs.rs/thalweg)'s engines for Fourier transforms. Users add the crate `thalweg`, which chooses engines and
//! devices.
//!
//! - [`transform`]: complex and real transforms of any length, along axes of arrays of up to three dimensions.
//! - [`Shape`]: the sizes of an array's dimensions.
#![deny(unsafe_code)]
#![warn(missing_debug_implementations)]

mod float;
mod shape;
pub mod transform;

pub use float::{Float, root_of_unity};
pub use num_complex::Complex;
pub use shape::{Axes, Lines, MAX_DIMENSIONS, Shape};
pub use thalweg_core::{Error, Result};
