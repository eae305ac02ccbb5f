//! Merging of subsets, duplicates included, in one run.
//!
//! *Problem.* [Berkman, Schieber and Vishkin's algorithm](super::berkman) wants distinct values and takes one run per
//! side otherwise. Can one run do both sides, on the values as they are?
//!
//! *Idea.* Duplicates make trouble in three places.
//!
//! *Minima.* A subset may have several, and several subsets may share the value. So minima are left out of the merging:
//! all minima of a subset that have no neighbour in it have the same one outside, which one *basic search* in the
//! [tree of minima](super::min_tree) finds.
//!
//! *Which subsets to merge.* Let b(k) be the minimum's value of subset k. An element x > b(i) of subset i that has its
//! neighbour in subset j > i+1 is larger than b(i), not smaller than b(j), and not larger than m, the smallest value in
//! between (for the relation "not larger": smaller than m). In either relation b(i) < m and b(j) < m, also if x is
//! an element of j and the neighbour in i. So if b(k) = m is in between, its *strictly* smaller neighbours lie in i and
//! j. Several k may share the value m; the leftmost of them is responsible, which it knows by its nearest value to the
//! left that is not larger: it lies in the same subset as the strictly smaller one. So subset k merges
//!
//! 1. subset k-1 with itself, and
//! 2. the subsets i and j of its strictly smaller neighbours, if both exist and no subset between i and k has b = b(k),
//!
//! and every pair is merged once at most.
//!
//! *How to merge.* What i [shows](super::outline) to the right and what j shows to the left, in falling order, each
//! starting with its first element that can see past the value m. Of two different elements the larger one has met its
//! neighbour. Equal elements are neighbours of each other if the relation lets them; if it is strict, the equal ones
//! of i have as neighbour the first one of j after the equal ones of j, and the other way round: both runs are passed
//! together. Merging ends at the larger of b(i) and b(j), as nothing below finds a neighbour in the other subset.
//!
//! Every element that is merged gets its neighbour, or it is the last; so the work is linear. Every entry is written
//! once, by the subset itself (minima) or by the one merge of the pair of subsets that it and its neighbour are in: the
//! machine model is CREW.
//!
//! *Source.* Ryssel, *Parallel all nearest smaller values and range minimum query on the GPU*, Technical University of
//! Denmark, 2025, section 5. The rules differ: there, four cases choose parts that end at nearest values which are
//! smaller or not larger, depending on the side, and minima take part in the merging unless they are shared. Here
//! minima never do, by which two rules suffice, and the parts' ends are found by bisection in the outlines. The thesis
//! treats strict relations only.
//!
//! *Bounds.* Work O(n), span O(subset + log n); the thesis's O(log n) with subsets of log n elements.
#![allow(unsafe_code)]

use std::cmp::Ordering;

use super::min_tree::{MinTree, neighbour_of};
use super::outline::Outline;
use super::shared_sides::SharedSides;
use super::stack::{Ties, solve_part, solve_subsets, stacks_bytes};
use super::{CpuEngine, Sides, Subset};
use thalweg_core::coding::Ranking;
use thalweg_core::parallel::for_each_chunk;
use thalweg_core::{Position, Rank, Result};

/// Generalised merging. Work O(n), span O(subset + log n); extra memory n/15 ranks and up to 4 bytes per element, for
/// sorted data.
#[derive(Debug, Default)]
pub(super) struct Merging {
    pub(super) subset: Subset,
}

impl CpuEngine for Merging {
    const NAME: &'static str = "merging";

    fn extra_bytes<R: Rank>(&self, len: usize) -> usize {
        MinTree::<R>::bytes(len) + Outline::bytes(len, self.subset.0) + stacks_bytes::<R>(len, self.subset.0)
    }

    fn solve<R: Rank, P: Position>(
        &self,
        array: &[R],
        order: Ranking<R>,
        strict: bool,
        mut sides: Sides<'_, P>,
    ) -> Result<()> {
        let (ties, subset) = (Ties::of(strict), self.subset.0);
        if array.len() <= subset {
            solve_part(array, order, ties, 0, sides, &mut Vec::new());
            return Ok(());
        }
        let run = Run {
            array,
            order,
            strict,
            subset,
            tree: MinTree::build(array, order)?,
            outlines: Outline::of_subsets(array, order, ties, subset)?,
        };
        solve_subsets(array, order, ties, subset, &mut sides);
        let sides = SharedSides::new(sides);
        for_each_chunk(run.outlines.len(), 1, &|range| {
            for k in range {
                run.match_minima(k, &sides);
                run.merge_around(k, &sides);
            }
        });
        Ok(())
    }
}

struct Run<'a, R: Rank> {
    array: &'a [R],
    order: Ranking<R>,
    strict: bool,
    subset: usize,
    tree: MinTree<'a, R>,
    outlines: Vec<Outline>,
}

impl<R: Rank> Run<'_, R> {
    #[inline]
    fn rank(&self, position: usize) -> R {
        self.array[position].ranked(self.order)
    }

    /// The minimum's rank of subset `k`.
    fn minimum(&self, k: usize) -> R {
        self.rank(self.outlines[k].left().innermost())
    }

    /// The nearest position in an earlier subset than `k` with a rank smaller than this one, or equal if not strict.
    fn search_left(&self, k: usize, rank: R, strict: bool) -> Option<usize> {
        self.tree.last_before(k * self.subset, neighbour_of(rank, strict))
    }

    /// The same in a later subset.
    fn search_right(&self, k: usize, rank: R, strict: bool) -> Option<usize> {
        let end = self.array.len().min((k + 1) * self.subset);
        self.tree.first_from(end, neighbour_of(rank, strict))
    }

    /// Finds the neighbours of all minima of subset `k` that have none in it.
    fn match_minima<P: Position>(&self, k: usize, sides: &SharedSides<'_, P>) {
        let minimum = self.minimum(k);
        if let Some(neighbour) = self.search_left(k, minimum, self.strict) {
            let shown = self.outlines[k].left();
            for place in (0..shown.len()).rev().take_while(|&place| self.rank(shown.at(place)) == minimum) {
                // SAFETY: minima are matched by their own subset only.
                unsafe { sides.set_left(shown.at(place), neighbour) };
            }
        }
        if let Some(neighbour) = self.search_right(k, minimum, self.strict) {
            let shown = self.outlines[k].right();
            for place in (0..shown.len()).rev().take_while(|&place| self.rank(shown.at(place)) == minimum) {
                // SAFETY: as above.
                unsafe { sides.set_right(shown.at(place), neighbour) };
            }
        }
    }

    /// The merges that subset `k` is responsible for.
    fn merge_around<P: Position>(&self, k: usize, sides: &SharedSides<'_, P>) {
        if k > 0 {
            self.merge(k - 1, k, None, sides);
        }
        let minimum = self.minimum(k);
        let smaller = self.search_left(k, minimum, true).zip(self.search_right(k, minimum, true));
        let Some((left, right)) = smaller else { return };
        let i = left / self.subset;
        let is_leftmost = self.search_left(k, minimum, false).is_some_and(|nearest| nearest / self.subset == i);
        if is_leftmost {
            self.merge(i, right / self.subset, Some(minimum), sides);
        }
    }

    /// Matches elements of subset `i` and a later subset `j`, minima excepted, with each other. `between` is the
    /// smallest rank between the two, larger than those of their minima.
    fn merge<P: Position>(&self, i: usize, j: usize, between: Option<R>, sides: &SharedSides<'_, P>) {
        let (xs, ys) = (self.outlines[i].right(), self.outlines[j].left());
        let (min_x, min_y) = (self.minimum(i), self.minimum(j));
        let bottom = min_x.max(min_y);
        // An element that has its neighbour in between does not look further.
        let stopped = |at: usize| between.is_some_and(|between| neighbour_of(self.rank(at), self.strict)(between));
        let (mut x, mut y) = (xs.count(stopped), ys.count(stopped));
        // Neither index passes the innermost element: it is a minimum, at which the loop ends at the latest.
        loop {
            let (here, there) = (xs.at(x), ys.at(y));
            let (rank_x, rank_y) = (self.rank(here), self.rank(there));
            // SAFETY (all calls below): no minimum is matched here, and any other element has its left neighbour in one
            // other subset; the pair of the two is merged once, and once is how often an index passes the element.
            match rank_x.cmp(&rank_y) {
                Ordering::Greater => {
                    if rank_x == min_x {
                        return;
                    }
                    // SAFETY: see above.
                    unsafe { sides.set_right(here, there) };
                    x += 1;
                }
                Ordering::Less => {
                    if rank_y == min_y {
                        return;
                    }
                    // SAFETY: see above.
                    unsafe { sides.set_left(there, here) };
                    y += 1;
                }
                Ordering::Equal if self.strict => {
                    if rank_x == bottom {
                        return;
                    }
                    let (run_x, run_y) = (x, y);
                    while self.rank(xs.at(x)) == rank_x {
                        x += 1;
                    }
                    while self.rank(ys.at(y)) == rank_y {
                        y += 1;
                    }
                    // SAFETY: see above.
                    (run_x..x).for_each(|equal| unsafe { sides.set_right(xs.at(equal), ys.at(y)) });
                    // SAFETY: see above.
                    (run_y..y).for_each(|equal| unsafe { sides.set_left(ys.at(equal), xs.at(x)) });
                }
                Ordering::Equal => {
                    if rank_x != min_x {
                        // SAFETY: see above.
                        unsafe { sides.set_right(here, there) };
                    }
                    if rank_y != min_y {
                        // SAFETY: see above.
                        unsafe { sides.set_left(there, here) };
                    }
                    if rank_x == bottom {
                        return;
                    }
                    (x, y) = (x + 1, y + 1);
                }
            }
        }
    }
}
