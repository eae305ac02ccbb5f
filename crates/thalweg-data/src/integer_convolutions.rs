//! The oracle of exact convolutions, in big integers, from the definition. Nothing here is shared with the engines.

pub use num_bigint::BigInt;

/// What is asked for, in the words of the command line.
#[derive(Clone, Copy, Debug)]
pub struct Convolution<'a> {
    /// `zero`, `wrap`, `reflect` or `nearest`.
    pub boundary: &'a str,
    /// `same`, `full` or `valid`.
    pub extent: &'a str,
    /// Whether the kernel is not turned around.
    pub correlate: bool,
}

impl Convolution<'_> {
    /// The convolution of an array of two dimensions (a line is one row) with a kernel, every element the sum of all its
    /// products.
    ///
    /// # Panics
    /// If sizes are wrong, or a word is none of the above.
    pub fn of(&self, array: &[i128], sizes: [usize; 2], kernel: &[i128], kernel_sizes: [usize; 2]) -> Vec<BigInt> {
        assert_eq!((array.len(), kernel.len()), (sizes[0] * sizes[1], kernel_sizes[0] * kernel_sizes[1]));
        let along = |axis: usize| self.along(sizes[axis], kernel_sizes[axis]);
        let (rows, columns) = (along(0), along(1));
        let mut result = vec![];
        for row in &rows {
            for column in &columns {
                let mut sum = BigInt::ZERO;
                for &(i, y) in row {
                    for &(j, x) in column {
                        sum += BigInt::from(kernel[i * kernel_sizes[1] + j]) * array[y * sizes[1] + x];
                    }
                }
                result.push(sum);
            }
        }
        result
    }

    /// For every element along an axis, the places in kernel and array whose products it sums up.
    fn along(&self, n: usize, m: usize) -> Vec<Vec<(usize, usize)>> {
        let (long, wide) = (n as isize, m as isize);
        let centre = wide / 2;
        let (count, shift) = match self.extent {
            "same" if self.correlate => (long, -centre),
            "same" => (long, centre),
            "full" if self.correlate => (long + wide - 1, 1 - wide),
            "full" => (long + wide - 1, 0),
            // The longer one holds the shorter one; where that is the kernel, the array's last element meets its front.
            "valid" if self.correlate => ((long - wide).abs() + 1, long.min(wide) - wide),
            "valid" => ((long - wide).abs() + 1, long.min(wide) - 1),
            other => panic!("extent {other}"),
        };
        let pairs = |i: isize| {
            (0..wide).filter_map(move |j| {
                let at = if self.correlate { i + shift + j } else { i + shift - j };
                Some((j as usize, self.fold(at, long)?))
            })
        };
        (0..count).map(|i| pairs(i).collect()).collect()
    }

    /// Step by step back into the array.
    fn fold(&self, mut at: isize, len: isize) -> Option<usize> {
        while at < 0 || at >= len {
            at = match (self.boundary, at < 0) {
                ("zero", _) => return None,
                ("wrap", true) => at + len,
                ("wrap", false) => at - len,
                ("reflect", true) => -1 - at,
                ("reflect", false) => 2 * len - 1 - at,
                ("nearest", true) => 0,
                ("nearest", false) => len - 1,
                (other, _) => panic!("boundary {other}"),
            };
        }
        Some(at as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `scipy.ndimage` and NumPy tell.
    #[test]
    fn as_others_say() {
        let told = |boundary, extent, correlate, array: &[i128], kernel: &[i128]| -> Vec<i64> {
            let what = Convolution { boundary, extent, correlate };
            let sums = what.of(array, [1, array.len()], kernel, [1, kernel.len()]);
            sums.iter().map(|sum| sum.try_into().unwrap()).collect()
        };
        let (array, kernel) = ([1, 2, 4, 8], [1, 10, 100, 1000]);
        assert_eq!(told("zero", "full", false, &array, &kernel), [1, 12, 124, 1248, 2480, 4800, 8000]);
        assert_eq!(told("zero", "same", false, &array, &kernel), [124, 1248, 2480, 4800]);
        assert_eq!(told("zero", "same", true, &array, &kernel), [2100, 4210, 8421, 842]);
        assert_eq!(told("zero", "valid", false, &array, &kernel[..2]), [12, 24, 48]);
        assert_eq!(told("zero", "valid", false, &kernel[..2], &array), [12, 24, 48]);
        assert_eq!(told("nearest", "same", false, &array, &kernel[..3]), [112, 124, 248, 488]);
        assert_eq!(told("reflect", "same", false, &array[..2], &kernel), [1122, 1221]);
        assert_eq!(told("wrap", "same", false, &array[..2], &[1; 5]), [7, 8]);
        assert_eq!(told("reflect", "same", true, &array, &kernel), [2112, 4211, 8421, 8842]);
        let what = Convolution { boundary: "wrap", extent: "same", correlate: false };
        let sums = what.of(&[1, 2, 3, 4], [2, 2], &[1, 10, 100, 1000, 10_000, 100_000], [2, 3]);
        assert_eq!(sums, [212_434, 121_343, 434_212, 343_121].map(BigInt::from));
    }
}
