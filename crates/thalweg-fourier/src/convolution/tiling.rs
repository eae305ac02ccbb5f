//! The size of tiles.

use crate::good_length::good_length;

/// Elements of a tile that the second-level cache holds, with its spectrum.
const CACHED: usize = 1 << 17;
/// How much longer transforms take that it does not hold. Not measured: between the two is little.
const UNCACHED: f64 = 1.3;

/// How a result is cut into tiles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Tiling {
    /// Rows and columns that are transformed.
    pub(super) size: [usize; 2],
    /// Rows and columns of the result that a tile tells.
    pub(super) step: [usize; 2],
    /// Elements that are transformed in all, those of tiles that no cache holds counted [`UNCACHED`] times.
    pub(super) elements: f64,
}

impl Tiling {
    /// The tiles for a result of this size, and a window.
    pub(super) fn new(result: [usize; 2], window: [usize; 2]) -> Self {
        let lengths = [0, 1].map(|axis| lengths(result[axis], window[axis]));
        let sizes = lengths[0].iter().flat_map(|&rows| lengths[1].iter().map(move |&columns| [rows, columns]));
        sizes
            .map(|size| Self::of(size, result, window))
            .min_by(|a, b| a.work().total_cmp(&b.work()))
            .expect("there is one length at least")
    }

    fn of(size: [usize; 2], result: [usize; 2], window: [usize; 2]) -> Self {
        let step = [0, 1].map(|axis| (size[axis] + 1 - window[axis]).min(result[axis]));
        let tiles: f64 = (0..2).map(|axis| result[axis].div_ceil(step[axis]) as f64).product();
        let elements = size[0] as f64 * size[1] as f64;
        let factor = if elements <= CACHED as f64 { 1.0 } else { UNCACHED };
        Self { size, step, elements: elements * tiles * factor }
    }

    /// The length of a transform of all of a tile.
    pub(super) fn len(&self) -> usize {
        self.size[0].saturating_mul(self.size[1])
    }

    fn work(&self) -> f64 {
        self.elements * (self.len() as f64).log2().max(1.0)
    }
}

/// Lengths that are worth a try: all at once, and some times the window's.
fn lengths(result: usize, window: usize) -> Vec<usize> {
    let all = good_length(result.saturating_add(window - 1));
    let mut lengths = vec![all];
    let mut length = good_length(window.saturating_mul(2).max(32));
    while length < all {
        lengths.push(length);
        length = good_length(length + length / 2);
    }
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_cover_the_result() {
        for result in [[1, 1], [1, 1000], [1, 1 << 24], [40, 50], [4096, 4096], [1000, 3]] {
            for window in [[1, 1], [1, 31], [3, 3], [64, 64], [1, 5000], [2000, 1]] {
                let tiling = Tiling::new(result, window);
                for axis in 0..2 {
                    assert!(tiling.step[axis] >= 1);
                    assert!(
                        tiling.step[axis] + window[axis] - 1 <= tiling.size[axis],
                        "{result:?} {window:?} {tiling:?}"
                    );
                }
            }
        }
        // Short kernels in tiles, long ones at once.
        assert!(Tiling::new([1, 1 << 24], [1, 31]).len() <= CACHED);
        assert!(Tiling::new([4096, 4096], [31, 31]).len() <= CACHED);
        assert_eq!(Tiling::new([1000, 1000], [1000, 1000]).step, [1000, 1000]);
    }
}
