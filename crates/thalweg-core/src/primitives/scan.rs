//! Scans: all running totals of an array.
//!
//! Work O(n), at most 2n + O(n / block) calls of the operation; span O(block + n / block); main memory is read once and
//! written once (see `chained.rs`). BSGP's `scan` (Hou et al. 2008) after Sengupta et al. 2007 and Chatterjee et al.
//! 1990, as a single pass.
#![allow(unsafe_code)]

use super::chained::{block_len, chained, workers};
use super::segments::Totals;
use crate::Result;
use crate::disjoint::Disjoint;
use crate::error::expect_len;
use crate::memory::try_with_large_capacity;
use crate::parallel::chunk_range;

/// Inclusive scan: element `i` of the result combines the elements `0..=i`.
///
/// The operation must be associative, but need not be commutative: operands stay in order, starting with `identity`.
/// Brackets depend on the length only, so even sums of floats are the same on any number of threads. The operation may
/// panic, but must not wait for other tasks of the thread pool.
///
/// Work O(n), span O(block + n / block), no extra memory but the result.
///
/// ```
/// # use thalweg_core as thalweg;
/// use thalweg::primitives::inclusive_scan;
/// assert_eq!(inclusive_scan(&[3, 1, 4, 1], 0, |a, b| a + b)?, [3, 4, 8, 9]);
/// assert_eq!(inclusive_scan(&[3, 1, 4, 1], i32::MIN, i32::max)?, [3, 3, 4, 4]);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn inclusive_scan<T: Copy + Send + Sync>(
    values: &[T],
    identity: T,
    op: impl Fn(T, T) -> T + Sync,
) -> Result<Vec<T>> {
    Ok(scan_to_vec::<_, _, true>(values, 0, identity, &|x| x, &op)?.0)
}

/// [`inclusive_scan`] into a buffer of the same length.
///
/// ```
/// # use thalweg_core as thalweg;
/// let mut sums = [0; 3];
/// thalweg::primitives::inclusive_scan_into(&[1, 2, 3], &mut sums, 0, |a, b| a + b)?;
/// assert_eq!(sums, [1, 3, 6]);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn inclusive_scan_into<T: Copy + Send + Sync>(
    values: &[T],
    out: &mut [T],
    identity: T,
    op: impl Fn(T, T) -> T + Sync,
) -> Result<()> {
    expect_len("scan output", out.len(), values.len())?;
    // SAFETY: two slices of the same length, one of them exclusive.
    unsafe { scan::<_, _, true>(values.as_ptr(), Disjoint::new(out), identity, &|x| x, &op) };
    Ok(())
}

/// [`inclusive_scan_into`] of elements that are converted first: sums of 32-bit numbers in 64 bits, say, in one pass.
///
/// ```
/// # use thalweg_core as thalweg;
/// let mut sums = [0u64; 3];
/// thalweg::primitives::inclusive_scan_by(&[200u8, 100, 50], &mut sums, 0, u64::from, |a, b| a + b)?;
/// assert_eq!(sums, [200, 300, 350]);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn inclusive_scan_by<S: Copy + Sync, T: Copy + Send + Sync>(
    values: &[S],
    out: &mut [T],
    identity: T,
    map: impl Fn(S) -> T + Sync,
    op: impl Fn(T, T) -> T + Sync,
) -> Result<()> {
    expect_len("scan output", out.len(), values.len())?;
    // SAFETY: two slices of the same length, one of them exclusive.
    unsafe { scan::<_, _, true>(values.as_ptr(), Disjoint::new(out), identity, &map, &op) };
    Ok(())
}

/// [`inclusive_scan`] that replaces the elements. If the operation panics, some elements may have been replaced.
///
/// ```
/// # use thalweg_core as thalweg;
/// let mut values = [1, 2, 3];
/// thalweg::primitives::inclusive_scan_in_place(&mut values, 0, |a, b| a + b);
/// assert_eq!(values, [1, 3, 6]);
/// ```
pub fn inclusive_scan_in_place<T: Copy + Send + Sync>(values: &mut [T], identity: T, op: impl Fn(T, T) -> T + Sync) {
    scan_in_place::<_, true>(values, identity, &op);
}

/// Exclusive scan: element `i` of the result combines `identity` and the elements `0..i`. Also returns the total.
///
/// See [`inclusive_scan`] for the operation, order, work and memory.
///
/// ```
/// # use thalweg_core as thalweg;
/// use thalweg::primitives::exclusive_scan;
/// let (starts, total) = exclusive_scan(&[3, 1, 4, 1], 0, |a, b| a + b)?;
/// assert_eq!((starts, total), (vec![0, 3, 4, 8], 9));
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn exclusive_scan<T: Copy + Send + Sync>(
    values: &[T],
    identity: T,
    op: impl Fn(T, T) -> T + Sync,
) -> Result<(Vec<T>, T)> {
    scan_to_vec::<_, _, false>(values, 0, identity, &|x| x, &op)
}

/// [`exclusive_scan`] into a buffer of the same length; returns the total.
///
/// ```
/// # use thalweg_core as thalweg;
/// let mut starts = [0; 3];
/// let total = thalweg::primitives::exclusive_scan_into(&[1, 2, 3], &mut starts, 0, |a, b| a + b)?;
/// assert_eq!((starts, total), ([0, 1, 3], 6));
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn exclusive_scan_into<T: Copy + Send + Sync>(
    values: &[T],
    out: &mut [T],
    identity: T,
    op: impl Fn(T, T) -> T + Sync,
) -> Result<T> {
    expect_len("scan output", out.len(), values.len())?;
    // SAFETY: two slices of the same length, one of them exclusive.
    Ok(unsafe { scan::<_, _, false>(values.as_ptr(), Disjoint::new(out), identity, &|x| x, &op) })
}

/// [`exclusive_scan`] that replaces the elements; returns the total. If the operation panics, some elements may have
/// been replaced.
///
/// ```
/// # use thalweg_core as thalweg;
/// let mut counts = [1, 2, 3];
/// let total = thalweg::primitives::exclusive_scan_in_place(&mut counts, 0, |a, b| a + b);
/// assert_eq!((counts, total), ([0, 1, 3], 6));
/// ```
pub fn exclusive_scan_in_place<T: Copy + Send + Sync>(
    values: &mut [T],
    identity: T,
    op: impl Fn(T, T) -> T + Sync,
) -> T {
    scan_in_place::<_, false>(values, identity, &op)
}

/// A scan of elements that are converted first, into a new vector with room for `more` elements. Also returns the
/// total.
pub(super) fn scan_to_vec<S: Copy + Sync, T: Copy + Send + Sync, const INCLUSIVE: bool>(
    values: &[S],
    more: usize,
    identity: T,
    map: &(impl Fn(S) -> T + Sync),
    op: &(impl Fn(T, T) -> T + Sync),
) -> Result<(Vec<T>, T)> {
    let mut out = try_with_large_capacity(values.len() + more, "scan")?;
    let place = Disjoint::uninit(&mut out.spare_capacity_mut()[..values.len()]);
    // SAFETY: two buffers of the same length, one of them exclusive.
    let total = unsafe { scan::<_, _, INCLUSIVE>(values.as_ptr(), place, identity, map, op) };
    // SAFETY: the scan has written every element.
    unsafe { out.set_len(values.len()) };
    Ok((out, total))
}

/// A scan that replaces the elements.
fn scan_in_place<T: Copy + Send + Sync, const INCLUSIVE: bool>(
    values: &mut [T],
    identity: T,
    op: &(impl Fn(T, T) -> T + Sync),
) -> T {
    let values = Disjoint::new(values);
    // SAFETY: source and output are the same exclusive slice.
    unsafe { scan::<_, _, INCLUSIVE>(values.as_ptr(), values, identity, &|x| x, op) }
}

/// The chain of blocks: load = totals of the segments, carry = everything before.
///
/// Results are written as usual. Collecting them in the cache and writing them past it was tried: on 2^25 and 2^26
/// `u32` it took 1 to 12 % longer, on one and on two threads, because the collecting costs more than the lines that
/// need not be read. (Where many cores share little bandwidth it may pay: not measured.)
///
/// # Safety
/// `source` points to as many initialised elements as `out` has places, which nobody else writes to; it may point to
/// those very places.
unsafe fn scan<S: Copy + Sync, T: Copy + Send + Sync, const INCLUSIVE: bool>(
    source: *const S,
    out: Disjoint<'_, T>,
    identity: T,
    map: &(impl Fn(S) -> T + Sync),
    op: &(impl Fn(T, T) -> T + Sync),
) -> T {
    /// A pointer that tasks may share.
    struct Source<S>(*const S);
    // SAFETY: it is used to read elements that nobody else writes to, and `S` is `Sync`.
    unsafe impl<S: Sync> Sync for Source<S> {}
    impl<S> Source<S> {
        fn at(&self, i: usize) -> *const S {
            self.0.wrapping_add(i)
        }
    }
    let source = Source(source);

    let len = out.len();
    let block = block_len(size_of::<S>());
    let blocks = len.div_ceil(block);
    chained(
        &mut vec![(); workers(blocks)],
        blocks,
        identity,
        |_, index| {
            let range = chunk_range(index, block, len);
            // SAFETY: initialised, and this block's places are written by this task only, later.
            let values = unsafe { std::slice::from_raw_parts(source.at(range.start), range.len()) };
            Totals::of(values, map, op)
        },
        |carry, totals| op(carry, totals.total()),
        |_, index, totals, carry| {
            let range = chunk_range(index, block, len);
            // SAFETY: as above; the slice of the load is gone.
            unsafe {
                let place = (source.at(range.start), out.as_ptr().add(range.start), range.len());
                totals.scan::<S, INCLUSIVE>(place, carry, map, op);
            }
        },
    )
}
