//! Complex transforms, in place.

use thalweg_core::error::expect_len;

use super::lines::transform_lines;
use super::options::Options;
use crate::{Complex, Float, Result, Shape};

/// The transform of a line, in place, unscaled.
///
/// Work O(n log n) for every length, extra memory a copy of the line where it is long.
///
/// ```
/// use thalweg_fourier::{Complex, transform::fft};
/// let mut values = [1.0, 0.0, 0.0, 0.0].map(|x| Complex::new(x, 0.0));
/// fft(&mut values)?;
/// assert_eq!(values, [Complex::new(1.0, 0.0); 4]);
/// # Ok::<(), thalweg_fourier::Error>(())
/// ```
///
/// # Errors
/// [`Error::Empty`](crate::Error::Empty) for no elements, [`Error::OutOfMemory`](crate::Error::OutOfMemory).
pub fn fft<T: Float>(values: &mut [Complex<T>]) -> Result<()> {
    transform(values, &Shape::line(values.len())?, &Options::FORWARD)
}

/// The inverse of [`fft`], in place, divided by the length.
///
/// ```
/// use thalweg_fourier::{Complex, transform::ifft};
/// let mut values = [Complex::new(1.0, 0.0); 4];
/// ifft(&mut values)?;
/// assert_eq!(values, [1.0, 0.0, 0.0, 0.0].map(|x| Complex::new(x, 0.0)));
/// # Ok::<(), thalweg_fourier::Error>(())
/// ```
///
/// # Errors
/// As [`fft`].
pub fn ifft<T: Float>(values: &mut [Complex<T>]) -> Result<()> {
    transform(values, &Shape::line(values.len())?, &Options::INVERSE)
}

/// Transforms an array of this shape in place, along the axes that are named, the last one first.
///
/// ```
/// use thalweg_fourier::{Axes, Complex, Shape, transform::{Options, transform}};
/// // Two rows, each transformed for itself.
/// let mut values = [1.0, 1.0, 3.0, 1.0].map(|x| Complex::new(x, 0.0));
/// let shape = Shape::new(&[2, 2])?;
/// transform(&mut values, &shape, &Options { axes: Some(Axes::last(&shape)), ..Options::FORWARD })?;
/// assert_eq!(values.map(|x| x.re), [2.0, 0.0, 4.0, 2.0]);
/// # Ok::<(), thalweg_fourier::Error>(())
/// ```
///
/// # Errors
/// As [`fft`], and [`Error::Length`](crate::Error::Length) if the shape has another number of elements. After an error the
/// values are unspecified.
pub fn transform<T: Float>(values: &mut [Complex<T>], shape: &Shape, options: &Options) -> Result<()> {
    // Compiled here, and not again, with all butterflies, in every crate that calls this.
    if T::NAME == f32::NAME {
        singles(bytemuck::cast_slice_mut(values), shape, options)
    } else {
        doubles(bytemuck::cast_slice_mut(values), shape, options)
    }
}

fn singles(values: &mut [Complex<f32>], shape: &Shape, options: &Options) -> Result<()> {
    transform_here(values, shape, options)
}

fn doubles(values: &mut [Complex<f64>], shape: &Shape, options: &Options) -> Result<()> {
    transform_here(values, shape, options)
}

fn transform_here<T: Float>(values: &mut [Complex<T>], shape: &Shape, options: &Options) -> Result<()> {
    expect_len("values", values.len(), shape.len())?;
    let axes = options.axes_of(shape);
    transform_axes(values, shape, axes.as_slice(), options, options.factor(shape))
}

/// Transforms along these axes, the last one first, times `factor`.
pub(super) fn transform_axes<T: Float>(
    values: &mut [Complex<T>],
    shape: &Shape,
    axes: &[usize],
    options: &Options,
    factor: f64,
) -> Result<()> {
    for (place, &axis) in axes.iter().enumerate().rev() {
        // The last pass takes the factor along.
        let factor = if place == 0 { factor } else { 1.0 };
        transform_lines(values, shape.lines(axis), options.direction, factor)?;
    }
    Ok(())
}
