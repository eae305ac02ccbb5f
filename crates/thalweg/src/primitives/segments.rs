//! The inner loops of reduction and scan, inside one block.
//!
//! A running total is a chain of dependent operations, and a processor that waits for each (4 cycles for a float
//! addition) leaves most of its units idle. So a block is cut into a few *segments* whose chains run side by side.
//! Segments are contiguous and combined in order: associativity is all it takes.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;

use super::stream::stream_copy;

/// Chains that run side by side: the latency of a float addition in cycles.
const SEGMENTS: usize = 4;

/// Elements of a chain that are scanned at once.
const UNROLL: usize = 8;

/// Bytes of a chain's results that are collected before they are written past the caches.
const STAGE_BYTES: usize = 4096;

/// Elements of the stage of [`Totals::scan`].
pub(super) const fn stage_len<T>() -> usize {
    let run = STAGE_BYTES / if size_of::<T>() == 0 { 1 } else { size_of::<T>() };
    SEGMENTS * if run == 0 { 1 } else { run }
}

/// Totals of the segments of a block. The last segment also has the remainder; a block too short to be cut is one.
pub(super) struct Totals<T> {
    segment: usize,
    totals: [T; SEGMENTS],
    total: T,
}

impl<T: Copy> Totals<T> {
    /// Combines the elements of `values`, which are not empty, after `map`.
    #[inline(always)]
    pub(super) fn of<S: Copy>(values: &[S], map: &impl Fn(S) -> T, op: &impl Fn(T, T) -> T) -> Self {
        let segment = values.len() / SEGMENTS;
        if segment == 0 {
            let total = values[1..].iter().fold(map(values[0]), |sum, &x| op(sum, map(x)));
            return Self { segment, totals: [total; SEGMENTS], total };
        }
        let parts: [&[S]; SEGMENTS] = std::array::from_fn(|s| &values[s * segment..][..segment]);
        let mut totals = parts.map(|part| map(part[0]));
        for i in 1..segment {
            for (total, part) in totals.iter_mut().zip(parts) {
                *total = op(*total, map(part[i]));
            }
        }
        let last = &mut totals[SEGMENTS - 1];
        *last = values[SEGMENTS * segment..].iter().fold(*last, |sum, &x| op(sum, map(x)));
        let [first, rest @ ..] = totals;
        Self { segment, totals, total: rest.into_iter().fold(first, op) }
    }

    /// All elements of the block combined.
    #[inline(always)]
    pub(super) fn total(&self) -> T {
        self.total
    }

    /// Scans the block whose totals these are: `len` elements from `source` on, into as many places from `out` on.
    /// `carry` is everything before the block.
    ///
    /// With a `stage` of [`stage_len`] elements, results are collected there and written past the caches, for which the
    /// caller must call [`fence`](super::stream::fence) in the end. Without (an empty one) they are written as usual.
    ///
    /// # Safety
    /// The elements are initialised, the places may be written, nobody else touches either meanwhile. The two may be
    /// the same memory, element by element, if there is no stage.
    #[inline(always)]
    pub(super) unsafe fn scan<S: Copy, const INCLUSIVE: bool>(
        &self,
        (source, out, len): (*const S, *mut T, usize),
        stage: &mut [MaybeUninit<T>],
        carry: T,
        map: &impl Fn(S) -> T,
        op: &impl Fn(T, T) -> T,
    ) {
        // SAFETY: the callers below pass positions inside the block, and pointers to places for the results.
        let step = |sum: &mut T, i: usize, place: *mut T| unsafe {
            debug_assert!(i < len);
            let next = op(*sum, map(*source.add(i)));
            *place = if INCLUSIVE { next } else { *sum };
            *sum = next;
        };
        let segment = self.segment;
        let mut sums = [carry; SEGMENTS];
        if segment > 0 {
            for s in 1..SEGMENTS {
                sums[s] = op(sums[s - 1], self.totals[s - 1]);
            }
        }
        let is_staged = !stage.is_empty();
        assert!(!is_staged || stage.len() == stage_len::<T>());
        let run = if is_staged { stage_len::<T>() / SEGMENTS } else { segment.max(1) };
        for start in (0..segment).step_by(run) {
            let count = run.min(segment - start);
            // SAFETY: every chain has `count` places, in the stage or in its segment, from its pointer on.
            unsafe {
                let places: [*mut T; SEGMENTS] = std::array::from_fn(|s| {
                    if is_staged { stage.as_mut_ptr().add(s * run).cast() } else { out.add(s * segment + start) }
                });
                // A few elements of a chain before the next one's turn: neighbouring stores share a cycle.
                for first in (0..count / UNROLL).map(|i| i * UNROLL) {
                    for s in 0..SEGMENTS {
                        for i in first..first + UNROLL {
                            step(&mut sums[s], s * segment + start + i, places[s].add(i));
                        }
                    }
                }
                for i in count / UNROLL * UNROLL..count {
                    for s in 0..SEGMENTS {
                        step(&mut sums[s], s * segment + start + i, places[s].add(i));
                    }
                }
                if is_staged {
                    for (s, &place) in places.iter().enumerate() {
                        stream_copy(place, out.add(s * segment + start), count);
                    }
                }
            }
        }
        for i in SEGMENTS * segment..len {
            // SAFETY: inside the block.
            step(&mut sums[SEGMENTS - 1], i, unsafe { out.add(i) });
        }
    }
}
