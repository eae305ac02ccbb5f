//! Merging of subsets, for distinct values.
//!
//! *Problem.* Cut the array into subsets and solve each with the sequential [stack](super::stack). How do the elements
//! without a neighbour in their own subset find it in another one, with linear work in total?
//!
//! *Idea.* Let all values be distinct. Only prefix and suffix minima, a subset's [outline](super::outline), can have or
//! be neighbours in other subsets. Merging the right outline of subset i with the left outline of subset j, largest
//! first, matches them with each other: of the two elements at hand the larger one has just met its neighbour. It
//! remains to say which pairs to merge and how far, such that no two merges touch the same element. Let b(k) be the
//! minimum of subset k and l(k), r(k) its neighbours, found by the *basic search* in a [tree of
//! minima](super::min_tree), in subsets i and j. Subset k is responsible for these merges:
//!
//! 1. i = k-1: what k-1 shows from l(k) on, with what k shows up to b(k).
//! 2. j = k+1: what k shows from b(k) on, with what k+1 shows up to r(k).
//! 3. l(k) and r(k) exist, b(i) < b(j): what i shows from l(j) to l(k), with what j shows from r(k) to b(j).
//! 4. l(k) and r(k) exist, b(i) > b(j): what i shows from b(i) to l(k), with what j shows from r(k) to r(i).
//!
//! *Why this is all.* Of two adjacent subsets one has the smaller minimum, so exactly one of cases 1 and 2 merges
//! them, down to the larger of their minima: below it, neither has neighbours in the other. If an element x of i has
//! its neighbour in j > i+1, all subsets in between are larger than x. Let b(k) be the smallest element in between; as
//! values are distinct, there is one such k. Then l(k) is in i (x is a candidate) and r(k) in j, so k merges i and j;
//! no other subset in between does, as b(k) is in its way. Elements of i that match in j are larger than the larger of
//! b(i) and b(j) and smaller than b(k): just those that cases 3 and 4 take. The same holds for elements of j that have
//! their neighbour in i. So every element is matched, and by one merge only.
//!
//! *Duplicates.* Compare pairs (value, index) instead of values: they are distinct. With increasing indices the left
//! one of two equal elements is the smaller, so right neighbours are strictly smaller and left neighbours are not
//! larger. With decreasing indices it is the other way round. So each side takes one run:
//!
//! | side | strictly smaller | not larger |
//! |---|---|---|
//! | left | decreasing | increasing |
//! | right | increasing | decreasing |
//!
//! Pairs need not be made: which of two elements is to the left of the other is always known.
//!
//! *Source.* Berkman, Schieber and Vishkin, *Optimal doubly logarithmic parallel algorithms based on finding all
//! nearest smaller values*, 1993, section 3. They merge by ranks in the merged list; cases 3 and 4 are told apart here
//! by comparing b(i) with b(j), as the argument above needs.
//!
//! *Bounds.* Work O(n) for each side, span O(subset + log n); the paper's O(log n) with subsets of log n elements.
#![allow(unsafe_code)]

use std::ops::RangeInclusive;

use super::min_tree::{MinTree, neighbour_of};
use super::outline::{Outline, Seen};
use super::shared_sides::SharedSides;
use super::stack::{Ties, solve_part, solve_subsets, stacks_bytes};
use super::{CpuEngine, Sides, Subset};
use thalweg_core::coding::Ranking;
use thalweg_core::memory::computed;
use thalweg_core::parallel::for_each_chunk;
use thalweg_core::{Position, Rank, Result};

/// Berkman, Schieber and Vishkin's algorithm, one run per side. Work O(n), span O(subset + log n); extra memory n/15
/// ranks and up to 4 bytes per element, for sorted data.
#[derive(Debug, Default)]
pub(super) struct Berkman {
    pub(super) subset: Subset,
}

/// The smallest element of a subset and its neighbours in other subsets.
struct Minimum {
    at: usize,
    left: Option<usize>,
    right: Option<usize>,
}

impl CpuEngine for Berkman {
    const NAME: &'static str = "berkman";

    fn extra_bytes<R: Rank>(&self, len: usize) -> usize {
        let subsets = len.div_ceil(self.subset.0);
        MinTree::<R>::bytes(len)
            + Outline::bytes(len, self.subset.0)
            + subsets * size_of::<Minimum>()
            + stacks_bytes::<R>(len, self.subset.0)
    }

    fn solve<R: Rank, P: Position>(
        &self,
        array: &[R],
        order: Ranking<R>,
        strict: bool,
        sides: Sides<'_, P>,
    ) -> Result<()> {
        if array.len() <= self.subset.0 {
            solve_part(array, order, Ties::of(strict), 0, sides, &mut Vec::new());
            return Ok(());
        }
        let tree = MinTree::build(array, order)?;
        let increasing = Ties { left_strict: false, right_strict: true };
        let decreasing = Ties { left_strict: true, right_strict: false };
        let (for_left, for_right) = if strict { (decreasing, increasing) } else { (increasing, decreasing) };
        if sides.left.is_some() {
            Run::new(array, order, for_left, self.subset.0, &tree)?.solve(Sides { left: sides.left, right: None });
        }
        if sides.right.is_some() {
            Run::new(array, order, for_right, self.subset.0, &tree)?.solve(Sides { left: None, right: sides.right });
        }
        Ok(())
    }
}

/// The algorithm proper: all elements are distinct, as ties are broken by position.
struct Run<'a, R: Rank> {
    array: &'a [R],
    order: Ranking<R>,
    ties: Ties,
    subset: usize,
    outlines: Vec<Outline>,
    minima: Vec<Minimum>,
}

impl<'a, R: Rank> Run<'a, R> {
    fn new(array: &'a [R], order: Ranking<R>, ties: Ties, subset: usize, tree: &MinTree<'_, R>) -> Result<Self> {
        let outlines = Outline::of_subsets(array, order, ties, subset)?;
        let minimum = |outline: &Outline| {
            let at = outline.left().innermost();
            let rank = array[at].ranked(order);
            Minimum {
                at,
                left: tree.last_before(at, neighbour_of(rank, ties.left_strict)),
                right: tree.first_from(at + 1, neighbour_of(rank, ties.right_strict)),
            }
        };
        let minima = computed(outlines.len(), 1, "the minima of subsets", |k| minimum(&outlines[k]))?;
        Ok(Self { array, order, ties, subset, outlines, minima })
    }

    fn solve<P: Position>(&self, mut sides: Sides<'_, P>) {
        solve_subsets(self.array, self.order, self.ties, self.subset, &mut sides);
        let sides = SharedSides::new(sides);
        for_each_chunk(self.outlines.len(), 1, &|range| range.for_each(|k| self.merge_around(k, &sides)));
    }

    /// The merges that subset `k` is responsible for.
    fn merge_around<P: Position>(&self, k: usize, sides: &SharedSides<'_, P>) {
        let start_of = |k: usize| k * self.subset;
        let end_of = |k: usize| self.array.len().min((k + 1) * self.subset) - 1;
        let Minimum { at, left, right } = self.minima[k];
        if let Some(left) = left.filter(|l| l / self.subset + 1 == k) {
            self.merge(left..=end_of(k - 1), start_of(k)..=at, sides);
        }
        if let Some(right) = right.filter(|r| r / self.subset == k + 1) {
            self.merge(at..=end_of(k), start_of(k + 1)..=right, sides);
        }
        if let (Some(left), Some(right)) = (left, right) {
            let (i, j) = (&self.minima[left / self.subset], &self.minima[right / self.subset]);
            if self.is_left_smaller(i.at, j.at) {
                let lowest = j.left.expect("b(i) is smaller than b(j)");
                self.merge(lowest..=left, right..=j.at, sides);
            } else {
                let lowest = i.right.expect("b(j) is smaller than b(i)");
                self.merge(i.at..=left, right..=lowest, sides);
            }
        }
    }

    /// Matches what a subset shows to the right, within `xs`, with what a later one shows to the left, within `ys`.
    fn merge<P: Position>(&self, xs: RangeInclusive<usize>, ys: RangeInclusive<usize>, sides: &SharedSides<'_, P>) {
        let (xs, ys) = (self.shown_right(&xs), self.shown_left(&ys));
        let (mut x, mut y) = (0, 0);
        // Largest first. Whatever was passed is larger than what is to come, so nothing smaller has been overlooked.
        while x < xs.len() && y < ys.len() {
            let (here, there) = (xs.at(x), ys.at(y));
            if self.is_left_smaller(here, there) {
                // SAFETY: every element has its left neighbour in one other subset, whose merge is done once.
                unsafe { sides.set_left(there, here) };
                y += 1;
            } else {
                // SAFETY: as above, for right neighbours.
                unsafe { sides.set_right(here, there) };
                x += 1;
            }
        }
    }

    /// The elements at these positions of one subset that can be seen from its right border.
    fn shown_right(&self, positions: &RangeInclusive<usize>) -> Seen<'_> {
        let all = self.outlines[positions.start() / self.subset].right();
        all.between(all.count(|at| at > *positions.end()), all.count(|at| at >= *positions.start()))
    }

    /// The elements at these positions of one subset that can be seen from its left border.
    fn shown_left(&self, positions: &RangeInclusive<usize>) -> Seen<'_> {
        let all = self.outlines[positions.start() / self.subset].left();
        all.between(all.count(|at| at < *positions.start()), all.count(|at| at <= *positions.end()))
    }

    /// Whether the element at `here`, to the left of `there`, is the smaller one. Equal elements: as the run says.
    #[inline]
    fn is_left_smaller(&self, here: usize, there: usize) -> bool {
        neighbour_of(self.array[there].ranked(self.order), self.ties.left_strict)(self.array[here].ranked(self.order))
    }
}
