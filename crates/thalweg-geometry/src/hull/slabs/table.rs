//! Slabs of x with bounds on y, between which points are inside of a hull. Provably:
//!
//! - Which slab an x belongs to is computed in floating-point arithmetic, by operations that never decrease when x does
//!   not: a difference, a product, a sum, two comparisons, a truncation. So the x of a slab are an interval, whatever
//!   was rounded, and its ends are *found*, by a search with that same function, not computed by another formula.
//! - A lower chain bends upward, so over an interval it is highest at one of the two ends. A bound at or above the chain at
//!   both ends is so everywhere between. Whether it is, is asked of the exact predicate, after the bound was computed and
//!   rounded; if not, it is raised.
//! - Slabs that are not inside of the hull's x-range have bounds between which nothing is; also the ones that hold its
//!   ends, for points on a vertical edge are on the boundary.
//! - Integers are compared as the nearest doubles. Rounding to nearest keeps the order: if the rounded y is above a double,
//!   so is y. The rounded x may be in the next slab, but less than one double beyond its end: by so much the ends are
//!   moved outward.

#![allow(unsafe_code)]

use std::cmp::Ordering;

use super::sample::SampleHull;
use crate::number::Number;

/// Slabs of equal width. Their bounds fill 32 KiB, which is what a core's first cache holds.
const SLABS: usize = 2046;

/// The table: slabs of x, with bounds on y.
#[derive(Clone, Debug)]
pub struct Slabs {
    /// Where the first slab begins.
    origin: f64,
    /// Slabs per unit of x.
    scale: f64,
    /// Whoever is above the first and below the second is strictly inside. Before and behind the slabs there is one more
    /// for everything that is to their left or right.
    bounds: Vec<[f64; 2]>,
}

/// Between these nothing is.
const NOWHERE: [f64; 2] = [f64::INFINITY, f64::NEG_INFINITY];

impl Slabs {
    /// The table of a hull, or `None` if it has no interior, or slabs that doubles cannot tell.
    pub fn new<N: Number>(hull: &SampleHull<N>) -> Option<Self> {
        let [left, right] = hull.range().map(Number::nearest);
        let scale = SLABS as f64 / (right - left);
        if !(right - left).is_normal() || !scale.is_normal() {
            return None;
        }
        let mut slabs = Self { origin: left, scale, bounds: vec![NOWHERE; SLABS + 2] };
        let mut start = slabs.least_of(1);
        let mut has_interior = false;
        for slab in 1..=SLABS {
            let end = slabs.least_of(slab + 1);
            slabs.bounds[slab] = hull.bounds_between(start.next_down(), end);
            has_interior |= slabs.bounds[slab][0] < slabs.bounds[slab][1];
            start = end;
        }
        has_interior.then_some(slabs)
    }

    /// The number of the slab of an x, which may be NaN.
    #[inline(always)]
    pub fn slab_of(&self, x: f64) -> usize {
        let slab = (x - self.origin) * self.scale + 1.0;
        // Written so that NaN becomes 0, and the second comparison one instruction.
        let slab = if slab > 0.0 { slab } else { 0.0 };
        let last = (SLABS + 1) as f64;
        let slab = if slab < last { slab } else { last };
        // SAFETY: a number from 0 to the last slab's. (A cast with its checks would take longer than all the rest.)
        (unsafe { slab.to_int_unchecked::<i32>() }) as usize
    }

    /// Whether a point is known to be strictly inside. False for what is not finite.
    #[inline(always)]
    pub fn is_inside(&self, [x, y]: [f64; 2]) -> bool {
        let [low, high] = self.bounds[self.slab_of(x)];
        low < y && y < high
    }

    /// Where the first slab begins, slabs per unit of x, and the bounds, of which the first and the last are of no slab.
    pub fn parts(&self) -> (f64, f64, &[[f64; 2]]) {
        (self.origin, self.scale, &self.bounds)
    }

    /// The least double of a slab, or of one to the right of it if it has none.
    fn least_of(&self, slab: usize) -> f64 {
        let is_before = |ordinal: i64| self.slab_of(of_ordinal(ordinal)) < slab;
        // Near the place that it should have. Infinities are ordinals too, so both searches end.
        let guess = ordinal(self.origin + (slab - 1) as f64 / self.scale);
        let (mut low, mut high, mut step) = (guess, guess, 1i64);
        while !is_before(low) {
            low = low.saturating_sub(step).max(ordinal(f64::NEG_INFINITY));
            step = step.saturating_mul(2);
        }
        step = 1;
        while is_before(high) {
            high = high.saturating_add(step).min(ordinal(f64::INFINITY));
            step = step.saturating_mul(2);
        }
        while high.abs_diff(low) > 1 {
            let middle = low.midpoint(high);
            if is_before(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        of_ordinal(high)
    }
}

/// The place of a double among all of them, 0 at the zeros.
fn ordinal(x: f64) -> i64 {
    let magnitude = (x.to_bits() & !(1 << 63)) as i64;
    if x.is_sign_negative() { -magnitude } else { magnitude }
}

fn of_ordinal(ordinal: i64) -> f64 {
    let x = f64::from_bits(ordinal.unsigned_abs());
    if ordinal < 0 { -x } else { x }
}

impl<N: Number> SampleHull<N> {
    /// Bounds on y such that all points between them, excluding, whose x are from `left` to `right`, are strictly inside.
    pub fn bounds_between(&self, left: f64, right: f64) -> [f64; 2] {
        let ends = [N::floor(left), N::ceil(right)];
        let range = self.range();
        if !(range[0] < ends[0] && ends[1] < range[1]) {
            return NOWHERE;
        }
        let low = ends.map(|x| beyond(self.lower(), x, Ordering::Greater));
        let high = ends.map(|x| beyond(self.upper(), x, Ordering::Less));
        [low[0].rounded_up().max(low[1].rounded_up()), high[0].rounded_down().min(high[1].rounded_down())]
    }
}

/// A y such that (x, y) is on the chain or beyond it, on its left (`Greater`) or right, seen from left to right; not much
/// farther from it than needed. The x is inside of the chain's range.
fn beyond<N: Number>(chain: &[[N; 2]], x: N, inner: Ordering) -> N {
    let next = chain.partition_point(|point| point[0] < x);
    let (a, b) = (chain[next - 1], chain[next]);
    let further = |y: N, than: N| y.compare(than) == inner;
    // No part of the edge is further in than its inner end.
    let end = if further(a[1], b[1]) { a[1] } else { b[1] };
    let [[ax, ay], [bx, by]] = [a, b].map(|point| point.map(Number::nearest));
    let y = ay + (by - ay) * ((x.nearest() - ax) / (bx - ax));
    // What rounding can do to this, roughly; the predicate has the last word.
    let error = (ay.abs() + by.abs()) * 1e-15;
    for y in [y, if inner == Ordering::Greater { y + error } else { y - error }] {
        if !y.is_finite() {
            break;
        }
        let y = if inner == Ordering::Greater { N::ceil(y) } else { N::floor(y) };
        if further(y, end) {
            break;
        }
        if N::orientation(a, b, [x, y]) != inner.reverse() {
            return y;
        }
    }
    end
}
