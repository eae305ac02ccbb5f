//! Compaction: the elements that pass a test, in order, without gaps.
//!
//! Work O(n), every element is tested once; span O(block + n / block). A block's survivors are packed into a buffer
//! in the cache, and copied to their places when the number of survivors before them is known (see `chained.rs`).
//! BSGP's `compact` (Hou et al. 2008), whose ranks come from a scan of the flags (Sengupta et al. 2007), in one pass.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;
use std::ops::Range;

use super::chained::{block_len, chained, workers};
use super::pack::{FLAGS, pack};
use super::stream::{fence, should_stream, stream_copy};
use crate::disjoint::{Disjoint, filled};
use crate::error::try_with_capacity;
use crate::memory::try_with_large_capacity;
use crate::parallel::chunk_range;
use crate::{Error, Position, Positions, Result};

/// The elements for which `keep` is true, in their order.
///
/// `keep` is called once for every element, in any order, on any thread. It may panic, but must not wait for other
/// tasks of the thread pool.
///
/// Work O(n), span O(block + n / block). Extra memory: room for all elements is reserved (the system provides it only
/// as far as it is used), and one block per thread.
///
/// ```
/// # use thalweg_core as thalweg;
/// use thalweg::primitives::compact;
/// assert_eq!(compact(&[5, -2, 7, -1], |&x| x > 0)?, [5, 7]);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn compact<T: Copy + Send + Sync>(values: &[T], keep: impl Fn(&T) -> bool + Sync) -> Result<Vec<T>> {
    let mut out = try_with_large_capacity(values.len(), "compaction")?;
    let place = Disjoint::uninit(&mut out.spare_capacity_mut()[..values.len()]);
    let kept = pack_blocks(values.len(), block_len(size_of::<T>()), place, |range, scratch| {
        pack_kept(&values[range], scratch, &keep)
    })?;
    // SAFETY: as many elements have been written.
    unsafe { out.set_len(kept) };
    Ok(out)
}

/// [`compact`] by position: the elements at the positions for which `keep` is true, such as those that have a flag.
///
/// ```
/// # use thalweg_core as thalweg;
/// let flags = [true, false, true];
/// assert_eq!(thalweg::primitives::compact_where(&[5, 6, 7], |i| flags[i])?, [5, 7]);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn compact_where<T: Copy + Send + Sync>(values: &[T], keep: impl Fn(usize) -> bool + Sync) -> Result<Vec<T>> {
    let mut out = try_with_large_capacity(values.len(), "compaction")?;
    let place = Disjoint::uninit(&mut out.spare_capacity_mut()[..values.len()]);
    let kept = pack_blocks(values.len(), block_len(size_of::<T>()), place, |range, scratch| {
        pack(&values[range.clone()], scratch, |i| keep(range.start + i))
    })?;
    // SAFETY: as many elements have been written.
    unsafe { out.set_len(kept) };
    Ok(out)
}

/// [`compact`] into the front of a buffer; returns how many elements there are.
///
/// The buffer may be shorter than the input; if it cannot hold the survivors, the error tells how many there are, and
/// what the buffer holds is unspecified.
///
/// ```
/// # use thalweg_core as thalweg;
/// let mut out = [0; 3];
/// let kept = thalweg::primitives::compact_into(&[5, -2, 7, -1], &mut out, |&x| x > 0)?;
/// assert_eq!(out[..kept], [5, 7]);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn compact_into<T: Copy + Send + Sync>(
    values: &[T],
    out: &mut [T],
    keep: impl Fn(&T) -> bool + Sync,
) -> Result<usize> {
    pack_blocks(values.len(), block_len(size_of::<T>()), Disjoint::new(out), |range, scratch| {
        pack_kept(&values[range], scratch, &keep)
    })
}

/// [`compact`] that removes the other elements from a vector. If `keep` panics, the elements' values are unspecified.
///
/// Extra memory: one block per thread.
///
/// ```
/// # use thalweg_core as thalweg;
/// let mut values = vec![5, -2, 7, -1];
/// thalweg::primitives::compact_in_place(&mut values, |&x| x > 0)?;
/// assert_eq!(values, [5, 7]);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn compact_in_place<T: Copy + Send + Sync>(values: &mut Vec<T>, keep: impl Fn(&T) -> bool + Sync) -> Result<()> {
    compact_in_place_by(values, |_, values, scratch| pack_kept(values, scratch, &keep))
}

/// The positions of the elements for which `keep` is true, ascending.
///
/// See [`compact`] for work and memory.
///
/// ```
/// # use thalweg_core as thalweg;
/// use thalweg::primitives::compact_indices;
/// let positions = compact_indices(&[true, false, true], |&flag| flag)?;
/// assert_eq!(positions.as_u32(), Some(&[0, 2][..]));
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn compact_indices<T: Sync>(values: &[T], keep: impl Fn(&T) -> bool + Sync) -> Result<Positions> {
    if u32::fits(values.len()) {
        Ok(Positions::U32(indices_to_vec(values, keep)?))
    } else {
        Ok(Positions::U64(indices_to_vec(values, keep)?))
    }
}

/// [`compact_indices`] into the front of a buffer of either width; returns how many positions there are.
///
/// The buffer may be shorter than the input, as in [`compact_into`].
///
/// ```
/// # use thalweg_core as thalweg;
/// let mut positions = [0u64; 2];
/// let kept = thalweg::primitives::compact_indices_into(&[4, 0, 6], &mut positions, |&x| x > 0)?;
/// assert_eq!(positions[..kept], [0, 2]);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn compact_indices_into<T: Sync, P: Position>(
    values: &[T],
    out: &mut [P],
    keep: impl Fn(&T) -> bool + Sync,
) -> Result<usize> {
    if !P::fits(values.len()) {
        return Err(Error::Width { len: values.len(), got: P::NAME });
    }
    // SAFETY: the positions asked for are below the number of values.
    pack_indices(values.len(), size_of::<T>(), Disjoint::new(out), |i| keep(unsafe { values.get_unchecked(i) }))
}

fn indices_to_vec<T: Sync, P: Position>(values: &[T], keep: impl Fn(&T) -> bool + Sync) -> Result<Vec<P>> {
    // SAFETY: the positions asked for are below the number of values.
    positions_where(values.len(), |i| keep(unsafe { values.get_unchecked(i) }))
}

/// The positions below `len` that pass a test, in order.
pub fn positions_where<P: Position>(len: usize, keep: impl Fn(usize) -> bool + Sync) -> Result<Vec<P>> {
    let mut out = try_with_large_capacity(len, "positions of a compaction")?;
    let place = Disjoint::uninit(&mut out.spare_capacity_mut()[..len]);
    let kept = pack_indices(len, size_of::<P>(), place, keep)?;
    // SAFETY: as many elements have been written.
    unsafe { out.set_len(kept) };
    Ok(out)
}

/// Writes the positions below `len` that pass a test, which reads elements of `bytes` bytes. It gets no others.
fn pack_indices<P: Position>(
    len: usize,
    bytes: usize,
    out: Disjoint<'_, P>,
    keep: impl Fn(usize) -> bool + Sync,
) -> Result<usize> {
    pack_blocks(len, block_len(bytes.max(size_of::<P>())), out, |range, scratch| {
        let mut positions = [P::default(); FLAGS];
        let mut kept = 0;
        for start in range.clone().step_by(FLAGS) {
            let positions = &mut positions[..FLAGS.min(range.end - start)];
            for (i, position) in positions.iter_mut().enumerate() {
                *position = P::new(start + i);
            }
            // `pack` asks for positions of `positions` only.
            kept += pack(positions, &mut scratch[kept..], |i| keep(start + i));
        }
        kept
    })
}

/// Compacts an array in place; `pack_block` gets a block's positions, its elements and a buffer for the survivors.
///
/// The survivors of a block go to places of blocks up to itself, and these have all been loaded when a block is
/// finished: nothing is overwritten before it has been read.
pub(super) fn compact_in_place_by<T: Copy + Send + Sync>(
    values: &mut Vec<T>,
    pack_block: impl Fn(Range<usize>, &[T], &mut [MaybeUninit<T>]) -> usize + Sync,
) -> Result<()> {
    let len = values.len();
    let array = Disjoint::new(values);
    let kept = pack_blocks(len, block_len(size_of::<T>()), array, |range, scratch| {
        // SAFETY: inside the array; blocks that are finished meanwhile are earlier ones and write to places before
        // this block, for they cannot have more survivors than elements.
        pack_block(range.clone(), unsafe { array.read(range) }, scratch)
    })?;
    values.truncate(kept);
    Ok(())
}

/// The chain of blocks: load = survivors into the buffer of the thread, carry = number of survivors before.
///
/// `pack_block` puts the survivors of a range of the input to the front of the buffer, which has the range's length, and
/// returns their number.
fn pack_blocks<T: Copy + Send>(
    len: usize,
    block: usize,
    out: Disjoint<'_, T>,
    pack_block: impl Fn(Range<usize>, &mut [MaybeUninit<T>]) -> usize + Sync,
) -> Result<usize> {
    let blocks = len.div_ceil(block);
    let stream = should_stream(size_of::<T>() * out.len().min(len));
    let kept = chained(
        &mut buffers(workers(blocks), block.min(len))?,
        blocks,
        0,
        |buffer, index| {
            let range = chunk_range(index, block, len);
            let count = range.len();
            pack_block(range, &mut buffer.spare_capacity_mut()[..count])
        },
        |before, count| before + count,
        |buffer, _, count, before| {
            if before + count > out.len() {
                return;
            }
            // SAFETY: `pack_block` has filled that many elements; the places between two carries belong to one block.
            unsafe {
                let survivors = filled(&buffer.spare_capacity_mut()[..count]);
                if stream {
                    stream_copy(survivors.as_ptr(), out.as_ptr().add(before), count);
                    fence();
                } else {
                    out.copy_from(before, survivors);
                }
            }
        },
    );
    if kept > out.len() {
        return Err(Error::Length { what: "compaction output", expected: kept, got: out.len() });
    }
    Ok(kept)
}

/// Empty vectors with room for `len` elements, one for every thread.
pub(super) fn buffers<T>(threads: usize, len: usize) -> Result<Vec<Vec<T>>> {
    let mut buffers = try_with_capacity(threads, "buffers of the threads")?;
    for _ in 0..threads {
        buffers.push(try_with_capacity(len, "buffer of a thread")?);
    }
    Ok(buffers)
}

/// Those of `values` for which `keep` is true, to the front of `out`.
fn pack_kept<T: Copy>(values: &[T], out: &mut [MaybeUninit<T>], keep: &impl Fn(&T) -> bool) -> usize {
    // SAFETY: `pack` asks for positions of `values` only. A check would keep the tests from being vectorised.
    pack(values, out, |i| keep(unsafe { values.get_unchecked(i) }))
}
