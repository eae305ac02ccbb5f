//! `wagener`: hoods of doubling size.
//!
//! Wagener, "Optimally parallel algorithms for convex hull determination", 1985; JáJá, "An introduction to parallel
//! algorithms", 1992, section 6.2. The columns' lowest points, sorted by x, are hoods of one point each. In a round every hood
//! and its right neighbour are joined along their common tangent, so that after log n rounds there is one hood, the lower
//! chain; and the same for the upper one. A tangent is sought as on a PRAM, which tests all places at the same time: from every
//! √d-th point of the left hood, with a search of √d and then √d points of the right one; then from the points between two
//! of those. So a round tests O(n) turns, all of them independent of each other, and log n rounds follow one another.
//!
//! Work O(n log n), on all threads; extra memory 100 bytes a point.

use std::cmp::Ordering;

use thalweg_core::memory::computed;
use thalweg_core::parallel::{find_first, for_each_chunk_mut};
use thalweg_core::{Positions, Result};

use super::answer::around;
use super::chains::tangent::{Chain, is_at_or_after};
use super::columns::{Side, Site, all, by_x, inner_points_of_ends};
use crate::number::Number;

/// Points of a hood from which on several tasks seek its tangent and move it.
const LARGE: usize = 1 << 12;

pub(super) fn hull<N: Number>(points: &[[N; 2]], boundary: bool) -> Result<Positions> {
    let order = by_x(points)?;
    let [lowest, highest] = all(points, &order)?;
    let (lower, upper) =
        rayon::join(|| outline(lowest, Side::Lower, boundary), || outline(highest, Side::Upper, boundary));
    let (lower, upper) = (lower?, upper?);
    let inner_points = if boundary { inner_points_of_ends(points, &order)? } else { [Vec::new(), Vec::new()] };
    let pieces = |chain| if <[Site<N>]>::is_empty(chain) { Vec::new() } else { vec![chain] };
    around(pieces(&lower), pieces(&upper), &inner_points, points.len())
}

/// A chain of points with increasing x.
fn outline<N: Number>(mut sites: Vec<Site<N>>, side: Side, boundary: bool) -> Result<Vec<Site<N>>> {
    let len = sites.len();
    let mut moved = sites.clone();
    // Hood i begins at i · d and has so many points; what follows them is empty.
    let mut counts = vec![1usize; len];
    let mut d = 1;
    while d < len {
        let pairs = counts.len().div_ceil(2);
        let chunk = (LARGE / d).max(1);
        // Where the tangents touch: the points that stay of the left hood, and the first one of the right hood that does.
        let hood = |i: usize| Hood { sites: &sites[i * d..i * d + counts[i]], side, boundary };
        let tangents = computed(pairs, chunk, "tangents", |pair| {
            if 2 * pair + 1 < counts.len() {
                hood(2 * pair).tangent(&hood(2 * pair + 1))
            } else {
                (counts[2 * pair], 0)
            }
        })?;
        // Both parts next to each other, from the pair's beginning.
        for_each_chunk_mut(&mut moved, LARGE, &|start, out| {
            for (at, out) in (start..).zip(out) {
                let (pair, place) = (at / (2 * d), at % (2 * d));
                let (left, skipped) = tangents[pair];
                let from = if place < left { at } else { pair * 2 * d + d + skipped + place - left };
                if let Some(&site) = sites.get(from) {
                    *out = site;
                }
            }
        });
        std::mem::swap(&mut sites, &mut moved);
        counts = computed(pairs, LARGE, "hoods", |pair| {
            let (left, skipped) = tangents[pair];
            left + counts.get(2 * pair + 1).map_or(0, |count| count - skipped)
        })?;
        d *= 2;
    }
    sites.truncate(counts.first().copied().unwrap_or(0));
    Ok(sites)
}

/// A chain of up to d points.
#[derive(Clone, Copy)]
struct Hood<'a, N> {
    sites: &'a [Site<N>],
    side: Side,
    boundary: bool,
}

impl<N: Number> Chain<N> for Hood<'_, N> {
    fn len(&self) -> usize {
        self.sites.len()
    }

    fn point(&self, i: usize) -> [N; 2] {
        self.sites[i].point
    }
}

impl<N: Number> Hood<'_, N> {
    /// How many points of this hood stay when it is joined with its right neighbour, and how many of that one go.
    fn tangent(&self, right: &Self) -> (usize, usize) {
        let is_after =
            |i: usize| is_at_or_after(self, i, right.point(right.touched(self.point(i))), self.side, self.boundary);
        let i = first_by_samples(self.len() - 1, self.len() >= LARGE, &is_after);
        (i + 1, right.touched(self.point(i)))
    }

    /// Where the tangent from a point to the left touches.
    fn touched(&self, from: [N; 2]) -> usize {
        let rises = |i: usize| match self.side.turn(from, self.point(i), self.point(i + 1)) {
            Ordering::Less => false,
            Ordering::Equal => self.boundary,
            Ordering::Greater => true,
        };
        first_by_samples(self.len() - 1, false, &rises)
    }
}

/// The first number below `len` for which something is true that stays true, or `len`: by every √len-th, then by those
/// before the first of them.
fn first_by_samples(len: usize, in_parallel: bool, is_true: &(dyn Fn(usize) -> bool + Sync)) -> usize {
    let step = len.isqrt().max(1);
    let samples = len.div_ceil(step);
    let chunk = if in_parallel { 1 } else { len.max(1) };
    let sample = find_first(samples, chunk, &|mut range| range.find(|&i| is_true(i * step))).unwrap_or(samples);
    if sample == 0 {
        return 0;
    }
    let (start, end) = ((sample - 1) * step + 1, len.min(sample * step));
    find_first(end - start, chunk, &|mut range| range.find(|&i| is_true(start + i))).map_or(end, |i| start + i)
}
