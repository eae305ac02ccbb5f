//! What engines work on.

use std::borrow::Cow;

use super::extended::Extended;
use super::tiling::Tiling;
use crate::Float;
use crate::float::largest;

/// A convolution, always in two dimensions: `out[i] = sum window[j] * array[first + i + j]`.
#[derive(Debug)]
pub(super) struct Problem<'a, T: Float> {
    pub(super) array: Extended<'a, T>,
    /// The kernel as a correlation takes it.
    pub(super) window: Cow<'a, [T]>,
    pub(super) window_size: [usize; 2],
    pub(super) first: [isize; 2],
    /// Of the result.
    pub(super) size: [usize; 2],
}

impl<T: Float> Problem<'_, T> {
    /// Whether all numbers are finite, and all sums that transforms make of them.
    pub(super) fn can_be_transformed(&self) -> bool {
        let [rows, columns] = Tiling::new(self.size, self.window_size).size;
        let len = rows as f64 * columns as f64;
        let sums = [self.array.values, &self.window].map(|values| largest(values) * len);
        sums[0].max(sums[1]) < T::MOST && sums[0] * sums[1] < T::MOST
    }
}
