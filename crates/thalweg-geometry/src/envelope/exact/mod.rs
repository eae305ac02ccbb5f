//! The segments as they are, and every decision about them exactly: what is asked when doubles do not tell.
//!
//! | coordinates | arithmetic | file |
//! |---|---|---|
//! | integers that span less than 2^32, among them all of 32 bits | 128 bits, 256 for two crossings | `narrow.rs` |
//! | other integers, doubles | big integers | `big.rs` |
//!
//! Results become doubles by rounding to the nearest (`rounding.rs`); `double_double.rs` mostly spares the big integers
//! there.

mod big;
mod double_double;
mod grid;
mod narrow;
mod number;
mod rounding;

use std::cmp::Ordering;

use num_rational::BigRational;

use self::big::Shape;
pub(crate) use self::number::Number;
use self::rounding::{nearest, nearest_big};
use super::place::{Origin, Place};

/// How coordinates here became those that were given: `x = x0 + x'`, and `y = y0 + y'`, or `y0 - y'` if flipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) x0: i128,
    pub(crate) y0: i128,
    pub(crate) flip: bool,
}

/// Segments in the frame, each with its left end first; a vertical one is its lowest point, twice.
#[derive(Clone, Debug)]
pub(crate) enum Raw {
    /// Integers below 2^32.
    Narrow(Vec<[u32; 4]>),
    /// Integers below 2^64.
    Wide(Vec<[u64; 4]>),
    /// Doubles. An infinite x has the slope beside it; a line has its height at 0 beside the right one.
    Doubles(Vec<[f64; 4]>),
}

/// The segments with their frame. Numbers that are asked about, and answers, are in coordinates as they were given; lines
/// are numbered as here.
#[derive(Clone, Debug)]
pub(crate) struct Exact {
    pub(crate) raw: Raw,
    pub(crate) frame: Frame,
}

impl Exact {
    fn shape(&self, line: u32) -> Shape {
        match &self.raw {
            Raw::Narrow(rows) => Shape::of_integers(rows[line as usize].map(u64::from)),
            Raw::Wide(rows) => Shape::of_integers(rows[line as usize]),
            Raw::Doubles(rows) => Shape::of(rows[line as usize]),
        }
    }

    /// A coordinate in the frame: 0 to 3 for x1, y1, x2, y2. It must be finite.
    fn number(&self, line: u32, column: usize) -> Number {
        match &self.raw {
            Raw::Narrow(rows) => Number::integer(rows[line as usize][column].into()),
            Raw::Wide(rows) => Number::integer(rows[line as usize][column].into()),
            Raw::Doubles(rows) => Number::of(rows[line as usize][column]),
        }
    }

    fn narrow(&self, line: u32) -> Option<narrow::Line> {
        match &self.raw {
            Raw::Narrow(rows) => Some(narrow::Line::of(rows[line as usize])),
            _ => None,
        }
    }

    /// A whole number that was given, in the frame, if that is narrow and holds it.
    fn narrow_x(&self, x: Number) -> Option<u32> {
        match self.raw {
            Raw::Narrow(_) => u32::try_from(x.whole()? - self.frame.x0).ok(),
            _ => None,
        }
    }

    pub(crate) fn compare_slope(&self, a: u32, b: u32) -> Ordering {
        match (self.narrow(a), self.narrow(b)) {
            (Some(a), Some(b)) => a.compare_slope(&b),
            _ => big::compare_slope(&self.shape(a), &self.shape(b)),
        }
    }

    /// Which of two parallel lines is lower.
    pub(crate) fn compare_height(&self, a: u32, b: u32) -> Ordering {
        match (self.narrow(a), self.narrow(b)) {
            (Some(a), Some(b)) => a.compare_height(&b),
            _ => big::compare_height(&self.shape(a), &self.shape(b)),
        }
    }

    /// Which of two lines is lower at `x`.
    pub(crate) fn compare_at(&self, a: u32, b: u32, x: Number) -> Ordering {
        match (self.narrow(a), self.narrow(b), self.narrow_x(x)) {
            (Some(a), Some(b), Some(x)) => a.compare_at(&b, x),
            _ => {
                let [a, b] = [a, b].map(|line| self.shape(line).moved(self.frame.x0));
                big::compare_at(&a, &b, x)
            }
        }
    }

    /// Compares the value of a line at a point's x with the point's y.
    pub(crate) fn compare_with_point(&self, a: u32, point: u32) -> Ordering {
        if let (Some(line), Raw::Narrow(rows)) = (self.narrow(a), &self.raw) {
            let [x, y, ..] = rows[point as usize];
            return line.value(x).cmp(&(i128::from(y) * line.dx));
        }
        let value = big::value(&self.shape(a), self.number(point, 0));
        value.compare(&big::Fraction::of(self.number(point, 1)))
    }

    /// Compares two places that are not at infinity.
    pub(crate) fn compare_places(&self, p: Origin, q: Origin) -> Ordering {
        match (self.narrow_place(p), self.narrow_place(q)) {
            (Some(p), Some(q)) => p.compare(&q),
            _ => self.big_place(p).compare(&self.big_place(q)),
        }
    }

    /// Compares a place that is not at infinity with a number.
    pub(crate) fn compare_place(&self, p: Origin, x: Number) -> Ordering {
        match (self.narrow_place(p), self.narrow_x(x)) {
            (Some(p), Some(x)) => p.compare(&narrow::Fraction::integer(x)),
            _ => self.big_place(p).plus(self.frame.x0).compare(&big::Fraction::of(x)),
        }
    }

    fn narrow_place(&self, origin: Origin) -> Option<narrow::Fraction> {
        let Raw::Narrow(rows) = &self.raw else { return None };
        Some(match origin {
            Origin::Left(a) => narrow::Fraction::integer(rows[a as usize][0]),
            Origin::Right(a) => narrow::Fraction::integer(rows[a as usize][2]),
            Origin::Crossing(a, b) => self.narrow(a)?.crossing(&self.narrow(b)?),
        })
    }

    /// In the frame.
    fn big_place(&self, origin: Origin) -> big::Fraction {
        match origin {
            Origin::Left(a) => big::Fraction::of(self.number(a, 0)),
            Origin::Right(a) => big::Fraction::of(self.number(a, 2)),
            Origin::Crossing(a, b) => big::crossing(&self.shape(a), &self.shape(b)),
        }
    }

    /// Two doubles around a crossing, in the frame: the neighbours of the nearest.
    pub(crate) fn enclose_crossing(&self, a: u32, b: u32) -> (f64, f64) {
        let nearest = match self.narrow_place(Origin::Crossing(a, b)) {
            Some(narrow::Fraction { numerator, denominator }) => nearest(numerator, denominator.unsigned_abs()),
            None => rounded(&self.big_place(Origin::Crossing(a, b))),
        };
        (nearest.next_down(), nearest.next_up())
    }

    /// The double nearest to a place.
    pub(crate) fn nearest_place(&self, place: &Place) -> f64 {
        match (&self.raw, place.origin()) {
            (Raw::Doubles(_), _) if place.is_exact() => return place.lo,
            (Raw::Doubles(rows), Origin::Crossing(a, b)) => {
                let lines = [a, b].map(|line| double_double::Line::of(rows[line as usize]));
                if let [Some(a), Some(b)] = lines
                    && let Some(x) = a.crossing(&b, 0.5 * place.lo + 0.5 * place.hi)
                {
                    return x;
                }
            }
            (_, origin) => {
                if let Some(narrow::Fraction { numerator, denominator }) = self.narrow_place(origin)
                    && self.frame.x0.unsigned_abs() < 1 << 61
                {
                    // The denominator has 65 bits, so that 127 are enough.
                    return nearest(self.frame.x0 * denominator + numerator, denominator.unsigned_abs());
                }
            }
        }
        rounded(&self.big_place(place.origin()).plus(self.frame.x0))
    }

    /// A place, unless it is at infinity.
    pub(crate) fn exact_place(&self, place: &Place) -> Option<BigRational> {
        let is_finite = !place.is_exact() || place.lo.is_finite();
        is_finite.then(|| rational(self.big_place(place.origin()).plus(self.frame.x0)))
    }

    /// The double nearest to a line's value at `x`.
    pub(crate) fn nearest_value(&self, line: u32, x: Number) -> f64 {
        let Frame { y0, flip, .. } = self.frame;
        if let (Some(line), Some(x)) = (self.narrow(line), self.narrow_x(x)) {
            let value = if flip { -line.value(x) } else { line.value(x) };
            // |y0| is below 2^65 and dx below 2^32.
            return nearest(y0 * line.dx + value, line.dx.unsigned_abs());
        }
        if let Some(row) = self.row_in_doubles(line)
            && let Some(x) = x.double()
            && let Some(value) = double_double::Line::of(row).and_then(|line| line.value(x))
        {
            return value;
        }
        rounded(&self.big_value(line, x))
    }

    /// A line as `y' = slope x + height`, with y in the frame and x as it was given.
    pub(crate) fn slope_and_height(&self, line: u32) -> (BigRational, BigRational) {
        let shape = self.shape(line).moved(self.frame.x0);
        let [height, next] = [0, 1].map(|x| rational(big::value(&shape, Number::integer(x))));
        (next - &height, height)
    }

    fn big_value(&self, line: u32, x: Number) -> big::Fraction {
        let value = big::value(&self.shape(line).moved(self.frame.x0), x);
        if self.frame.flip { value.negated() } else { value }.plus(self.frame.y0)
    }

    /// A row as it was given, but with its ends in order, if it consists of doubles.
    fn row_in_doubles(&self, line: u32) -> Option<[f64; 4]> {
        let Frame { x0, y0, flip } = self.frame;
        match &self.raw {
            Raw::Doubles(rows) => {
                let [x1, y1, x2, y2] = rows[line as usize];
                Some(if flip { [x1, -y1, x2, -y2] } else { [x1, y1, x2, y2] })
            }
            Raw::Narrow(rows) if x0.unsigned_abs() < 1 << 52 && y0.unsigned_abs() < 1 << 52 => {
                let [x1, y1, x2, y2] = rows[line as usize].map(i128::from);
                let row =
                    if flip { [x0 + x1, y0 - y1, x0 + x2, y0 - y2] } else { [x0 + x1, y0 + y1, x0 + x2, y0 + y2] };
                Some(row.map(|x| x as f64))
            }
            _ => None,
        }
    }
}

fn rounded(fraction: &big::Fraction) -> f64 {
    nearest_big(&fraction.numerator, &fraction.denominator, fraction.exponent.into())
}

fn rational(fraction: big::Fraction) -> BigRational {
    let big::Fraction { mut numerator, mut denominator, exponent } = fraction;
    if exponent >= 0 {
        numerator <<= exponent;
    } else {
        denominator <<= -exponent;
    }
    BigRational::new(numerator, denominator)
}
