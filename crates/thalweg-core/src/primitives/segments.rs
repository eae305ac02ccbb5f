//! The inner loops of reduction and scan, inside one block.
//!
//! A running total is a chain of dependent operations, and a processor that waits for each (4 cycles for a float
//! addition) leaves most of its units idle. So a block is cut into a few *segments* whose chains run side by side.
//! Segments are contiguous and combined in order: associativity is all it takes.
#![allow(unsafe_code)]

/// Chains that run side by side: the latency of a float addition in cycles.
const SEGMENTS: usize = 4;

/// Elements of a chain that are scanned at once.
const UNROLL: usize = 8;

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
    /// # Safety
    /// The elements are initialised, the places may be written, nobody else touches either meanwhile. The two may be
    /// the same memory, element by element.
    #[inline(always)]
    pub(super) unsafe fn scan<S: Copy, const INCLUSIVE: bool>(
        &self,
        (source, out, len): (*const S, *mut T, usize),
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
        // SAFETY: chain `s` has the places of segment `s`.
        let place = |s: usize, i: usize| unsafe { out.add(s * segment + i) };
        // A few elements of a chain before the next one's turn: neighbouring stores share a cycle.
        for first in (0..segment / UNROLL).map(|i| i * UNROLL) {
            for (s, sum) in sums.iter_mut().enumerate() {
                for i in first..first + UNROLL {
                    step(sum, s * segment + i, place(s, i));
                }
            }
        }
        for i in segment / UNROLL * UNROLL..segment {
            for (s, sum) in sums.iter_mut().enumerate() {
                step(sum, s * segment + i, place(s, i));
            }
        }
        for i in SEGMENTS * segment..len {
            // SAFETY: inside the block.
            step(&mut sums[SEGMENTS - 1], i, unsafe { out.add(i) });
        }
    }
}
