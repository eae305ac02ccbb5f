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

use thalweg_core::Result;
use thalweg_core::memory::computed;

use super::sample::SampleHull;
use crate::number::Number;

/// Slabs of equal width. Their bounds fill 32 KiB, which is what a core's first cache holds.
const SLABS: usize = 2046;

/// Slabs that a task makes.
const GRAIN: usize = 256;

/// The table: slabs of x, with bounds on y.
#[derive(Clone, Debug)]
pub(super) struct Slabs {
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
    pub(super) fn new<N: Number>(hull: &SampleHull<N>) -> Result<Option<Self>> {
        let [left, right] = hull.range().map(Number::nearest);
        let scale = SLABS as f64 / (right - left);
        if !(right - left).is_normal() || !scale.is_normal() {
            return Ok(None);
        }
        let mut slabs = Self { origin: left, scale, bounds: Vec::new() };
        let starts = computed(SLABS + 1, GRAIN, "ends of slabs", |i| slabs.least_of(i + 1))?;
        slabs.bounds = computed(SLABS + 2, GRAIN, "bounds of slabs", |slab| match slab {
            1..=SLABS => hull.bounds_between(starts[slab - 1].next_down(), starts[slab]),
            _ => NOWHERE,
        })?;
        let has_interior = slabs.bounds.iter().any(|[low, high]| low < high);
        Ok(has_interior.then_some(slabs))
    }

    /// The number of the slab of an x, which may be NaN.
    #[inline(always)]
    pub(super) fn slab_of(&self, x: f64) -> usize {
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
    pub(super) fn is_inside(&self, [x, y]: [f64; 2]) -> bool {
        let [low, high] = self.bounds[self.slab_of(x)];
        low < y && y < high
    }

    /// Where the first slab begins, slabs per unit of x, and the bounds, of which the first and the last are of no slab.
    pub(super) fn parts(&self) -> (f64, f64, &[[f64; 2]]) {
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
    pub(super) fn bounds_between(&self, left: f64, right: f64) -> [f64; 2] {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::Load;

    /// Whether a point is strictly inside of a hull, by the predicate.
    fn is_strictly_inside<N: Number>(hull: &SampleHull<N>, point: [N; 2]) -> bool {
        let turns = |chain: &[[N; 2]], to: Ordering| {
            let next = chain.partition_point(|corner| corner[0] < point[0]);
            N::orientation(chain[next - 1], chain[next], point) == to
        };
        let [left, right] = hull.range();
        left < point[0]
            && point[0] < right
            && turns(hull.lower(), Ordering::Greater)
            && turns(hull.upper(), Ordering::Less)
    }

    /// Every slab's corner points, as far out as its bounds let them be, are inside.
    fn check<T: Load + thalweg_core::Key>(points: &[[T; 2]], to_type: impl Fn(f64) -> T) {
        let hull = SampleHull::of(points).unwrap().unwrap();
        let slabs = Slabs::new(&hull).unwrap().expect("a hull with an interior");
        let mut dropped = 0;
        for slab in 1..=SLABS {
            let (start, end) = (slabs.least_of(slab), slabs.least_of(slab + 1));
            assert!(start <= end);
            let [low, high] = slabs.bounds[slab];
            for x in [start, start.next_up(), start / 2.0 + end / 2.0, end.next_down()].map(&to_type) {
                for y in [low.next_up(), low / 2.0 + high / 2.0, high.next_down()].map(&to_type) {
                    if slabs.is_inside([x, y].map(Load::nearest)) {
                        dropped += 1;
                        assert!(is_strictly_inside(&hull, [x, y].map(T::load)), "{x:?} {y:?} in slab {slab}");
                    }
                }
            }
        }
        assert!(dropped > SLABS, "{dropped}");
    }

    #[test]
    fn what_is_between_the_bounds_is_inside() {
        use thalweg_data::PointKind::{Circle, Disk, Grid, Normal, Square};
        for kind in [Circle, Disk, Grid, Normal, Square] {
            let points = kind.make::<f64>(20_000, 3);
            check(&points, |x| x);
            for (scale, shift) in [(1e300, 0.0), (1e-300, 0.0), (1e-3, 1e9), (7.0, -1e15)] {
                let moved: Vec<[f64; 2]> = points.iter().map(|point| point.map(|x| x * scale + shift)).collect();
                check(&moved, |x| x);
            }
            check(&kind.make::<f32>(20_000, 3), |x| x as f32);
            check(&kind.make::<i64>(20_000, 3), |x| x as i64);
            check(&kind.make::<i32>(20_000, 3), |x| x as i32);
            // Integers that doubles cannot tell apart.
            let large: Vec<[i64; 2]> =
                kind.make::<i64>(20_000, 3).iter().map(|point| point.map(|x| i64::MAX - 100_000 + (x >> 47))).collect();
            let hull = SampleHull::of(&large).unwrap().unwrap();
            if let Some(slabs) = Slabs::new(&hull).unwrap() {
                for &point in &large {
                    let is_inside = slabs.is_inside(point.map(Load::nearest));
                    assert!(!is_inside || is_strictly_inside(&hull, point), "{point:?}");
                }
            }
        }
    }

    #[test]
    fn what_is_not_finite_is_never_inside() {
        let points = thalweg_data::PointKind::Disk.make::<f64>(20_000, 3);
        let slabs = Slabs::new(&SampleHull::of(&points).unwrap().unwrap()).unwrap().unwrap();
        assert!(slabs.is_inside([0.0, 0.0]));
        for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 2.0, -2.0, f64::MAX] {
            assert!(!slabs.is_inside([x, 0.0]) && !slabs.is_inside([0.0, x]) && !slabs.is_inside([x, x]), "{x}");
        }
    }

    #[test]
    fn flat_hulls_have_no_table() {
        for points in
            [&[[1.0, 2.0], [1.0, 5.0]][..], &[[0.0, 0.0], [1.0, 1.0]], &[[3.0, 3.0]], &[[0.0, 0.0], [1e-310, 1.0]]]
        {
            assert!(Slabs::new(&SampleHull::of(points).unwrap().unwrap()).unwrap().is_none(), "{points:?}");
        }
    }
}
