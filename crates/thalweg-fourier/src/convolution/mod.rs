//! Convolutions and correlations in one and two dimensions.
//!
//! `out[i] = sum kernel[j] * array[i + c - j]`, the kernel's centre being `c = m / 2` along every axis; a correlation is
//! `sum kernel[j] * array[i + j - c]`. Both as `scipy.ndimage` defines them; [`Boundary`] says what lies beyond the ends,
//! [`Extent`] which elements are told. Kernels may be larger than the array.

mod naive;
mod options;

use std::borrow::Cow;

pub use options::{Boundary, Engine, Extent, Options, Place};
use thalweg_core::error::expect_len;

use crate::{Float, Result, Shape};

/// What engines work on: two dimensions always, a kernel that is turned around already.
struct Problem<'a, T: Float> {
    array: &'a [T],
    array_sizes: [usize; 2],
    kernel: Cow<'a, [T]>,
    kernel_sizes: [usize; 2],
    places: [Place; 2],
    boundary: Boundary,
}

/// The engine that would run: the one that is asked for, or what the library chooses.
///
/// # Errors
/// As for [`Options::places`].
pub fn choose(shape: &Shape, kernel_shape: &Shape, options: &Options) -> Result<Engine> {
    options.places(shape, kernel_shape)?;
    Ok(options.engine.unwrap_or(Engine::Naive))
}

/// The convolution of an array with a kernel.
///
/// ```
/// use thalweg_fourier::Shape;
/// use thalweg_fourier::convolution::{Boundary, Options, convolve};
/// let (array, kernel) = ([1.0, 2.0, 4.0, 8.0], [0.5, 0.0, -0.5]);
/// let options = Options { boundary: Boundary::Nearest, ..Options::default() };
/// let slopes = convolve(&array, &Shape::line(4)?, &kernel, &Shape::line(3)?, &options)?;
/// assert_eq!(slopes, [0.5, 1.5, 3.0, 2.0]);
/// # Ok::<(), thalweg_fourier::Error>(())
/// ```
///
/// # Errors
/// As for [`Options::places`]; [`Error::Length`](crate::Error::Length) for slices that do not have their shapes; [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub fn convolve<T: Float>(
    array: &[T],
    shape: &Shape,
    kernel: &[T],
    kernel_shape: &Shape,
    options: &Options,
) -> Result<Vec<T>> {
    expect_len("the array", array.len(), shape.len())?;
    expect_len("the kernel", kernel.len(), kernel_shape.len())?;
    let places = options.places(shape, kernel_shape)?;
    let kernel =
        if options.correlate { Cow::Owned(kernel.iter().rev().copied().collect()) } else { Cow::Borrowed(kernel) };
    let problem = Problem {
        array,
        array_sizes: in_two_dimensions(shape),
        kernel,
        kernel_sizes: in_two_dimensions(kernel_shape),
        places: match places[..] {
            [along] => [Place { start: 0, len: 1 }, along],
            _ => [places[0], places[1]],
        },
        boundary: options.boundary,
    };
    naive::convolve(&problem)
}

/// A line is one row.
fn in_two_dimensions(shape: &Shape) -> [usize; 2] {
    match *shape.sizes() {
        [len] => [1, len],
        [rows, columns] => [rows, columns],
        _ => unreachable!("checked with the places"),
    }
}
