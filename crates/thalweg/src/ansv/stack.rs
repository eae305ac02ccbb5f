//! The sequential algorithm: one pass with a stack of candidates.
//!
//! The stack holds the elements that could still be somebody's left neighbour, values in order, so that an element
//! finds its left neighbour on top after it has thrown out the larger ones, and is the right neighbour of exactly
//! those. Values lie on the stack beside the positions: reading them back from the array would miss the cache.

use super::{CpuEngine, Relation, Sides};
use crate::{Key, Position, Result};

/// One sequential pass. Work and span O(n); extra memory one entry per element in the worst case (sorted data).
pub(super) struct Stack;

impl CpuEngine for Stack {
    const NAME: &'static str = "stack";

    fn extra_bytes<K: Key>(&self, len: usize) -> usize {
        len * size_of::<(K::Rank, u32)>()
    }

    fn solve<K: Key, P: Position>(&self, array: &[K], relation: Relation, sides: Sides<'_, P>) -> Result<()> {
        let ranks = array.iter().map(|key| key.rank(relation.order()));
        let last = array.len().saturating_sub(1);
        match (sides.left, sides.right, relation.is_strict()) {
            (Some(left), Some(right), true) => both_sides::<_, _, true>(ranks, left, right),
            (Some(left), Some(right), false) => both_sides::<_, _, false>(ranks, left, right),
            (Some(left), None, strict) => one_side(ranks, left.iter_mut(), strict, |i| i),
            (None, Some(right), strict) => one_side(ranks.rev(), right.iter_mut().rev(), strict, |i| last - i),
            (None, None, _) => {}
        }
        Ok(())
    }
}

/// Left and right neighbours in one pass.
fn both_sides<R: Ord + Copy, P: Position, const STRICT: bool>(
    ranks: impl Iterator<Item = R>,
    left: &mut [P],
    right: &mut [P],
) {
    right.fill(P::NONE);
    let mut stack: Vec<(R, P)> = Vec::new();
    for (i, rank) in ranks.enumerate() {
        let here = P::new(i);
        let mut found = P::NONE;
        while let Some(&(top, position)) = stack.last() {
            if top < rank {
                found = position;
                break;
            }
            if top == rank {
                if STRICT {
                    // An equal element shares its left neighbour and stays: its right neighbour is still to come.
                    found = left[position.get()];
                } else {
                    found = position;
                    right[position.get()] = here;
                    stack.pop();
                }
                break;
            }
            right[position.get()] = here;
            stack.pop();
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
) {
    let mut stack: Vec<(R, P)> = Vec::new();
    for (i, (rank, out)) in ranks.zip(out).enumerate() {
        // An equal element in the way hides nothing: it has the same neighbour (strict), or is it.
        while stack.pop_if(|(top, _)| *top > rank || strict && *top == rank).is_some() {}
        *out = stack.last().map_or(P::NONE, |&(_, position)| position);
        stack.push((rank, P::new(place(i))));
    }
}
