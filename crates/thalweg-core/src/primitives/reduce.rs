//! Reduction: all elements combined into one.

use super::chained::block_len;
use super::segments::Totals;

/// Combines all elements, from left to right, with an associative operation; `identity` for an empty slice.
///
/// The operation need not be commutative: operands stay in order. The way the elements are bracketed depends on the
/// length only, so even sums of floats are the same on any number of threads (but not the same as a plain loop's).
///
/// Work O(n), span O(block + log n), no extra memory. BSGP's `reduce` (Hou et al. 2008). If the operation panics, so
/// does the call.
///
/// ```
/// # use thalweg_core as thalweg;
/// use thalweg::primitives::reduce;
/// assert_eq!(reduce(&[3, 1, 4, 1, 5], 0, |a, b| a + b), 14);
/// assert_eq!(reduce(&[2.5, -1.5], f64::INFINITY, f64::min), -1.5);
/// assert_eq!(reduce(&[], 7, |a: i32, b| a + b), 7);
/// ```
pub fn reduce<T: Copy + Send + Sync>(values: &[T], identity: T, op: impl Fn(T, T) -> T + Sync) -> T {
    if values.is_empty() {
        return identity;
    }
    reduce_mapped(values, block_len(size_of::<T>()), &|x| x, &op)
}

/// [`reduce`] of elements that are converted first: the sum of 32-bit numbers in 64 bits, say.
///
/// ```
/// # use thalweg_core as thalweg;
/// assert_eq!(thalweg::primitives::reduce_by(&[200u8, 100], 0, u64::from, |a, b| a + b), 300);
/// ```
pub fn reduce_by<S: Copy + Sync, T: Copy + Send>(
    values: &[S],
    identity: T,
    map: impl Fn(S) -> T + Sync,
    op: impl Fn(T, T) -> T + Sync,
) -> T {
    if values.is_empty() {
        return identity;
    }
    reduce_mapped(values, block_len(size_of::<S>()), &map, &op)
}

/// The same for a slice that is not empty, of elements that are converted first.
///
/// A tree of fixed shape: halves are cut at block boundaries, whoever runs them.
pub(super) fn reduce_mapped<S: Copy + Sync, T: Copy + Send>(
    values: &[S],
    block: usize,
    map: &(impl Fn(S) -> T + Sync),
    op: &(impl Fn(T, T) -> T + Sync),
) -> T {
    if values.len() <= block {
        return Totals::of(values, map, op).total();
    }
    let half = values.len().div_ceil(block).div_ceil(2) * block;
    let (left, right) = values.split_at(half);
    let (a, b) = rayon::join(|| reduce_mapped(left, block, map, op), || reduce_mapped(right, block, map, op));
    op(a, b)
}
