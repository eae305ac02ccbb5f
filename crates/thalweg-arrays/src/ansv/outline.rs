//! What a subset shows to the others.
//!
//! Looking at a subset from its left border one sees its prefix minima, one below the other down to the minimum; what
//! lies behind a smaller element is hidden. From the right border one sees the suffix minima. These are the elements
//! that have no neighbour on that side within the subset, and the only ones that elements of other subsets can have as
//! neighbours. Merging two subsets is about the right outline of one and the left outline of the other, no more.

use super::stack::Ties;
use crate::scratch::Pool;
use thalweg_core::coding::Ranking;
use thalweg_core::error::try_with_capacity;
use thalweg_core::memory::computed;
use thalweg_core::parallel::chunk_range;
use thalweg_core::{Rank, Result};

/// Place of an element in its subset.
type Offset = u16;

/// The largest subset whose offsets fit.
const MAX_SUBSET: usize = 1 << Offset::BITS;

/// The outlines of one subset, each from its border inwards, so that ranks fall or stay. Neither is empty, and both
/// end with a minimum.
pub(super) struct Outline {
    /// Position of the subset's first element.
    first: usize,
    /// Elements without a left neighbour in the subset.
    left: Vec<Offset>,
    /// Elements without a right neighbour in the subset.
    right: Vec<Offset>,
}

impl Outline {
    /// The outlines of all subsets, in parallel. Work O(n), span O(subset).
    pub(super) fn of_subsets<R: Rank>(array: &[R], order: Ranking<R>, ties: Ties, subset: usize) -> Result<Vec<Self>> {
        assert!(subset <= MAX_SUBSET, "subsets of {subset} elements are too large");
        let scratch: Pool<Vec<Offset>> = Pool::new();
        let outline = |k: usize| {
            let part = chunk_range(k, subset, array.len());
            let ranks = array[part.clone()].iter().map(|key| key.ranked(order)).enumerate();
            scratch.with(|seen| {
                Ok(Self {
                    first: part.start,
                    left: visible(ranks.clone(), ties.left_strict, seen)?,
                    right: visible(ranks.rev(), ties.right_strict, seen)?,
                })
            })
        };
        computed(array.len().div_ceil(subset), 1, "the outlines of subsets", outline)?.into_iter().collect()
    }

    /// Bytes that the outlines of an array take in the worst case: sorted data, of which one side sees everything, or
    /// equal elements and a strict relation, where both do.
    pub(super) fn bytes(len: usize, subset: usize) -> usize {
        len.div_ceil(subset) * size_of::<Self>() + 2 * len * size_of::<Offset>()
    }

    /// Positions on the left outline, ascending.
    pub(super) fn left(&self) -> Seen<'_> {
        Seen { first: self.first, offsets: &self.left }
    }

    /// Positions on the right outline, descending.
    pub(super) fn right(&self) -> Seen<'_> {
        Seen { first: self.first, offsets: &self.right }
    }
}

/// A stretch of an outline, from the border inwards.
#[derive(Clone, Copy)]
pub(super) struct Seen<'o> {
    first: usize,
    offsets: &'o [Offset],
}

impl Seen<'_> {
    #[inline]
    pub(super) fn len(self) -> usize {
        self.offsets.len()
    }

    /// Position of the element at `place` of the stretch.
    #[inline]
    pub(super) fn at(self, place: usize) -> usize {
        self.first + usize::from(self.offsets[place])
    }

    /// Position of the innermost element: a minimum of the subset.
    #[inline]
    pub(super) fn innermost(self) -> usize {
        self.at(self.len() - 1)
    }

    /// How many elements come before the first that is not `skipped`; by bisection, so all before it must be.
    #[inline]
    pub(super) fn count(self, skipped: impl Fn(usize) -> bool) -> usize {
        self.offsets.partition_point(|&offset| skipped(self.first + usize::from(offset)))
    }

    /// The part of the stretch from place `from` up to, not including, place `to`.
    #[inline]
    pub(super) fn between(self, from: usize, to: usize) -> Self {
        Self { first: self.first, offsets: &self.offsets[from..to] }
    }
}

/// Offsets of the elements that nothing before them hides. An equal element hides if it counts as a neighbour.
fn visible<R: Rank>(
    ranks: impl Iterator<Item = (usize, R)>,
    strict: bool,
    seen: &mut Vec<Offset>,
) -> Result<Vec<Offset>> {
    seen.clear();
    let mut best = R::WORST;
    for (offset, rank) in ranks {
        if rank < best || rank == best && (strict || seen.is_empty()) {
            best = rank;
            seen.push(offset as Offset);
        }
    }
    // Most outlines are short: only what is needed is kept.
    let mut outline = try_with_capacity(seen.len(), "the outline of a subset")?;
    outline.extend_from_slice(seen);
    Ok(outline)
}
