//! The pass over all points.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx512;

use thalweg_core::Result;
use thalweg_core::disjoint::Disjoint;
use thalweg_core::memory::{computed, try_with_large_capacity};
use thalweg_core::parallel::{chunk_range, for_each_chunk};
#[cfg(target_arch = "x86_64")]
use thalweg_core::simd::{Level, level};

use super::Slabs;
use crate::number::Load;

/// Points of a task: their kept positions fit into a buffer in the second-level cache.
const BLOCK: usize = 1 << 14;

/// The positions of all points that are not known to be inside, in increasing order. Points that are not finite are among
/// them.
pub(super) fn survivors<T: Load>(points: &[[T; 2]], slabs: &Slabs) -> Result<Vec<u64>> {
    let len = points.len();
    let blocks = computed(len.div_ceil(BLOCK), 1, "survivors", |block| {
        let mut kept = vec![0u32; BLOCK];
        let count = keep(&points[chunk_range(block, BLOCK, len)], slabs, &mut kept);
        kept[..count].to_vec()
    })?;
    let mut ends = Vec::with_capacity(blocks.len());
    let mut total = 0;
    for block in &blocks {
        total += block.len();
        ends.push(total);
    }
    let mut survivors = try_with_large_capacity(total, "survivors")?;
    let place = Disjoint::uninit(&mut survivors.spare_capacity_mut()[..total]);
    for_each_chunk(blocks.len(), 16, &|range| {
        for block in range {
            // SAFETY: inside, and blocks do not overlap.
            let out = unsafe { place.slice(ends[block] - blocks[block].len()..ends[block]) };
            for (out, &offset) in out.iter_mut().zip(&blocks[block]) {
                out.write((block * BLOCK) as u64 + u64::from(offset));
            }
        }
    });
    // SAFETY: the blocks cover all of it.
    unsafe { survivors.set_len(total) };
    Ok(survivors)
}

/// Writes the positions of the points that are to be kept to the front of `out`, which is as long at least; how many.
fn keep<T: Load>(points: &[[T; 2]], slabs: &Slabs, out: &mut [u32]) -> usize {
    assert!(points.len() <= out.len());
    #[cfg(target_arch = "x86_64")]
    if level() == Level::Avx512 {
        // SAFETY: the level has seen every feature that the function is compiled with.
        let (seen, kept) = unsafe { avx512::keep(points, slabs, out) };
        return keep_from(points, seen, slabs, out, kept);
    }
    keep_from(points, 0, slabs, out, 0)
}

/// The plain loop: adds the positions from `start` on to the `kept` that are there. (With AVX2 it was no faster.)
fn keep_from<T: Load>(points: &[[T; 2]], start: usize, slabs: &Slabs, out: &mut [u32], mut kept: usize) -> usize {
    assert!(kept <= start && points.len() <= out.len());
    let (_, _, bounds) = slabs.parts();
    for (i, point) in points.iter().enumerate().skip(start) {
        let [x, y] = point.map(T::nearest);
        // SAFETY: `slab_of` is below the number of bounds.
        let [low, high] = unsafe { *bounds.get_unchecked(slabs.slab_of(x)) };
        // SAFETY: at most one position was kept for every point before.
        unsafe { *out.get_unchecked_mut(kept) = i as u32 };
        kept += usize::from(!((low < y) & (y < high)));
    }
    kept
}
