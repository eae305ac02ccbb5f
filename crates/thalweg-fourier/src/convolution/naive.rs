//! The direct sum, element by element, in about twice the precision.

use thalweg_core::error::try_with_capacity;

use super::Problem;
use crate::{Float, Result};

/// A sum of products in two doubles, whose error is about 2^-100 of the sum of absolute values: Ogita, Rump, Oishi 2005.
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
        // What was lost beside an infinity is no number.
        if self.high.is_finite() { self.high + self.low } else { self.high }
    }
}

pub(super) fn convolve<T: Float>(problem: &Problem<'_, T>) -> Result<Vec<T>> {
    let Problem { array, size, first, window, window_size } = problem;
    let mut result = try_with_capacity(size[0] * size[1], "the convolution")?;
    let locate =
        |axis: usize, out: usize, i: usize| array.boundary.locate(first[axis] + (out + i) as isize, array.size[axis]);
    for row in 0..size[0] {
        for column in 0..size[1] {
            let mut sum = Sum::default();
            for (i, weights) in window.chunks_exact(window_size[1]).enumerate() {
                let y = locate(0, row, i);
                for (j, weight) in weights.iter().enumerate() {
                    let x = locate(1, column, j);
                    let number = y.zip(x).map_or(T::default(), |(y, x)| array.values[y * array.size[1] + x]);
                    sum.add_product(weight.wide(), number.wide());
                }
            }
            result.push(T::of(sum.value()));
        }
    }
    Ok(result)
}
