//! Convolutions and correlations in one and two dimensions.
//!
//! `out[i] = sum kernel[j] * array[i + c - j]`, the kernel's centre being `c = m / 2` along every axis; a correlation is
//! `sum kernel[j] * array[i + j - c]`. Both as `scipy.ndimage` defines them; [`Boundary`] says what lies beyond the ends,
//! [`Extent`] which elements are told. Kernels may be larger than the array. [`convolve`] takes [`Options`]:
//!
//! | engine | idea | work | error, u being 2^-24 or 2^-53 |
//! |---|---|---|---|
//! | `direct` | slides the kernel over blocks of the result that stay in registers | O(n m) | m u of the sum of absolute values |
//! | `spectral` | products of spectra, in tiles | O(n log m) | 4 u log2(n + m) of the norms of array and kernel |
//! | `naive` | adds up every element's products in twice the precision; sequential | O(n m) | u of the result, nearly |
//!
//! By default the one that takes less time (`rule.rs`). NaN and infinities are found only in sums that have one: a transform would
//! spread them over everything, so where array or kernel holds one, or numbers so large that sums of them are none, `spectral`
//! leaves the work to `direct`. Zeros beyond the ends are multiplied as all numbers are: with an infinite weight they give NaN.

mod direct;
mod extended;
mod naive;
mod options;
mod problem;
mod spectral;
mod tiling;

use std::borrow::Cow;

use extended::Extended;
pub use options::{Boundary, Engine, Extent, Options, Place};
use problem::Problem;
use thalweg_core::error::{expect_len, try_with_capacity};
use tiling::Tiling;

use crate::float::same;
use crate::{Float, Result, Shape, rule};

/// The engine that would run: the one that is asked for, or what the library chooses.
///
/// # Errors
/// As for [`Options::places`].
pub fn choose<T: Float>(shape: &Shape, kernel_shape: &Shape, options: &Options) -> Result<Engine> {
    Ok(estimate::<T>(shape, kernel_shape, options)?.0)
}

/// The engine that would run, and about how many seconds one thread takes.
///
/// # Errors
/// As for [`Options::places`].
pub fn estimate<T: Float>(shape: &Shape, kernel_shape: &Shape, options: &Options) -> Result<(Engine, f64)> {
    let size = in_two(&options.places(shape, kernel_shape)?).map(|place| place.len);
    let tiling = Tiling::new(size, in_rows(kernel_shape));
    let transforms = rule::tiles::<T>(tiling.work);
    let products = size[0] as f64 * size[1] as f64 * rule::direct::<T>(kernel_shape.len() as f64);
    Ok(match options.engine {
        Some(Engine::Spectral) => (Engine::Spectral, transforms * 1e-9),
        None if transforms < products => (Engine::Spectral, transforms * 1e-9),
        Some(engine) => (engine, products * 1e-9),
        None => (Engine::Direct, products * 1e-9),
    })
}

/// A convolution, and the engine that computed it.
#[derive(Clone, Debug, PartialEq)]
pub struct Convolved<T> {
    /// The elements, row by row.
    pub values: Vec<T>,
    /// The engine that was asked for or chosen; `direct` where transforms would have spread what is not finite.
    pub engine: Engine,
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
/// The same for any number of threads; on machines with other vectors the last bits may differ.
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
    Ok(convolution(array, shape, kernel, kernel_shape, options)?.values)
}

/// [`convolve`], and the engine that ran.
///
/// # Errors
/// As for [`convolve`].
pub fn convolution<T: Float>(
    array: &[T],
    shape: &Shape,
    kernel: &[T],
    kernel_shape: &Shape,
    options: &Options,
) -> Result<Convolved<T>> {
    // Here, and not again, with all transforms, in every crate that calls this.
    if T::NAME == f32::NAME {
        let (array, kernel) = (bytemuck::cast_slice(array), bytemuck::cast_slice(kernel));
        singles(array, shape, kernel, kernel_shape, options).map(same)
    } else {
        let (array, kernel) = (bytemuck::cast_slice(array), bytemuck::cast_slice(kernel));
        doubles(array, shape, kernel, kernel_shape, options).map(same)
    }
}

fn singles(a: &[f32], shape: &Shape, k: &[f32], kernel_shape: &Shape, options: &Options) -> Result<Convolved<f32>> {
    convolve_here(a, shape, k, kernel_shape, options)
}

fn doubles(a: &[f64], shape: &Shape, k: &[f64], kernel_shape: &Shape, options: &Options) -> Result<Convolved<f64>> {
    convolve_here(a, shape, k, kernel_shape, options)
}

fn convolve_here<T: Float>(
    array: &[T],
    shape: &Shape,
    kernel: &[T],
    kernel_shape: &Shape,
    options: &Options,
) -> Result<Convolved<T>> {
    let mut engine = choose::<T>(shape, kernel_shape, options)?;
    expect_len("the array", array.len(), shape.len())?;
    expect_len("the kernel", kernel.len(), kernel_shape.len())?;
    let window = if options.correlate {
        Cow::Borrowed(kernel)
    } else {
        let mut window = try_with_capacity(kernel.len(), "the kernel")?;
        window.extend(kernel.iter().rev());
        Cow::Owned(window)
    };
    let places = in_two(&options.places(shape, kernel_shape)?);
    let window_size = in_rows(kernel_shape);
    let problem = Problem {
        array: Extended { values: array, size: in_rows(shape), boundary: options.boundary },
        window,
        window_size,
        first: [0, 1].map(|axis| places[axis].start as isize - (window_size[axis] - 1) as isize),
        size: places.map(|place| place.len),
    };
    if engine == Engine::Spectral && !problem.can_be_transformed() {
        engine = Engine::Direct;
    }
    let values = match engine {
        Engine::Direct => direct::convolve(&problem)?,
        Engine::Spectral => spectral::convolve(&problem)?,
        Engine::Naive => naive::convolve(&problem)?,
    };
    Ok(Convolved { values, engine })
}

/// A line is one row.
fn in_two(places: &[Place]) -> [Place; 2] {
    match *places {
        [along] => [Place { start: 0, len: 1 }, along],
        [down, across] => [down, across],
        _ => unreachable!("one or two were asked for"),
    }
}

/// Rows and columns: a line is one row.
fn in_rows(shape: &Shape) -> [usize; 2] {
    let columns = shape.sizes()[shape.dimensions() - 1];
    [shape.len() / columns, columns]
}
