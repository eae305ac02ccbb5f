//! Single elements of a convolution by their definition: what a sample of the results is held to.

use thalweg::fourier::convolution::{Extent, Options};
use thalweg::fourier::{Float, Shape};
use thalweg_cli::failure::Outcome;

/// A convolution whose elements can be computed one by one, each in as many steps as the kernel has elements.
pub struct Plain {
    array: [usize; 2],
    kernel: [usize; 2],
    result: [usize; 2],
    options: Options,
}

impl Plain {
    pub fn new(array: &Shape, kernel: &Shape, options: &Options) -> Outcome<Self> {
        let result = options.result_shape(array, kernel)?;
        let [array, kernel, result] = [array, kernel, &result].map(|shape| match *shape.sizes() {
            [len] => [1, len],
            ref sizes => [sizes[0], sizes[1]],
        });
        Ok(Self { array, kernel, result, options: *options })
    }

    /// The element of the array that weight `j` of the kernel meets at element `i` of the result, along an axis.
    fn meets(&self, axis: usize, i: usize, j: usize) -> Option<usize> {
        let (n, m) = (self.array[axis] as i128, self.kernel[axis] as i128);
        let (i, j) = (i as i128, j as i128);
        // Where element 0 of the result has the kernel's middle.
        let middle = match self.options.extent {
            Extent::Same => 0,
            Extent::Full if self.options.correlate => m / 2 - (m - 1),
            Extent::Full => -(m / 2),
            Extent::Valid if self.options.correlate => m / 2 - (m - n).max(0),
            Extent::Valid => (m - 1) - m / 2 - (m - n).max(0),
        };
        let offset = if self.options.correlate { j - m / 2 } else { m / 2 - j };
        let position = i + middle + offset;
        self.options.boundary.locate(isize::try_from(position).ok()?, n as usize)
    }

    /// The pairs of places, in the array and the kernel, whose products make element `index`.
    fn pairs(&self, index: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let (row, column) = (index / self.result[1], index % self.result[1]);
        (0..self.kernel[0]).filter_map(move |i| Some((i, self.meets(0, row, i)?))).flat_map(move |(i, y)| {
            (0..self.kernel[1]).filter_map(move |j| {
                let x = self.meets(1, column, j)?;
                Some((y * self.array[1] + x, i * self.kernel[1] + j))
            })
        })
    }

    /// The sum of products of integers, modulo 2^128. That is the sum itself, if it is one that fits 64 bits.
    pub fn integer(&self, index: usize, array: &dyn Fn(usize) -> i128, kernel: &dyn Fn(usize) -> i128) -> i128 {
        self.pairs(index).fold(0, |sum: i128, (at, weight)| sum.wrapping_add(array(at).wrapping_mul(kernel(weight))))
    }
}

/// What elements of floats are held to.
pub struct Floats<'a, T: Float> {
    plain: Plain,
    array: &'a [T],
    kernel: &'a [T],
    /// The norm of what is finite.
    norm: f64,
}

impl<'a, T: Float> Floats<'a, T> {
    pub fn new(plain: Plain, array: &'a [T], kernel: &'a [T]) -> Self {
        let finite = array.iter().map(|x| x.wide()).filter(|x| x.is_finite());
        let norm = finite.map(|x| x * x).sum::<f64>().sqrt();
        Self { plain, array, kernel, norm }
    }

    /// What is wrong with an element, if anything. An engine that transforms is off by a share of the norms of all that it
    /// transforms together, one that adds up by a share that grows as the root of the number of products: both are allowed.
    /// Beside NaN and infinities an element may be NaN that by its definition is not.
    pub fn complaint(&self, index: usize, found: T) -> Option<String> {
        let (mut sum, mut values, mut weights) = (0.0, 0.0, 0.0);
        for (at, weight) in self.plain.pairs(index) {
            let (value, weight) = (self.array[at].wide(), self.kernel[weight].wide());
            sum += value * weight;
            values += value * value;
            weights += weight * weight;
        }
        let found = found.wide();
        let products = self.kernel.len() as f64;
        let share = ((self.array.len() as f64 + products).log2().sqrt() + products.sqrt()) * T::ROUNDING;
        let size = self.norm.max(values.sqrt()) * weights.sqrt();
        let largest = if T::NAME == "f32" { f64::from(f32::MAX) } else { f64::MAX };
        let is_right = match sum.is_finite() {
            // What overflows on its way is no measure.
            true if size.is_nan() || size > largest / 64.0 => true,
            // Zeros beyond the ends make NaN of such weights, too.
            true if !found.is_finite() => self.array.iter().chain(self.kernel).any(|x| !x.wide().is_finite()),
            true => (found - sum).abs() <= 8.0 * share * size + 64.0 * smallest::<T>(),
            false => !found.is_finite(),
        };
        (!is_right).then(|| format!("element {index} is {found}, but the sum is {sum}"))
    }
}

/// The smallest number with all its digits.
fn smallest<T: Float>() -> f64 {
    if T::NAME == "f32" { f32::MIN_POSITIVE.into() } else { f64::MIN_POSITIVE }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg::fourier::convolution::{Boundary, Engine, convolve};

    /// All elements, and those of the library's oracle, which is written in another way.
    #[test]
    fn elements_are_those_of_the_naive_engine() {
        let (array, kernel): (Vec<f64>, Vec<f64>) =
            ((0..35).map(|i| (i * i % 23) as f64).collect(), (0..40).map(|i| (i * 7 % 11) as f64 - 4.0).collect());
        let shape = |sizes: &[usize]| Shape::new(sizes).unwrap();
        for (array_sizes, kernel_sizes) in [
            (&[35][..], &[1][..]),
            (&[35], &[6]),
            (&[5], &[17]),
            (&[5, 7], &[3, 4]),
            (&[7, 5], &[2, 5]),
            (&[3, 4], &[5, 8]),
        ] {
            let (shape, kernel_shape) = (shape(array_sizes), shape(kernel_sizes));
            let (array, kernel) = (&array[..shape.len()], &kernel[..kernel_shape.len()]);
            for &boundary in Boundary::ALL {
                for &extent in Extent::ALL {
                    for correlate in [false, true] {
                        let options = Options { boundary, extent, correlate, engine: Some(Engine::Naive) };
                        let Ok(found) = convolve(array, &shape, kernel, &kernel_shape, &options) else { continue };
                        let plain = || Plain::new(&shape, &kernel_shape, &options).unwrap();
                        let whole = |i: usize| plain().integer(i, &|j| array[j] as i128, &|j| kernel[j] as i128);
                        let sums: Vec<f64> = (0..found.len()).map(|i| whole(i) as f64).collect();
                        assert_eq!(found, sums, "{shape:?} {kernel_shape:?} {options:?}");
                        let floats = Floats::new(plain(), array, kernel);
                        assert!((0..found.len()).all(|i| floats.complaint(i, found[i]).is_none()));
                        assert!((0..found.len()).all(|i| floats.complaint(i, found[i] + 0.5).is_some()));
                        assert!((0..found.len()).all(|i| floats.complaint(i, f64::NAN).is_some()));
                    }
                }
            }
        }
    }
}
