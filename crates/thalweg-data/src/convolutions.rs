//! Naive convolutions, in more precision than anything they are compared with.

/// A sum of products in two doubles, whose error is about 2^-100 of the sum of absolute values (Dekker, Knuth).
#[derive(Clone, Copy, Debug, Default)]
pub struct WideSum {
    high: f64,
    low: f64,
}

impl WideSum {
    /// Adds `a * b`.
    pub fn add_product(&mut self, a: f64, b: f64) {
        let product = a * b;
        let sum = self.high + product;
        let added = sum - self.high;
        let lost = (self.high - (sum - added)) + (product - added);
        self.low += lost + a.mul_add(b, -product);
        self.high = sum;
    }

    /// The sum, rounded. Infinities and NaN as plain sums give them.
    pub fn value(self) -> f64 {
        if self.high.is_finite() { self.high + self.low } else { self.high }
    }
}

/// The element at a position beyond the ends, by walking back to the array: `zero`, `wrap`, `reflect` or `nearest`. `None` is a
/// zero.
///
/// # Panics
/// For another name.
pub fn beyond(boundary: &str, mut position: isize, len: usize) -> Option<usize> {
    let len = len as isize;
    while !(0..len).contains(&position) {
        position = match boundary {
            "zero" => return None,
            "wrap" if position < 0 => position + len,
            "wrap" => position - len,
            "reflect" if position < 0 => -1 - position,
            "reflect" => 2 * len - 1 - position,
            "nearest" => position.clamp(0, len - 1),
            _ => panic!("no boundary {boundary}"),
        };
    }
    Some(position as usize)
}

/// A convolution that is to be computed naively: a line is one row.
#[derive(Clone, Copy, Debug)]
pub struct NaiveConvolution<'a> {
    /// The array, row by row.
    pub array: &'a [f64],
    /// Its rows and columns.
    pub size: [usize; 2],
    /// The kernel.
    pub kernel: &'a [f64],
    /// Its rows and columns.
    pub kernel_size: [usize; 2],
    /// `zero`, `wrap`, `reflect` or `nearest`.
    pub boundary: &'a str,
    /// `same`, `full` or `valid`.
    pub extent: &'a str,
    /// Correlation.
    pub correlate: bool,
}

/// An element of a convolution.
#[derive(Clone, Copy, Debug)]
pub struct NaiveSum {
    /// The sum.
    pub value: f64,
    /// The sum of absolute values, by which errors are measured.
    pub magnitude: f64,
}

impl NaiveConvolution<'_> {
    /// All elements, row by row, by the definition.
    pub fn elements(&self) -> Vec<NaiveSum> {
        let [rows, columns] = [0, 1].map(|axis| self.positions(axis));
        rows.iter().flat_map(|&row| columns.iter().map(move |&column| self.element([row, column]))).collect()
    }

    /// One element, by its number, row by row.
    pub fn nth(&self, index: usize) -> NaiveSum {
        let [rows, columns] = [0, 1].map(|axis| self.positions(axis));
        self.element([rows[index / columns.len()], columns[index % columns.len()]])
    }

    /// Where the kernel's first element, or for a convolution its last, comes to lie for every element of the result.
    fn positions(&self, axis: usize) -> Vec<isize> {
        let (n, m) = (self.size[axis] as isize, self.kernel_size[axis] as isize);
        match self.extent {
            // out[i] = sum K[j] x[i + j - c], or K[j] x[i + c - j], of which the last j is m - 1.
            "same" => (0..n).map(|i| if self.correlate { i - m / 2 } else { i + m / 2 - (m - 1) }).collect(),
            "full" => (1 - m..n).collect(),
            "valid" if n >= m => (0..=n - m).collect(),
            "valid" => (n - m..=0).collect(),
            _ => panic!("no extent {}", self.extent),
        }
    }

    fn element(&self, start: [isize; 2]) -> NaiveSum {
        let [height, width] = self.kernel_size;
        let (mut sum, mut magnitude) = (WideSum::default(), 0.0);
        for i in 0..height {
            let y = beyond(self.boundary, start[0] + i as isize, self.size[0]);
            for j in 0..width {
                let x = beyond(self.boundary, start[1] + j as isize, self.size[1]);
                let place = if self.correlate { [i, j] } else { [height - 1 - i, width - 1 - j] };
                let weight = self.kernel[place[0] * width + place[1]];
                let number = y.zip(x).map_or(0.0, |(y, x)| self.array[y * self.size[1] + x]);
                sum.add_product(weight, number);
                magnitude += (weight * number).abs();
            }
        }
        NaiveSum { value: sum.value(), magnitude }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_by_hand() {
        let said = |boundary, extent, correlate, kernel: &[f64]| -> Vec<f64> {
            let array = &[1.0, 2.0, 4.0];
            let (size, kernel_size) = ([1, 3], [1, kernel.len()]);
            NaiveConvolution { array, size, kernel, kernel_size, boundary, extent, correlate }
                .elements()
                .iter()
                .map(|element| element.value)
                .collect()
        };
        // scipy.ndimage.convolve1d([1, 2, 4], [1, 10], mode="constant") and correlate1d.
        assert_eq!(said("zero", "same", false, &[1.0, 10.0]), [12.0, 24.0, 40.0]);
        assert_eq!(said("zero", "same", true, &[1.0, 10.0]), [10.0, 21.0, 42.0]);
        assert_eq!(said("reflect", "same", true, &[1.0, 10.0]), [11.0, 21.0, 42.0]);
        assert_eq!(said("wrap", "same", true, &[1.0, 10.0]), [14.0, 21.0, 42.0]);
        // numpy.convolve and numpy.correlate.
        assert_eq!(said("zero", "full", false, &[1.0, 10.0]), [1.0, 12.0, 24.0, 40.0]);
        assert_eq!(said("zero", "full", true, &[1.0, 10.0]), [10.0, 21.0, 42.0, 4.0]);
        assert_eq!(said("zero", "valid", false, &[1.0, 10.0]), [12.0, 24.0]);
        assert_eq!(said("zero", "valid", false, &[1.0, 0.0, 0.0, 0.0, 10.0]), [4.0, 0.0, 10.0]);
        assert_eq!(said("zero", "valid", true, &[1.0, 0.0, 0.0, 0.0, 10.0]), [40.0, 0.0, 1.0]);
    }
}
