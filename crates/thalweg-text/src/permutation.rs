//! Moving an array by a permutation: a scatter to random places, which are asked for ahead of time.
#![allow(unsafe_code)]

use thalweg_core::memory::try_with_large_capacity;
use thalweg_core::parallel::for_each_chunk;
use thalweg_core::primitives::disjoint::Disjoint;
use thalweg_core::simd::prefetch_line;
use thalweg_core::{Position, Result};

/// Elements that a task handles.
pub(crate) const GRAIN: usize = 1 << 16;

/// How far ahead random places are asked for. Not measured closely: 16 to 64 did about the same.
pub(crate) const AHEAD: usize = 32;

/// `out[place(i)] = value(i)` for all of `0..len`, where `place` is a permutation of as many places.
///
/// # Safety
/// `place` is a permutation of `0..len`.
pub(crate) unsafe fn scatter<V: Copy + Send + Sync>(
    len: usize,
    what: &'static str,
    place: impl Fn(usize) -> usize + Sync,
    value: impl Fn(usize) -> V + Sync,
) -> Result<Vec<V>> {
    let mut out = try_with_large_capacity::<V>(len, what)?;
    let spare = &mut out.spare_capacity_mut()[..len];
    let shared = Disjoint::uninit(spare);
    for_each_chunk(len, GRAIN, &|range| {
        let end = range.end;
        for i in range {
            if i + AHEAD < end {
                prefetch_line(shared.as_ptr().wrapping_add(place(i + AHEAD)));
            }
            // SAFETY: a place of a permutation is inside, and nobody else's.
            unsafe { shared.put(place(i), value(i)) };
        }
    });
    // SAFETY: a permutation reaches every place.
    unsafe { out.set_len(len) };
    Ok(out)
}

/// The inverse of a permutation: where every position stands in it.
///
/// # Safety
/// It is a permutation of the positions below its length.
pub(crate) unsafe fn inverse<P: Position>(permutation: &[P]) -> Result<Vec<P>> {
    // SAFETY: the caller's promise.
    unsafe { scatter(permutation.len(), "the inverse suffix array", |rank| permutation[rank].get(), P::new) }
}
