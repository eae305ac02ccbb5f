//! Prefix and suffix minima in every node of a binary tree.
//!
//! *Problem.* Range minimum queries in constant time, for any associative choice, idempotent or not.
//!
//! *Idea.* Put a complete binary tree over the array. A range from l to r splits at the lowest common ancestor of the
//! two leaves into a suffix of the ancestor's left child and a prefix of its right child; if every node knows the
//! minima of all of its suffixes and prefixes, the better of the two is the answer. The ancestor costs no search: l
//! and r agree in all bits above the highest bit d of `l xor r`, and its children are the blocks of 2^d elements.
//!
//! *One entry per element and level is enough.* Only suffixes of left children and prefixes of right children are ever
//! read. Bit d of an element's position says which of the two its block of 2^d is, so level d holds for element i the
//! best of `i..=end of block` where that bit is 0, and the best of `start of block..=i` where it is 1. Level 0 would
//! hold i itself and is left out. Where the array is not a power of two long, the tree is padded in thought only: a
//! left child without a complete right one is not asked for what lies beyond the array.
//!
//! *Source.* JáJá, *An Introduction to Parallel Algorithms*, 1992, section 3.4.2 (basic range-minima algorithm). There
//! a node's arrays are merged from its children's. Here every level is a scan of its blocks, cut into segments that
//! know the best of the segments before them, so that levels with few blocks use all threads too and no array for the
//! half that is not kept is needed.
//!
//! *Bounds.* Building: work O(n log n), span O(log n · (segment + n / segment)). Query: O(1), two random entries of
//! one level and two keys.
#![allow(unsafe_code)]

use std::mem::MaybeUninit;

use super::super::batch::CpuEngine;
use super::{better, levels_bytes};
use thalweg_core::bits::Bits;
use thalweg_core::coding::Ranking;
use thalweg_core::disjoint::Disjoint;
use thalweg_core::error::{try_filled, try_with_capacity};
use thalweg_core::memory::computed;
use thalweg_core::parallel::{chunk_range, for_each_chunk};
use thalweg_core::storage::Storage;
use thalweg_core::{Position, Rank, Result};

/// Elements that one parallel task scans. A power of two, so that blocks are made of segments or the other way round.
const SEGMENT: usize = 1 << 14;

/// The tree. Work O(n log n) to build, O(1) per query; extra memory n log n positions of 4 or 8 bytes.
pub(in crate::rmq) struct PrefixSuffixTree<'a, R: Rank, P> {
    array: Storage<'a, R>,
    order: Ranking<R>,
    /// `levels[d - 1][i]` is the best position of the suffix (bit d of i is 0) or prefix (1) of i's block of 2^d.
    levels: Vec<Storage<'a, P>>,
}

impl<'a, R: Rank, P: Position> PrefixSuffixTree<'a, R, P> {
    pub(in crate::rmq) fn new(array: Storage<'a, R>, order: Ranking<R>) -> Result<Self> {
        Self::with_segments(array, order, SEGMENT)
    }

    fn with_segments(array: Storage<'a, R>, order: Ranking<R>, segment: usize) -> Result<Self> {
        let len = array.len();
        let better = |a: P, b: P| better(&array, order, a, b);
        let segment_best = computed(len.div_ceil(segment), 1, "the best of every segment", |s| {
            chunk_range(s, segment, len).map(P::new).reduce(better).expect("not empty")
        })?;

        // The highest bit in which two positions can differ.
        let highest = len.saturating_sub(1).checked_ilog2().unwrap_or(0);
        let mut levels = try_with_capacity(highest as usize, "the levels of a tree")?;
        for d in 1..=highest {
            // What a scan brings along when it enters a segment from the rest of its block, which it comes from.
            let mut brought = try_filled(segment_best.len(), None, "the best before every segment")?;
            let same_block = |s: usize, t: usize| (s * segment) >> d == (t * segment) >> d;
            for s in 1..segment_best.len() {
                if is_right_child(s * segment, d) && same_block(s - 1, s) {
                    let before = segment_best[s - 1];
                    brought[s] = Some(brought[s - 1].map_or(before, |best| better(best, before)));
                }
            }
            for s in (1..segment_best.len()).rev() {
                if !is_right_child(s * segment, d) && same_block(s - 1, s) {
                    let behind = segment_best[s];
                    brought[s - 1] = Some(brought[s].map_or(behind, |best| better(behind, best)));
                }
            }
            let mut level: Vec<P> = try_with_capacity(len, "a level of a tree")?;
            let all = Disjoint::uninit(&mut level.spare_capacity_mut()[..len]);
            for_each_chunk(len, segment, &|range| {
                let (start, brought) = (range.start, brought[range.start / segment]);
                // SAFETY: inside, and every segment has its own.
                let entries = unsafe { all.slice(range) };
                let block = entries.len().min(1 << d);
                for (b, entries) in entries.chunks_mut(block).enumerate() {
                    let first = start + b * block;
                    if is_right_child(first, d) {
                        fill(entries.iter_mut().zip(first..), brought, better);
                    } else {
                        let positions = first..first + entries.len();
                        fill(entries.iter_mut().zip(positions).rev(), brought, |best, new| better(new, best));
                    }
                }
            });
            // SAFETY: the chunks above cover the first `len` entries, and `fill` writes every entry of a chunk.
            unsafe { level.set_len(len) };
            levels.push(level.into());
        }
        Ok(Self { array, order, levels })
    }
}

/// Writes the best so far to every entry, in the iterator's order, starting with what was brought along.
fn fill<'e, P: Position>(
    entries: impl Iterator<Item = (&'e mut MaybeUninit<P>, usize)>,
    brought: Option<P>,
    choose: impl Fn(P, P) -> P,
) {
    let mut best = brought;
    for (entry, position) in entries {
        let new = P::new(position);
        let chosen = best.map_or(new, |best| choose(best, new));
        entry.write(chosen);
        best = Some(chosen);
    }
}

/// Whether the block of 2^d elements that holds `position` is the right child of its parent.
#[inline(always)]
fn is_right_child(position: usize, d: u32) -> bool {
    position >> d & 1 == 1
}

impl<R: Rank, P: Position> CpuEngine for PrefixSuffixTree<'_, R, P> {
    fn name(&self) -> &'static str {
        "prefix_suffix_tree"
    }

    fn len(&self) -> usize {
        self.array.len()
    }

    fn array(&self) -> Option<Bits<'_>> {
        Some(R::erase(&self.array))
    }

    fn extra_bytes(&self) -> usize {
        levels_bytes(&self.levels)
    }

    #[inline]
    fn position(&self, left: usize, right: usize) -> usize {
        let (a, b) = match (left ^ right).checked_ilog2() {
            None => return left,
            Some(0) => (P::new(left), P::new(right)),
            Some(d) => {
                let level = &self.levels[d as usize - 1];
                (level[left], level[right])
            }
        };
        better(&self.array, self.order, a, b).get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_core::Order;
    use thalweg_core::coding::Ranking;

    #[test]
    fn segments_of_any_size_give_the_same_levels() {
        for len in [0, 1, 2, 3, 7, 8, 9, 31, 100, 257] {
            let array: Vec<u8> = (0..len as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 27) as u8).collect();
            let whole =
                PrefixSuffixTree::<u8, u32>::new(Storage::from(&array[..]), Ranking::of::<u8>(Order::Min)).unwrap();
            for segment in [1, 2, 4, 16, 64] {
                let cut = PrefixSuffixTree::<u8, u32>::with_segments(
                    Storage::from(&array[..]),
                    Ranking::of::<u8>(Order::Min),
                    segment,
                )
                .unwrap();
                let same = cut.levels.iter().map(|level| &level[..]).eq(whole.levels.iter().map(|level| &level[..]));
                assert!(same, "{len} elements, segments of {segment}");
            }
        }
    }
}
