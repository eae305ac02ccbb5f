//! Updates of an array, those of neighbouring groups together.
#![allow(unsafe_code)]

use thalweg_core::disjoint::Disjoint;
use thalweg_core::memory::{try_with_large_capacity, zeroed};
use thalweg_core::parallel::for_each_chunk;
use thalweg_core::simd::prefetch_line;
use thalweg_core::{Position, Rank, Result};

/// Updates that one task distributes.
const DISTRIBUTED: usize = 1 << 15;
/// Updates of a bucket between asking for memory and writing to it.
pub(super) const AHEAD: usize = 64;

/// What an element becomes. Side by side, so that a bucket is one place to write to and not two.
pub(in crate::rmq) type Update<P, R> = (P, R);

/// Updates by buckets, each in the order of the batch.
pub(in crate::rmq) struct Buckets<P, R> {
    updates: Vec<Update<P, R>>,
    ends: Vec<usize>,
}

impl<P: Position, R: Rank> Buckets<P, R> {
    /// The bucket of a position is what is left of it, and of the shift before it, without so many bits.
    pub(in crate::rmq) fn new(
        positions: &[P],
        values: &[R],
        buckets: usize,
        (shift, bits): (usize, u32),
    ) -> Result<Self> {
        let bucket_of = |position: P| (position.get() + shift) >> bits;
        let (len, what) = (positions.len(), "updates in the order of their positions");
        let tasks = len.div_ceil(DISTRIBUTED);
        let mut counts = zeroed::<u64>(tasks * buckets, what)?;
        let mut updates: Vec<Update<P, R>> = try_with_large_capacity(len, what)?;
        let table = Disjoint::new(&mut counts);
        for_each_chunk(len, DISTRIBUTED, &|range| {
            let task = range.start / DISTRIBUTED;
            // SAFETY: inside, and every task has its own row.
            let row = unsafe { table.slice_mut(task * buckets..(task + 1) * buckets) };
            for &position in &positions[range] {
                row[bucket_of(position)] += 1;
            }
        });
        let (mut next, mut ends) = (0, Vec::with_capacity(buckets));
        for bucket in 0..buckets {
            for task in 0..tasks {
                let count = &mut counts[task * buckets + bucket];
                next += std::mem::replace(count, next);
            }
            ends.push(next as usize);
        }
        let (table, to) = (Disjoint::new(&mut counts), Disjoint::uninit(&mut updates.spare_capacity_mut()[..len]));
        for_each_chunk(len, DISTRIBUTED, &|range| {
            let task = range.start / DISTRIBUTED;
            // SAFETY: as above; and the counts, summed, give every update a place of its own.
            unsafe {
                let row = table.slice_mut(task * buckets..(task + 1) * buckets);
                for (&position, &bits) in positions[range.clone()].iter().zip(&values[range]) {
                    let place = &mut row[bucket_of(position)];
                    to.put(*place as usize, (position, bits));
                    *place += 1;
                }
            }
        });
        // SAFETY: every update has been put into its place, and there are as many places.
        unsafe { updates.set_len(len) };
        Ok(Self { updates, ends })
    }

    pub(in crate::rmq) fn count(&self) -> usize {
        self.ends.len()
    }

    pub(in crate::rmq) fn get(&self, bucket: usize) -> &[Update<P, R>] {
        let start = if bucket == 0 { 0 } else { self.ends[bucket - 1] };
        &self.updates[start..self.ends[bucket]]
    }
}

/// Writes the elements of a bucket, in order.
///
/// # Safety
/// The positions are inside the array, and nobody else touches these elements.
pub(in crate::rmq) unsafe fn write_all<P: Position, R: Rank>(array: Disjoint<'_, R>, updates: &[Update<P, R>]) {
    for (i, &(position, bits)) in updates.iter().enumerate() {
        if let Some((next, _)) = updates.get(i + AHEAD) {
            prefetch_line(array.as_ptr().wrapping_add(next.get()));
        }
        // SAFETY: the caller's promise.
        unsafe { array.put(position.get(), bits) };
    }
}
