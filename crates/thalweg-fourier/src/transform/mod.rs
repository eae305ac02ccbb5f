//! Fourier transforms of any length, complex and real, along axes.
//!
//! `X[k] = sum x[j] exp(-2 pi i j k / n)` forward, with the sign turned back; see [`Norm`] for the factors.

mod accuracy;
mod chirp;
mod complex;
mod factors;
mod lines;
mod long;
mod long_real;
mod options;
mod plan;
mod real;
mod roots;
mod scratch;
mod split;
mod tiles;

pub use accuracy::error_limit;
pub use complex::{fft, ifft, transform};
pub use options::{Direction, Norm, Options};
pub(crate) use real::{halve_into, halved_shape, restore_into};
pub use real::{restore_real, transform_real};
pub(crate) use scratch::{Buffer, Reals};
