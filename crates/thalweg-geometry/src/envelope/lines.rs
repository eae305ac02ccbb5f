//! The segments as the engines see them, and what they ask about them: first of doubles with known errors, and of
//! [exact arithmetic](super::exact) where those do not decide.

use std::cmp::Ordering;

use rayon::prelude::*;
use thalweg_core::memory::computed;
use thalweg_core::primitives::sort_idx;
use thalweg_core::{Positions, Result};

use super::exact::{Exact, Raw};
use super::loader::{Loader, Scan};
use super::place::{Origin, Place};
use super::query::{Query, around};
use super::view::View;

/// Segments that a task looks at.
const GRAIN: usize = 1 << 13;

/// Lines that an engine works on, in an order of its own: segments by their left ends, then points by x.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    pub(crate) exact: Exact,
    views: Vec<View>,
    /// The number that the segment was given with.
    ids: Vec<u32>,
    /// How many are segments; the rest are points.
    proper: usize,
}

/// Which of two lines is the lower one between two places.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lower {
    First,
    Second,
    FirstThenSecond(Place),
    SecondThenFirst(Place),
}

impl Lines {
    /// Lines of the segments with these numbers.
    pub(crate) fn new(loader: &Loader<'_>, ids: Vec<u32>) -> Result<Self> {
        let (mut points, segments): (Vec<u32>, Vec<u32>) = ids.into_par_iter().partition(|&id| loader.is_point(id));
        points.par_sort_unstable_by(|&one, &two| loader.compare_points(one, two));
        let mut ids = by_left_end(loader, &segments)?;
        ids.append(&mut points);
        Self::in_order(loader, ids, segments.len())
    }

    /// Lines in the order of their numbers, of which `proper` are segments and the rest points.
    pub(crate) fn in_order(loader: &Loader<'_>, ids: Vec<u32>, proper: usize) -> Result<Self> {
        let exact = loader.exact(&ids)?;
        let views = match &exact.raw {
            Raw::Narrow(rows) => computed(rows.len(), GRAIN, "lines", |i| View::of_narrow(rows[i])),
            Raw::Wide(rows) => computed(rows.len(), GRAIN, "lines", |i| View::of_wide(rows[i])),
            Raw::Doubles(rows) => computed(rows.len(), GRAIN, "lines", |i| View::of_doubles(rows[i])),
        }?;
        Ok(Self { exact, views, ids, proper })
    }

    /// How many are segments. Points follow.
    pub(crate) fn proper(&self) -> usize {
        self.proper
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.ids.len()
    }

    /// The number that a line was given with.
    pub(crate) fn id(&self, line: u32) -> u32 {
        self.ids[line as usize]
    }

    pub(crate) fn view(&self, line: u32) -> &View {
        &self.views[line as usize]
    }

    pub(crate) fn left(&self, line: u32) -> Place {
        let (lo, hi) = self.end(line, 0);
        Place::new(lo, hi, Origin::Left(line))
    }

    pub(crate) fn right(&self, line: u32) -> Place {
        let (lo, hi) = self.end(line, 2);
        Place::new(lo, hi, Origin::Right(line))
    }

    fn end(&self, line: u32, column: usize) -> (f64, f64) {
        match &self.exact.raw {
            Raw::Narrow(rows) => (rows[line as usize][column].into(), rows[line as usize][column].into()),
            Raw::Wide(rows) => around(rows[line as usize][column].into()),
            Raw::Doubles(rows) => (rows[line as usize][column], rows[line as usize][column]),
        }
    }

    /// Which of two places is further left.
    #[inline(always)]
    pub(crate) fn compare(&self, p: &Place, q: &Place) -> Ordering {
        if p.hi < q.lo {
            Ordering::Less
        } else if q.hi < p.lo {
            Ordering::Greater
        } else {
            self.compare_closely(p, q)
        }
    }

    fn compare_closely(&self, p: &Place, q: &Place) -> Ordering {
        let at_infinity = |place: &Place| place.is_exact() && place.lo.is_infinite();
        if p.is_exact() && q.is_exact() || p.origin() == q.origin() {
            // Both enclosures are the numbers themselves, and they meet.
            Ordering::Equal
        } else if at_infinity(p) || at_infinity(q) {
            // A crossing may be beyond the largest double, but not at infinity.
            p.lo.total_cmp(&q.lo).then(p.hi.total_cmp(&q.hi))
        } else {
            self.exact.compare_places(p.origin(), q.origin())
        }
    }

    /// Whether the first line is surely below the second one at a place, or surely above.
    #[inline(always)]
    fn below(&self, a: u32, b: u32, at: &Place) -> Option<bool> {
        let (a, b) = (self.view(a), self.view(b));
        let ((ya, error_a), (yb, error_b)) = (a.value(at.lo), b.value(at.lo));
        // The place may lie to the right of where the values are taken.
        let width = (at.hi - at.lo) * 1.01;
        let error = error_a + error_b + (a.slope.abs() + b.slope.abs()) * width;
        let difference = yb - ya;
        if difference > error {
            Some(true)
        } else if -difference > error {
            Some(false)
        } else {
            None
        }
    }

    /// Which of two lines that go all the way from `from` to `to` is the lower one there. Where they are equal, it is the one
    /// with the smaller number.
    #[inline(always)]
    pub(crate) fn lower(&self, a: u32, b: u32, from: &Place, to: &Place) -> Lower {
        match (self.below(a, b, from), self.below(a, b, to)) {
            (Some(true), Some(true)) => Lower::First,
            (Some(false), Some(false)) => Lower::Second,
            (Some(true), Some(false)) => Lower::FirstThenSecond(self.crossing(a, b)),
            (Some(false), Some(true)) => Lower::SecondThenFirst(self.crossing(a, b)),
            _ => self.lower_exactly(a, b, from, to),
        }
    }

    #[cold]
    fn lower_exactly(&self, a: u32, b: u32, from: &Place, to: &Place) -> Lower {
        let slopes = self.compare_slope(a, b);
        if slopes.is_eq() {
            return self.lower_parallel(a, b);
        }
        // Before the crossing the steeper one is lower.
        let (before, after) =
            if slopes.is_gt() { (Lower::First, Lower::Second) } else { (Lower::Second, Lower::First) };
        let crossing = self.crossing(a, b);
        if self.compare(&crossing, from).is_le() {
            after
        } else if self.compare(&crossing, to).is_ge() {
            before
        } else if slopes.is_gt() {
            Lower::FirstThenSecond(crossing)
        } else {
            Lower::SecondThenFirst(crossing)
        }
    }

    fn compare_slope(&self, a: u32, b: u32) -> Ordering {
        let (one, two) = (self.view(a), self.view(b));
        let (difference, error) = (one.slope - two.slope, (4.0 * f64::EPSILON) * (one.slope.abs() + two.slope.abs()));
        // Slopes too small or too large for their bound have an infinite error.
        if difference.abs() > error && (one.error + two.error).is_finite() {
            difference.total_cmp(&0.0)
        } else {
            self.exact.compare_slope(a, b)
        }
    }

    fn lower_parallel(&self, a: u32, b: u32) -> Lower {
        let order = self.exact.compare_height(a, b).then(self.id(a).cmp(&self.id(b)));
        if order.is_lt() { Lower::First } else { Lower::Second }
    }

    /// Which of two lines is the lower one right behind a place, and where that changes, if it does.
    pub(crate) fn lower_after(&self, a: u32, b: u32, from: &Place) -> (u32, Option<Place>) {
        let slopes = self.compare_slope(a, b);
        if slopes.is_eq() {
            return (if matches!(self.lower_parallel(a, b), Lower::First) { a } else { b }, None);
        }
        let (before, after) = if slopes.is_gt() { (a, b) } else { (b, a) };
        let crossing = self.crossing(a, b);
        if self.compare(&crossing, from).is_le() { (after, None) } else { (before, Some(crossing)) }
    }

    /// Where two lines, which are not parallel, are equal.
    pub(crate) fn crossing(&self, a: u32, b: u32) -> Place {
        let (lo, hi) = self.enclose_crossing(a, b).unwrap_or_else(|| self.exact.enclose_crossing(a, b));
        Place::new(lo, hi, Origin::Crossing(a, b))
    }

    /// Two doubles around the crossing, if the errors are not too large to tell.
    fn enclose_crossing(&self, a: u32, b: u32) -> Option<(f64, f64)> {
        let (a, b) = (self.view(a), self.view(b));
        let difference = |x| {
            let ((ya, error_a), (yb, error_b)) = (a.value(x), b.value(x));
            (ya - yb, error_a + error_b)
        };
        let slope = a.slope - b.slope;
        // Both slopes are within 3u.
        let least_slope = slope.abs() - (4.0 * f64::EPSILON) * (a.slope.abs() + b.slope.abs());
        let mut x = a.x;
        for _ in 0..2 {
            x -= difference(x).0 / slope;
        }
        // The difference is linear: from here to the crossing it changes by what it is here.
        let (rest, error) = difference(x);
        let radius = (rest.abs() + error) * 1.01 / least_slope;
        // A wide enclosure would never decide anything.
        let is_sound = least_slope > 0.0 && error.is_finite() && radius <= x.abs() * 1e-9 + 1e-9;
        is_sound.then(|| ((x - radius).next_down(), (x + radius).next_up()))
    }

    /// Compares a line's value at a point's x with the point.
    pub(crate) fn compare_with_point(&self, line: u32, point: u32) -> Ordering {
        match self.below(line, point, &self.left(point)) {
            Some(true) => Ordering::Less,
            Some(false) => Ordering::Greater,
            None => self.exact.compare_with_point(line, point),
        }
    }

    /// Which of two lines is lower at `x`, and of equal ones the one with the smaller number.
    pub(crate) fn compare_at(&self, a: u32, b: u32, x: &Query) -> Ordering {
        match self.below(a, b, &x.place) {
            Some(true) => Ordering::Less,
            Some(false) => Ordering::Greater,
            None => self.exact.compare_at(a, b, x.number()).then(self.id(a).cmp(&self.id(b))),
        }
    }

    /// Compares a place with a number.
    pub(crate) fn compare_place(&self, place: &Place, x: &Query) -> Ordering {
        if place.hi < x.place.lo {
            Ordering::Less
        } else if place.lo > x.place.hi {
            Ordering::Greater
        } else if place.is_exact() && x.place.is_exact() {
            Ordering::Equal
        } else {
            self.exact.compare_place(place.origin(), x.number())
        }
    }
}

/// The numbers of segments in the order of their left ends.
fn by_left_end(loader: &Loader<'_>, ids: &[u32]) -> Result<Vec<u32>> {
    struct Lefts<'i>(&'i [u32]);
    impl Scan for Lefts<'_> {
        type Output = Result<Vec<f64>>;
        fn run(self, row: impl Fn(usize) -> [f64; 4] + Sync) -> Self::Output {
            computed(self.0.len(), GRAIN, "left ends", |k| {
                let [x1, _, x2, _] = row(self.0[k] as usize);
                x1.min(x2)
            })
        }
    }
    let order = sort_idx(&loader.scan(Lefts(ids))?)?;
    match order {
        Positions::U32(order) => computed(ids.len(), GRAIN, "an order", |k| ids[order[k] as usize]),
        Positions::U64(order) => computed(ids.len(), GRAIN, "an order", |k| ids[order[k] as usize]),
    }
}
