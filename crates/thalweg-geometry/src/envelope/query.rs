//! Numbers at which an envelope is asked for.

use super::exact::Number;
use super::place::{Origin, Place};

/// A number that is asked about: as it was given, and two doubles around it in the frame of the lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Query {
    pub(crate) place: Place,
    given: Given,
}

#[derive(Clone, Copy, Debug)]
enum Given {
    Whole(i128),
    Double(f64),
}

impl Query {
    /// A whole number, where the frame of the lines begins at `x0`.
    #[inline]
    pub(crate) fn whole(x0: i128, x: i128) -> Self {
        let (lo, hi) = around(x - x0);
        Self { place: Place::new(lo, hi, Origin::Left(0)), given: Given::Whole(x) }
    }

    /// The same of a double, which must be finite.
    pub(crate) fn double(x0: i128, x: f64) -> Self {
        if let (true, Some(whole)) = (x0 != 0, Number::of(x).whole()) {
            return Self::whole(x0, whole);
        }
        // A fraction beside whole numbers, or a double among doubles.
        let (low, high) = around(x0);
        let (lo, hi) = if x0 == 0 { (x, x) } else { ((x - high).next_down(), (x - low).next_up()) };
        Self { place: Place::new(lo, hi, Origin::Left(0)), given: Given::Double(x) }
    }

    /// As it was given.
    pub(crate) fn number(&self) -> Number {
        match self.given {
            Given::Whole(x) => Number::integer(x),
            Given::Double(x) => Number::of(x),
        }
    }
}

/// Doubles around a whole number.
#[inline]
pub(crate) fn around(whole: i128) -> (f64, f64) {
    if let Ok(short) = i64::try_from(whole)
        && short.unsigned_abs() <= 1 << 53
    {
        return (short as f64, short as f64);
    }
    let nearest = whole as f64;
    if nearest as i128 == whole { (nearest, nearest) } else { (nearest.next_down(), nearest.next_up()) }
}
