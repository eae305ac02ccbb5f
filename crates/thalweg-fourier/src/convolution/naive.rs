//! The direct sum, element by element, in about twice the precision.

use super::Problem;
use crate::{Float, Result};

/// A sum in two doubles, whose error is about 2^-100 of the sum of absolute values: Ogita, Rump, Oishi 2005.
#[derive(Clone, Copy, Default)]
struct Sum {
    high: f64,
    low: f64,
}

impl Sum {
    fn add_product(&mut self, a: f64, b: f64) {
        let product = a * b;
        let lost = a.mul_add(b, -product);
        let sum = self.high + product;
        let part = sum - self.high;
        self.low += (self.high - (sum - part)) + (product - part) + lost;
        self.high = sum;
    }

    fn value(self) -> f64 {
        let value = self.high + self.low;
        // What is beside an infinity is a NaN, and says nothing.
        if value.is_nan() { self.high } else { value }
    }
}

pub(super) fn convolve<T: Float>(problem: &Problem<'_, T>) -> Result<Vec<T>> {
    let Problem { array, kernel, array_sizes, kernel_sizes, places, boundary } = problem;
    let locate =
        |axis: usize, position: usize, j: usize| boundary.locate(position as isize - j as isize, array_sizes[axis]);
    let mut result = thalweg_core::error::try_with_capacity(places[0].len * places[1].len, "the convolution")?;
    for row in places[0].start..places[0].start + places[0].len {
        for column in places[1].start..places[1].start + places[1].len {
            let mut sum = Sum::default();
            for (i, weights) in kernel.chunks_exact(kernel_sizes[1]).enumerate() {
                let Some(y) = locate(0, row, i) else { continue };
                for (j, weight) in weights.iter().enumerate() {
                    let Some(x) = locate(1, column, j) else { continue };
                    sum.add_product(weight.wide(), array[y * array_sizes[1] + x].wide());
                }
            }
            result.push(T::of(sum.value()));
        }
    }
    Ok(result)
}
