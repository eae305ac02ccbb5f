//! Split: a stable partition in two, the false ones first. (`Iterator::partition` has them the other way round; here a
//! flag is a digit, and 0 comes before 1, as in a radix sort.)
//!
//! Work O(n), every element is tested once; span O(block + n / block). Where the second part begins is known only at
//! the end, so it is written backwards from the end of the output, and turned round afterwards. BSGP's `split` and
//! `thread.split` (Hou et al. 2008).
#![allow(unsafe_code)]

use std::mem::MaybeUninit;

use super::chained::{block_len, chained, workers};
use super::compact::buffers;
use crate::disjoint::{Disjoint, filled};
use crate::error::expect_len;
use crate::memory::try_with_large_capacity;
use crate::parallel::{self, chunk_range, for_each_chunk};
use crate::{Error, Position, Positions, PositionsMut, Result};

/// Elements that a task turns round or copies at once.
const GRAIN: usize = 1 << 14;

/// What [`split`] returns: the elements for which the test is false, then those for which it is true, both in their
/// order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split<T> {
    /// All elements.
    pub elements: Vec<T>,
    /// Where those begin for which the test is true; as many are those for which it is false.
    pub first_true: usize,
}

impl<T> Split<T> {
    /// The elements for which the test is false.
    pub fn falses(&self) -> &[T] {
        &self.elements[..self.first_true]
    }

    /// The elements for which the test is true.
    pub fn trues(&self) -> &[T] {
        &self.elements[self.first_true..]
    }
}

/// What [`split_ranks`] returns: where every element goes when flags are split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SplitRanks {
    /// Everybody's place.
    pub ranks: Positions,
    /// The first place of a true flag; as many are false.
    pub first_true: usize,
}

/// The elements for which `test` is false, then those for which it is true, both in their order.
///
/// `test` is called once for every element, in any order, on any thread. It may panic, but must not wait for other
/// tasks of the thread pool.
///
/// Work O(n), span O(block + n / block). Extra memory: one block per thread.
///
/// ```
/// # use thalweg_core as thalweg;
/// use thalweg::primitives::split;
/// let parity = split(&[5, 2, 7, 4, 1], |x| x % 2 == 1)?;
/// assert_eq!((parity.falses(), parity.trues()), (&[2, 4][..], &[5, 7, 1][..]));
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn split<T: Copy + Send + Sync>(values: &[T], test: impl Fn(&T) -> bool + Sync) -> Result<Split<T>> {
    split_by(values, |_, x| test(x))
}

/// [`split`] by position: the elements at the positions for which `test` is false, then those for which it is true.
///
/// ```
/// # use thalweg_core as thalweg;
/// let flags = [true, false, true];
/// let split = thalweg::primitives::split_where(&[5, 6, 7], |i| flags[i])?;
/// assert_eq!((split.falses(), split.trues()), (&[6][..], &[5, 7][..]));
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn split_where<T: Copy + Send + Sync>(values: &[T], test: impl Fn(usize) -> bool + Sync) -> Result<Split<T>> {
    split_by(values, |i, _| test(i))
}

fn split_by<T: Copy + Send + Sync>(values: &[T], test: impl Fn(usize, &T) -> bool + Sync) -> Result<Split<T>> {
    let mut out = try_with_large_capacity(values.len(), "split")?;
    let falses = split_backwards(values, Disjoint::uninit(&mut out.spare_capacity_mut()[..values.len()]), test)?;
    // SAFETY: every element has been written.
    unsafe { out.set_len(values.len()) };
    reverse(&mut out[falses..]);
    Ok(Split { elements: out, first_true: falses })
}

/// [`split`] into a buffer of the same length; returns where the elements begin for which `test` is true.
///
/// ```
/// # use thalweg_core as thalweg;
/// let mut out = [0; 4];
/// let first_large = thalweg::primitives::split_into(&[9, 1, 8, 2], &mut out, |&x| x > 5)?;
/// assert_eq!((out, first_large), ([1, 2, 9, 8], 2));
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn split_into<T: Copy + Send + Sync>(
    values: &[T],
    out: &mut [T],
    test: impl Fn(&T) -> bool + Sync,
) -> Result<usize> {
    expect_len("split output", out.len(), values.len())?;
    let falses = split_backwards(values, Disjoint::new(out), |_, x| test(x))?;
    reverse(&mut out[falses..]);
    Ok(falses)
}

/// [`split`] that rearranges the elements; returns where those begin for which `test` is true. If `test` panics, the
/// elements' values are unspecified.
///
/// Extra memory: room for all elements is reserved, but used only as far as `test` is true; one block per thread.
///
/// ```
/// # use thalweg_core as thalweg;
/// let mut values = [9, 1, 8, 2];
/// let first_large = thalweg::primitives::split_in_place(&mut values, |&x| x > 5)?;
/// assert_eq!((values, first_large), ([1, 2, 9, 8], 2));
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn split_in_place<T: Copy + Send + Sync>(values: &mut [T], test: impl Fn(&T) -> bool + Sync) -> Result<usize> {
    let len = values.len();
    let mut aside = try_with_large_capacity(len, "second part of a split")?;
    let trues_place = Disjoint::uninit(&mut aside.spare_capacity_mut()[..len]);
    let array = Disjoint::new(values);
    let block = block_len(size_of::<T>());
    let blocks = len.div_ceil(block);
    let falses = chained(
        &mut buffers(workers(blocks), block.min(len))?,
        blocks,
        0,
        |buffer, index| {
            let range = chunk_range(index, block, len);
            let count = range.len();
            // SAFETY: inside; blocks that are finished meanwhile are earlier ones and write to places before this one.
            let block = unsafe { array.read(range) };
            part(block, &mut buffer.spare_capacity_mut()[..count], &|_, x| test(x))
        },
        |before, count| before + count,
        |buffer, index, count, before| {
            let range = chunk_range(index, block, len);
            let (falses, trues) = buffer.spare_capacity_mut()[..range.len()].split_at_mut(count);
            trues.reverse();
            // SAFETY: `part` has filled the buffer. The falses go to places of blocks up to this one, which have been
            // loaded; in either output the places between two carries belong to one block.
            unsafe {
                array.copy_from(before, filled(falses));
                trues_place.copy_from(range.start - before, filled(trues));
            }
        },
    );
    // SAFETY: that many have been written.
    unsafe { aside.set_len(len - falses) };
    copy(&aside, &mut values[falses..]);
    Ok(falses)
}

/// Where every element goes when flags are split, the false ones to the front: the new ranks of BSGP's `thread.split`,
/// for moving several arrays alike.
///
/// Work O(n), span O(block + n / block), no extra memory but the result.
///
/// ```
/// # use thalweg_core as thalweg;
/// use thalweg::primitives::split_ranks;
/// let split = split_ranks(&[true, false, true, false])?;
/// assert_eq!((split.ranks.as_u32(), split.first_true), (Some(&[2, 0, 3, 1][..]), 2));
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn split_ranks(flags: &[bool]) -> Result<SplitRanks> {
    let first_true = flags.len() - count_true(flags);
    let ranks = if u32::fits(flags.len()) {
        Positions::U32(ranks_to_vec(flags, first_true)?)
    } else {
        Positions::U64(ranks_to_vec(flags, first_true)?)
    };
    Ok(SplitRanks { ranks, first_true })
}

/// [`split_ranks`] into a buffer of either width; returns the first place of a true flag.
///
/// ```
/// # use thalweg_core as thalweg;
/// let mut ranks = [0u64; 3];
/// let first_true = thalweg::primitives::split_ranks_into(&[true, false, true], &mut ranks)?;
/// assert_eq!((ranks, first_true), ([1, 0, 2], 1));
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn split_ranks_into<P: Position>(flags: &[bool], out: &mut [P]) -> Result<usize> {
    ranks_into_buffer(flags, P::buffer(out))
}

/// The same, compiled here and not where it is used.
fn ranks_into_buffer(flags: &[bool], out: PositionsMut<'_>) -> Result<usize> {
    match out {
        PositionsMut::U32(out) => ranks_into(flags, out),
        PositionsMut::U64(out) => ranks_into(flags, out),
    }
}

fn ranks_into<P: Position>(flags: &[bool], out: &mut [P]) -> Result<usize> {
    expect_len("split ranks", out.len(), flags.len())?;
    if !P::fits(flags.len()) {
        return Err(Error::Width { len: flags.len(), got: P::NAME });
    }
    let falses = flags.len() - count_true(flags);
    write_ranks(flags, Disjoint::new(out), |flag, falses_before, trues_before| {
        P::new(if flag { falses + trues_before } else { falses_before })
    });
    Ok(falses)
}

fn ranks_to_vec<P: Position>(flags: &[bool], falses: usize) -> Result<Vec<P>> {
    let mut out = try_with_large_capacity(flags.len(), "split ranks")?;
    let place = Disjoint::uninit(&mut out.spare_capacity_mut()[..flags.len()]);
    write_ranks(flags, place, |flag, falses_before, trues_before| {
        P::new(if flag { falses + trues_before } else { falses_before })
    });
    // SAFETY: every element has been written.
    unsafe { out.set_len(flags.len()) };
    Ok(out)
}

/// How many flags are set.
pub(super) fn count_true(flags: &[bool]) -> usize {
    parallel::sum(flags.len(), GRAIN, &|range| flags[range].iter().filter(|&&flag| flag).count())
}

/// Writes for every flag a number that depends on it and on the flags before it: `rank(flag, falses, trues)`.
pub(super) fn write_ranks<P: Position>(
    flags: &[bool],
    out: Disjoint<'_, P>,
    rank: impl Fn(bool, usize, usize) -> P + Sync,
) {
    assert_eq!(flags.len(), out.len());
    // The output is wider than the flags: it decides the block.
    let block = block_len(size_of::<P>());
    let blocks = flags.len().div_ceil(block);
    chained(
        &mut vec![(); workers(blocks)],
        blocks,
        0,
        |_, index| flags[chunk_range(index, block, flags.len())].iter().filter(|&&flag| flag).count(),
        |before, count| before + count,
        |_, index, _, mut trues| {
            let range = chunk_range(index, block, flags.len());
            // SAFETY: inside, and this block's own.
            let out = unsafe { out.slice(range.clone()) };
            for (i, (out, &flag)) in range.clone().zip(out.iter_mut().zip(&flags[range])) {
                out.write(rank(flag, i - trues, trues));
                trues += usize::from(flag);
            }
        },
    );
}

/// The falses to the front of `out` in order, the trues to its end in reverse. Returns the number of the former.
fn split_backwards<T: Copy + Send + Sync>(
    values: &[T],
    out: Disjoint<'_, T>,
    test: impl Fn(usize, &T) -> bool + Sync,
) -> Result<usize> {
    let len = values.len();
    assert_eq!(out.len(), len);
    let block = block_len(size_of::<T>());
    let blocks = len.div_ceil(block);
    Ok(chained(
        &mut buffers(workers(blocks), block.min(len))?,
        blocks,
        0,
        |buffer, index| {
            let range = chunk_range(index, block, len);
            let (start, count) = (range.start, range.len());
            part(&values[range], &mut buffer.spare_capacity_mut()[..count], &|i, x| test(start + i, x))
        },
        |before, count| before + count,
        |buffer, index, count, before| {
            let range = chunk_range(index, block, len);
            let (falses, trues) = buffer.spare_capacity_mut()[..range.len()].split_at(count);
            let trues_before = range.start - before;
            // SAFETY: `part` has filled the buffer; the places between two carries belong to one block.
            unsafe {
                out.copy_from(before, filled(falses));
                out.copy_from(len - trues_before - trues.len(), filled(trues));
            }
        },
    ))
}

/// Fills `out`, which has the length of `values`: falses from the front, trues from the back, so these are in reverse.
/// Returns the number of falses. The test gets positions of `values`.
fn part<T: Copy>(values: &[T], out: &mut [MaybeUninit<T>], test: &impl Fn(usize, &T) -> bool) -> usize {
    let len = values.len();
    assert_eq!(out.len(), len);
    let mut falses = 0;
    for (i, x) in values.iter().enumerate() {
        let flag = test(i, x);
        let trues = i - falses;
        // Without branches: the element is written to both ends of the gap, and the next one overwrites the wrong copy.
        // SAFETY: `falses` and `trues` add up to `i`, which is less than `len`.
        unsafe {
            out.get_unchecked_mut(falses).write(*x);
            out.get_unchecked_mut(len - 1 - trues).write(*x);
        }
        falses += usize::from(!flag);
    }
    falses
}

/// Turns a slice round.
fn reverse<T: Copy + Send + Sync>(values: &mut [T]) {
    let half = values.len() / 2;
    let (left, rest) = values.split_at_mut(half);
    let right_start = rest.len() - half;
    let (left, right) = (Disjoint::new(left), Disjoint::new(&mut rest[right_start..]));
    for_each_chunk(half, GRAIN, &|range| {
        // SAFETY: inside, and a range's own; so are the places that mirror it.
        let (left, right) = unsafe { (left.slice(range.clone()), right.slice(half - range.end..half - range.start)) };
        for (a, b) in left.iter_mut().zip(right.iter_mut().rev()) {
            std::mem::swap(a, b);
        }
    });
}

/// Copies a slice.
pub(super) fn copy<T: Copy + Send + Sync>(from: &[T], to: &mut [T]) {
    let to = Disjoint::new(&mut to[..from.len()]);
    // SAFETY: inside, and a range's own.
    for_each_chunk(from.len(), GRAIN, &|range| unsafe { to.copy_from(range.start, &from[range]) });
}
