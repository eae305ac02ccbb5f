//! The size of tiles.

use crate::good_length::good_length;
use crate::rule::TILE_WORK;

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
    /// Elements that are transformed in all times the doublings of a tile's length, those of tiles that no cache holds counted
    /// [`UNCACHED`] times; and what tiles cost beside.
    pub(super) work: f64,
}

impl Tiling {
    /// The tiles for a result of this size, and a window.
    pub(super) fn new(result: [usize; 2], window: [usize; 2]) -> Self {
        let lengths = [0, 1].map(|axis| lengths(result[axis], window[axis]));
        let sizes = lengths[0].iter().flat_map(|&rows| lengths[1].iter().map(move |&columns| [rows, columns]));
        sizes
            .map(|size| Self::of(size, result, window))
            .min_by(|a, b| a.work.total_cmp(&b.work))
            .expect("there is one length at least")
    }

    fn of(size: [usize; 2], result: [usize; 2], window: [usize; 2]) -> Self {
        let step = [0, 1].map(|axis| (size[axis] + 1 - window[axis]).min(result[axis]));
        let tiles: f64 = (0..2).map(|axis| result[axis].div_ceil(step[axis]) as f64).product();
        let elements = size[0] as f64 * size[1] as f64;
        let factor = if elements <= CACHED as f64 { 1.0 } else { UNCACHED };
        let work = tiles * (elements * factor * elements.log2().max(1.0) + TILE_WORK);
        Self { size, step, work }
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
        for (result, window) in [([1, 1 << 24], [1, 31]), ([4096, 4096], [31, 31])] {
            let size = Tiling::new(result, window).size;
            assert!(size[0] * size[1] <= CACHED && size[0] * size[1] >= 1024, "{size:?}");
        }
        assert_eq!(Tiling::new([1000, 1000], [1000, 1000]).step, [1000, 1000]);
    }
}
