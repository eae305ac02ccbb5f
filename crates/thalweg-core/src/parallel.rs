//! Work for all threads, without a copy of the thread pool's machinery for every caller.
//!
//! Rayon's iterators are generic: `par_chunks(..).zip(..).for_each(closure)` compiles splitting, joining and stealing
//! again for every closure and every element type, some thousand lines each. An engine that is compiled for four widths
//! and three instruction sets pays for that twelve times, and gains nothing: a task is some 100 µs of work, and a call
//! through a pointer is a nanosecond. So the functions here take the work as `&dyn Fn` on a *range* of positions, are
//! compiled once, and leave the loop over the elements, which is what must be fast, to the caller.
//!
//! All of them run on the current rayon pool, and cut at multiples of the chunk, whatever the number of threads. A panic
//! of the work reaches the caller.
//!
//! What is made anew, element by element, is made by [`memory::computed`](crate::memory::computed).
//!
//! ```
//! use thalweg_core::parallel::{for_each_chunk_mut, try_for_each_chunk};
//! let mut squares = [0; 1000];
//! for_each_chunk_mut(&mut squares, 256, &|start, squares| {
//!     for (i, square) in (start..).zip(squares) {
//!         *square = i * i;
//!     }
//! });
//! assert!(try_for_each_chunk(1000, 256, &|mut range| range.all(|i| squares[i] == i * i)));
//! ```
#![allow(unsafe_code)]

use std::ops::Range;

use rayon::prelude::*;

use crate::disjoint::Disjoint;

/// Where chunk `index` of `len` elements lies, in chunks of `chunk` elements.
pub const fn chunk_range(index: usize, chunk: usize, len: usize) -> Range<usize> {
    let start = index * chunk;
    start..if len - start < chunk { len } else { start + chunk }
}

/// Runs `work` for the ranges of `0..len`, each of `chunk` positions but the last.
///
/// # Panics
/// If `chunk` is 0, as everything here; and if the work does.
pub fn for_each_chunk(len: usize, chunk: usize, work: &(dyn Fn(Range<usize>) + Sync)) {
    if len <= chunk {
        // One task needs no pool, and waking one from outside takes microseconds.
        return if len > 0 {
            work(0..len)
        };
    }
    (0..len.div_ceil(chunk)).into_par_iter().for_each(|index| work(chunk_range(index, chunk, len)));
}

/// Runs `work` as [`for_each_chunk`] until it fails, that is, returns `false`; whether it never did. After a failure
/// ranges that have not begun may be left out.
#[must_use]
pub fn try_for_each_chunk(len: usize, chunk: usize, work: &(dyn Fn(Range<usize>) -> bool + Sync)) -> bool {
    if len <= chunk {
        return len == 0 || work(0..len);
    }
    (0..len.div_ceil(chunk)).into_par_iter().all(|index| work(chunk_range(index, chunk, len)))
}

/// What `find` finds in the leftmost range in which it finds something. Ranges to the right of it may be left out.
pub fn find_first(len: usize, chunk: usize, find: &(dyn Fn(Range<usize>) -> Option<usize> + Sync)) -> Option<usize> {
    if len <= chunk {
        return if len > 0 { find(0..len) } else { None };
    }
    (0..len.div_ceil(chunk)).into_par_iter().find_map_first(|index| find(chunk_range(index, chunk, len)))
}

/// The sum of what `count` says of all ranges.
pub fn sum(len: usize, chunk: usize, count: &(dyn Fn(Range<usize>) -> usize + Sync)) -> usize {
    if len <= chunk {
        return if len > 0 { count(0..len) } else { 0 };
    }
    (0..len.div_ceil(chunk)).into_par_iter().map(|index| count(chunk_range(index, chunk, len))).sum()
}

/// Runs `work` for the pieces of a slice, each of `chunk` elements but the last. It gets the position of the first
/// element and the elements.
pub fn for_each_chunk_mut<T: Send>(values: &mut [T], chunk: usize, work: &(dyn Fn(usize, &mut [T]) + Sync)) {
    let values = Disjoint::new(values);
    // SAFETY: inside, and ranges do not overlap.
    for_each_chunk(values.len(), chunk, &|range| work(range.start, unsafe { values.slice_mut(range) }));
}

/// Runs `work` as [`for_each_chunk_mut`] until it fails, that is, returns `false`; whether it never did.
#[must_use]
pub fn try_for_each_chunk_mut<T: Send>(
    values: &mut [T],
    chunk: usize,
    work: &(dyn Fn(usize, &mut [T]) -> bool + Sync),
) -> bool {
    let values = Disjoint::new(values);
    // SAFETY: inside, and ranges do not overlap.
    try_for_each_chunk(values.len(), chunk, &|range| work(range.start, unsafe { values.slice_mut(range) }))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    const LENGTHS: [usize; 8] = [0, 1, 9, 10, 11, 100, 1001, 12_345];

    #[test]
    fn chunks_cover_everything_once() {
        for len in LENGTHS {
            let covered: Vec<usize> = (0..len.div_ceil(10)).flat_map(|i| chunk_range(i, 10, len)).collect();
            assert!(covered.into_iter().eq(0..len));
            let seen: Vec<AtomicUsize> = (0..len).map(|_| AtomicUsize::new(0)).collect();
            for_each_chunk(len, 10, &|range| {
                assert!(range.start % 10 == 0 && range.len() <= 10);
                seen[range].iter().for_each(|count| _ = count.fetch_add(1, Ordering::Relaxed));
            });
            assert!(seen.into_iter().all(|count| count.into_inner() == 1));
            assert_eq!(sum(len, 10, &|range| range.len()), len);
        }
    }

    #[test]
    fn failures_are_told_and_the_leftmost_find_wins() {
        for len in LENGTHS {
            assert!(try_for_each_chunk(len, 10, &|_| true));
            for bad in (0..len).step_by(len / 7 + 1) {
                assert!(!try_for_each_chunk(len, 10, &|range| !range.contains(&bad)));
                assert_eq!(find_first(len, 10, &|mut range| range.find(|&i| i >= bad)), Some(bad));
            }
            assert_eq!(find_first(len, 10, &|_| None), None);
        }
    }

    #[test]
    fn pieces_are_a_tasks_own() {
        for len in LENGTHS {
            let mut values = vec![0; len];
            for_each_chunk_mut(&mut values, 10, &|start, piece| {
                (start..).zip(piece).for_each(|(i, value)| *value = i);
            });
            assert!(values.iter().copied().eq(0..len));
            assert!(try_for_each_chunk_mut(&mut values, 10, &|start, piece| {
                (start..).zip(piece).all(|(i, value)| *value == i)
            }));
            assert_eq!(try_for_each_chunk_mut(&mut values, 10, &|_, piece| piece.len() > 10), len == 0);
        }
    }
}
