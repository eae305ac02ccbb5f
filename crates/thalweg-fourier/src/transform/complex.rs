//! Complex transforms, in place.

use rustfft::FftPlanner;
use thalweg_core::error::expect_len;

use super::options::{Direction, Options};
use crate::{Complex, Float, Result, Shape};

/// The transform of a line, in place, unscaled.
///
/// # Errors
/// [`Error::Empty`](crate::Error::Empty) for no elements.
pub fn fft<T: Float>(values: &mut [Complex<T>]) -> Result<()> {
    transform(values, &Shape::line(values.len())?, &Options::FORWARD)
}

/// The inverse of [`fft`], in place, divided by the length.
pub fn ifft<T: Float>(values: &mut [Complex<T>]) -> Result<()> {
    transform(values, &Shape::line(values.len())?, &Options::INVERSE)
}

/// Transforms an array of this shape in place.
pub fn transform<T: Float>(values: &mut [Complex<T>], shape: &Shape, options: &Options) -> Result<()> {
    expect_len("values", values.len(), shape.len())?;
    let mut planner = FftPlanner::<T>::new();
    for &axis in options.axes_of(shape).as_slice().iter().rev() {
        let lines = shape.lines(axis);
        let plan = match options.direction {
            Direction::Forward => planner.plan_fft_forward(lines.len),
            Direction::Inverse => planner.plan_fft_inverse(lines.len),
        };
        let mut line = vec![Complex::default(); lines.len];
        for start in (0..lines.outer).flat_map(|o| (0..lines.stride).map(move |s| o * lines.len * lines.stride + s)) {
            let place = |i: usize| start + i * lines.stride;
            line.iter_mut().enumerate().for_each(|(i, x)| *x = values[place(i)]);
            plan.process(&mut line);
            line.iter().enumerate().for_each(|(i, &x)| values[place(i)] = x);
        }
    }
    let factor = options.factor(shape);
    if factor != 1.0 {
        values.iter_mut().for_each(|x| *x = *x * T::of(factor));
    }
    Ok(())
}
