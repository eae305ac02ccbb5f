//! The sum of products, element by element, in 192 bits: the oracle of the tests.

use super::bits::I192;
use super::integer::{Integer, each_type};
use super::sink::Sink;
use super::window::Window;
use crate::Result;
use crate::convolution::Place;

/// Takes what the caller gave: nothing is cut or exchanged.
#[allow(unsafe_code)]
pub(super) fn convolve(array: &Window<'_>, kernel: &Window<'_>, places: &[Place; 2], sink: &dyn Sink) -> Result<()> {
    let element =
        |window: &Window<'_>, at: usize| each_type!(window.values, values => values[window.stored(at)].whole());
    let locate = |axis: usize, at: usize, j: usize| array.boundary.locate(at as isize - j as isize, array.sizes[axis]);
    for row in 0..places[0].len {
        for column in 0..places[1].len {
            let mut sum = I192::ZERO;
            for i in 0..kernel.sizes[0] {
                let Some(y) = locate(0, places[0].start + row, i) else { continue };
                for j in 0..kernel.sizes[1] {
                    let Some(x) = locate(1, places[1].start + column, j) else { continue };
                    let a = element(array, y * array.sizes[1] + x);
                    let b = element(kernel, i * kernel.sizes[1] + j);
                    let product = I192::product(a.unsigned_abs(), b.unsigned_abs() as u64);
                    sum = if (a < 0) == (b < 0) { sum.plus(product) } else { sum.minus(product) };
                }
            }
            // SAFETY: inside, each place once.
            unsafe { sink.put_i192(row * places[1].len + column, &[sum]) };
        }
    }
    Ok(())
}
