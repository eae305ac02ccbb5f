//! Convolutions and correlations in one and two dimensions.
//!
//! `out[i] = sum kernel[j] * array[i + c - j]`, the kernel's centre being `c = m / 2` along every axis; a correlation is
//! `sum kernel[j] * array[i + j - c]`. Both as `scipy.ndimage` defines them; [`Boundary`] says what lies beyond the ends,
//! [`Extent`] which elements are told. Kernels may be larger than the array. [`convolve`] takes [`Options`]:
//!
//! | engine | idea | work | error, u being 2^-24 or 2^-53 |
//! |---|---|---|---|
//! | `direct` | slides the kernel over blocks of the result that stay in registers | O(n m) | m u of the sum of absolute values |
//! | `naive` | adds up every element's products in twice the precision; sequential | O(n m) | u of the result, nearly |

mod direct;
mod extended;
mod naive;
mod options;

use std::borrow::Cow;

use extended::Extended;
pub use options::{Boundary, Engine, Extent, Options, Place};
use thalweg_core::error::{expect_len, try_with_capacity};

use crate::{Float, Result, Shape};

/// What engines work on, always in two dimensions: `out[i] = sum window[j] * array[first + i + j]`.
struct Problem<'a, T: Float> {
    array: Extended<'a, T>,
    /// The kernel as a correlation takes it.
    window: Cow<'a, [T]>,
    window_size: [usize; 2],
    first: [isize; 2],
    /// Of the result.
    size: [usize; 2],
}

/// The engine that would run: the one that is asked for, or what the library chooses.
///
/// # Errors
/// As for [`Options::places`].
pub fn choose(shape: &Shape, kernel_shape: &Shape, options: &Options) -> Result<Engine> {
    options.places(shape, kernel_shape)?;
    Ok(options.engine.unwrap_or(Engine::Direct))
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
/// As for [`Options::places`]; [`Error::Length`](crate::Error::Length) for slices that do not have their shapes;
/// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub fn convolve<T: Float>(
    array: &[T],
    shape: &Shape,
    kernel: &[T],
    kernel_shape: &Shape,
    options: &Options,
) -> Result<Vec<T>> {
    let engine = choose(shape, kernel_shape, options)?;
    expect_len("the array", array.len(), shape.len())?;
    expect_len("the kernel", kernel.len(), kernel_shape.len())?;
    let window = if options.correlate {
        Cow::Borrowed(kernel)
    } else {
        let mut window = try_with_capacity(kernel.len(), "the kernel")?;
        window.extend(kernel.iter().rev());
        Cow::Owned(window)
    };
    let places = match options.places(shape, kernel_shape)?[..] {
        [along] => [Place { start: 0, len: 1 }, along],
        [down, across, ..] => [down, across],
        [] => unreachable!("a shape has a dimension"),
    };
    let window_size = in_rows(kernel_shape);
    let problem = Problem {
        array: Extended { values: array, size: in_rows(shape), boundary: options.boundary },
        window,
        window_size,
        first: [0, 1].map(|axis| places[axis].start as isize - (window_size[axis] - 1) as isize),
        size: places.map(|place| place.len),
    };
    match engine {
        Engine::Direct => direct::convolve(&problem),
        Engine::Naive => naive::convolve(&problem),
    }
}

/// Rows and columns: a line is one row.
fn in_rows(shape: &Shape) -> [usize; 2] {
    let columns = shape.sizes()[shape.dimensions() - 1];
    [shape.len() / columns, columns]
}
