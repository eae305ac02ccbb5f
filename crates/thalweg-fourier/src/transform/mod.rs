//! Fourier transforms of any length, complex and real, along axes.
//!
//! `X[k] = sum x[j] exp(-2 pi i j k / n)` forward, with the sign turned back; see [`Norm`] for the factors.

mod complex;
mod options;

pub use complex::{fft, ifft, transform};
pub use options::{Direction, Norm, Options};
