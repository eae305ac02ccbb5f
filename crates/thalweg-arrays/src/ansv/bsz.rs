//! Searching from where the last search ended.
//!
//! *Problem.* Cut the array into subsets and solve each with the sequential [stack](super::stack). What remains are
//! the elements that have no neighbour within their own subset: how do they find it in another one?
//!
//! *Idea.* With a search in a [tree of minima](super::min_tree), but not one from scratch. Take the unmatched elements
//! of a subset from its right border inwards. If `b` is to the left of `a` and both are unmatched, `b` is not larger
//! than `a` (or `a` would be a neighbour of `b`). All elements between `a` and its neighbour are no neighbours of `a`,
//! so none of `b` either: the search for `b` may start at the neighbour of `a`. Where `a` has none, nor has `b`, and
//! the subset is done. The left side is the mirror image.
//!
//! Each search walks up the tree only as far as its distance demands. Every subset writes its own elements only.
//!
//! *Source.* Shun and Zhao, *A simple parallel Cartesian tree algorithm and its application to parallel suffix tree
//! construction*, 2014 (conference version 2013); analysed by Sitchinava and Svenning, 2024, who named it BSZ after
//! Berkman, Schieber and Vishkin, whose merging the searches replace.
//!
//! *Bounds.* With subsets of k elements: work O(n (1 + log n / k)), span O(k (1 + log (n/k))).

use super::min_tree::{MinTree, neighbour_of};
use super::stack::{Ties, solve_part, solve_subsets, stacks_bytes};
use super::{CpuEngine, Sides, Subset};
use thalweg_core::coding::Ranking;
use thalweg_core::parallel::for_each_chunk_mut;
use thalweg_core::{Position, Rank, Result};

/// Shun and Zhao's algorithm. Work O(n), span O(subset · log n); extra memory n/15 ranks.
#[derive(Debug, Default)]
pub(super) struct Bsz {
    pub(super) subset: Subset,
}

impl CpuEngine for Bsz {
    const NAME: &'static str = "bsz";

    fn extra_bytes<R: Rank>(&self, len: usize) -> usize {
        MinTree::<R>::bytes(len) + stacks_bytes::<R>(len, self.subset.0)
    }

    fn solve<R: Rank, P: Position>(
        &self,
        array: &[R],
        order: Ranking<R>,
        strict: bool,
        mut sides: Sides<'_, P>,
    ) -> Result<()> {
        let subset = self.subset.0;
        if array.len() <= subset {
            solve_part(array, order, Ties::of(strict), 0, sides, &mut Vec::new());
            return Ok(());
        }
        solve_subsets(array, order, Ties::of(strict), subset, &mut sides);
        let tree = MinTree::build(array, order)?;
        let rank = |i: usize| array[i].ranked(order);

        if let Some(right) = sides.right {
            for_each_chunk_mut(right, subset, &|first, right| {
                let mut from = first + right.len();
                for (i, right) in right.iter_mut().enumerate().rev().filter(|(_, right)| **right == P::NONE) {
                    match tree.first_from(from, neighbour_of(rank(first + i), strict)) {
                        Some(found) => (*right, from) = (P::new(found), found),
                        None => break,
                    }
                }
            });
        }
        if let Some(left) = sides.left {
            for_each_chunk_mut(left, subset, &|first, left| {
                let mut end = first;
                for (i, left) in left.iter_mut().enumerate().filter(|(_, left)| **left == P::NONE) {
                    match tree.last_before(end, neighbour_of(rank(first + i), strict)) {
                        Some(found) => (*left, end) = (P::new(found), found + 1),
                        None => break,
                    }
                }
            });
        }
        Ok(())
    }
}
