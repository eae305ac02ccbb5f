//! The sequential algorithm: one pass with a stack of candidates.
//!
//! The stack holds the elements that could still be somebody's left neighbour, values in order, so that an element
//! finds its left neighbour on top after it has thrown out the larger ones, and is the right neighbour of exactly
//! those. Values lie on the stack beside the positions: reading them back from the array would miss the cache.
//!
//! The parallel engines solve their subsets with the same pass, see [`solve_part`] and [`solve_subsets`].
#![allow(unsafe_code)]

use std::ops::Range;

use super::{CpuEngine, Sides};
use crate::scratch::Pool;
use thalweg_core::coding::Ranking;
use thalweg_core::disjoint::Disjoint;
use thalweg_core::parallel::for_each_chunk;
use thalweg_core::{Position, Rank, Result};

/// One sequential pass. Work and span O(n); extra memory one entry per element in the worst case (sorted data).
#[derive(Debug)]
pub(super) struct Stack;

impl CpuEngine for Stack {
    const NAME: &'static str = "stack";

    fn extra_bytes<R: Rank>(&self, len: usize) -> usize {
        len * size_of::<(R, u32)>()
    }

    fn solve<R: Rank, P: Position>(
        &self,
        array: &[R],
        order: Ranking<R>,
        strict: bool,
        sides: Sides<'_, P>,
    ) -> Result<()> {
        solve_part(array, order, Ties::of(strict), 0, sides, &mut Vec::new());
        Ok(())
    }
}

/// On which side an equal element does not count as a neighbour. The algorithms of one run over distinct values need
/// the mixed forms, where of two equal elements exactly one counts as the smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ties {
    pub(super) left_strict: bool,
    pub(super) right_strict: bool,
}

impl Ties {
    pub(super) fn of(strict: bool) -> Self {
        Self { left_strict: strict, right_strict: strict }
    }
}

/// Solves every subset of `subset` elements by itself, in parallel: neighbours in other subsets are not found.
pub(super) fn solve_subsets<R: Rank, P: Position>(
    array: &[R],
    order: Ranking<R>,
    ties: Ties,
    subset: usize,
    sides: &mut Sides<'_, P>,
) {
    // One stack per thread, not per subset: it keeps its memory.
    let stacks: Pool<Vec<(R, P)>> = Pool::new();
    let (left, right) = (sides.left.as_deref_mut().map(Disjoint::new), sides.right.as_deref_mut().map(Disjoint::new));
    for_each_chunk(array.len(), subset, &|range| {
        let Range { start, end } = range;
        // SAFETY: the sides are as long as the array, and every subset has its own part.
        let (left, right) = unsafe { (left.map(|l| l.slice_mut(start..end)), right.map(|r| r.slice_mut(start..end))) };
        stacks.with(|stack| solve_part(&array[start..end], order, ties, start, Sides { left, right }, stack));
    });
}

/// Bytes of the stacks that [`solve_subsets`] has in use at a time.
pub(super) fn stacks_bytes<R>(len: usize, subset: usize) -> usize {
    rayon::current_num_threads().min(len.div_ceil(subset)) * subset.min(len) * size_of::<(R, u32)>()
}

/// Solves a part of an array that starts at position `first`, as if there were nothing else. `sides` are those of the
/// part, positions are those of the array. The stack is scratch memory.
pub(super) fn solve_part<R: Rank, P: Position>(
    part: &[R],
    order: Ranking<R>,
    ties: Ties,
    first: usize,
    sides: Sides<'_, P>,
    stack: &mut Vec<(R, P)>,
) {
    stack.clear();
    let ranks = part.iter().map(|key| key.ranked(order));
    let last = (first + part.len()).saturating_sub(1);
    match (sides.left, sides.right) {
        (Some(left), Some(right)) => match (ties.left_strict, ties.right_strict) {
            (true, true) => both_sides::<_, _, true, true>(ranks, first, left, right, stack),
            (true, false) => both_sides::<_, _, true, false>(ranks, first, left, right, stack),
            (false, true) => both_sides::<_, _, false, true>(ranks, first, left, right, stack),
            (false, false) => both_sides::<_, _, false, false>(ranks, first, left, right, stack),
        },
        (Some(left), None) => one_side(ranks, left.iter_mut(), ties.left_strict, |i| first + i, stack),
        (None, Some(right)) => one_side(ranks.rev(), right.iter_mut().rev(), ties.right_strict, |i| last - i, stack),
        (None, None) => {}
    }
}

/// Left and right neighbours in one pass.
fn both_sides<R: Ord + Copy, P: Position, const LEFT_STRICT: bool, const RIGHT_STRICT: bool>(
    ranks: impl Iterator<Item = R>,
    first: usize,
    left: &mut [P],
    right: &mut [P],
    stack: &mut Vec<(R, P)>,
) {
    right.fill(P::NONE);
    for (i, rank) in ranks.enumerate() {
        let here = P::new(first + i);
        let mut found = P::NONE;
        while let Some(&(top, position)) = stack.last() {
            if top < rank {
                found = position;
                break;
            }
            let equal = top == rank;
            if !equal || !RIGHT_STRICT {
                right[position.get() - first] = here;
                stack.pop();
            }
            if equal {
                if !LEFT_STRICT {
                    found = position;
                    break;
                }
                if RIGHT_STRICT {
                    // An equal element shares its left neighbour and stays: its right neighbour is still to come.
                    found = left[position.get() - first];
                    break;
                }
            }
        }
        left[i] = found;
        stack.push((rank, here));
    }
}

/// Neighbours on the side that the iterators come from; `place` turns their count into a position.
fn one_side<'o, R: Ord, P: Position>(
    ranks: impl Iterator<Item = R>,
    out: impl Iterator<Item = &'o mut P>,
    strict: bool,
    place: impl Fn(usize) -> usize,
    stack: &mut Vec<(R, P)>,
) {
    for (i, (rank, out)) in ranks.zip(out).enumerate() {
        // An equal element in the way hides nothing: it has the same neighbour (strict), or is it.
        while stack.pop_if(|(top, _)| *top > rank || strict && *top == rank).is_some() {}
        *out = stack.last().map_or(P::NONE, |&(_, position)| position);
        stack.push((rank, P::new(place(i))));
    }
}
