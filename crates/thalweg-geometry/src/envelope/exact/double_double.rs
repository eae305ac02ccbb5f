//! Nearest doubles of what doubles make, in twice their precision: right in nearly all cases, and known where not.
//!
//! A number is the sum of two doubles, some 106 bits (Dekker 1971; the error bounds are those of Joldes, Muller and Popescu
//! 2017, taken much wider). The last step is Ziv's: if the result plus and minus its error rounds to the same double, that
//! is the nearest one; if not, [big integers](super::big) decide. Where a product could leave the range in which these
//! formulas hold, there is no answer either.

/// A sum of two doubles, the second below half a unit in the last place of the first.
#[derive(Clone, Copy, Debug)]
struct Double {
    high: f64,
    low: f64,
}

/// Magnitudes with which products of three and quotients stay far from the ends of the range.
const LARGE: f64 = 1e60;
const SMALL: f64 = 1e-60;

/// Relative error of a chain of a few operations on [`Double`]s, each of which is below 2^-101.
const ERROR: f64 = f64::EPSILON * f64::EPSILON * 1024.0; // 2^-94

fn is_moderate(x: f64) -> bool {
    x == 0.0 || x.abs() > SMALL && x.abs() < LARGE
}

/// a + b, exactly.
fn sum(a: f64, b: f64) -> Double {
    let high = a + b;
    let part = high - a;
    Double { high, low: (a - (high - part)) + (b - part) }
}

/// a * b, exactly.
fn product(a: f64, b: f64) -> Double {
    fn split(a: f64) -> (f64, f64) {
        let scaled = 134_217_729.0 * a; // 2^27 + 1
        let high = scaled - (scaled - a);
        (high, a - high)
    }
    let high = a * b;
    let ((a1, a0), (b1, b0)) = (split(a), split(b));
    Double { high, low: ((a1 * b1 - high) + a1 * b0 + a0 * b1) + a0 * b0 }
}

impl Double {
    fn plus(self, other: Self) -> Self {
        let (high, low) = (sum(self.high, other.high), sum(self.low, other.low));
        let first = quick(high.high, high.low + low.high);
        quick(first.high, first.low + low.low)
    }

    fn minus(self, other: Self) -> Self {
        self.plus(Self { high: -other.high, low: -other.low })
    }

    fn times(self, other: Self) -> Self {
        let main = product(self.high, other.high);
        quick(main.high, main.low + (self.high * other.low + self.low * other.high))
    }

    fn over(self, other: Self) -> Self {
        let quotient = self.high / other.high;
        let rest = self.minus(other.times(Self { high: quotient, low: 0.0 }));
        quick(quotient, rest.high / other.high)
    }
}

/// a + b for |a| >= |b|.
fn quick(a: f64, b: f64) -> Double {
    let high = a + b;
    Double { high, low: b - (high - a) }
}

/// The double nearest to `base + more`, if an error of `error` in the latter cannot change it.
fn settled(base: f64, more: Double, error: f64) -> Option<f64> {
    let high = sum(base, more.high);
    let low = high.low + more.low;
    // Twice the error, for the roundings of these very sums.
    let slack = 2.0 * error + f64::EPSILON * low.abs();
    let (below, above) = (high.high + (low - slack), high.high + (low + slack));
    // Not for NaN, and not where doubles have fewer digits.
    (below == above && is_moderate(below)).then_some(below)
}

/// A line through a point, with a direction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    x: f64,
    y: f64,
    dx: Double,
    dy: Double,
}

impl Line {
    /// From a row whose ends are in order; see [`Shape`](super::big::Shape) for infinite ones.
    pub(crate) fn of([x1, y1, x2, y2]: [f64; 4]) -> Option<Self> {
        let sloped = |x, y, slope| Self { x, y, dx: sum(1.0, 0.0), dy: sum(slope, 0.0) };
        let line = match (x1.is_finite(), x2.is_finite()) {
            (true, true) if x1 == x2 => sloped(x1, y1, 0.0),
            (true, true) => Self { x: x1, y: y1, dx: sum(x2, -x1), dy: sum(y2, -y1) },
            (false, true) => sloped(x2, y2, y1),
            (true, false) => sloped(x1, y1, y2),
            (false, false) => sloped(0.0, y2, y1),
        };
        let numbers = [line.x, line.y, line.dx.high, line.dy.high];
        numbers.into_iter().all(is_moderate).then_some(line)
    }

    /// The double nearest to the line's value at `x`.
    pub(crate) fn value(&self, x: f64) -> Option<f64> {
        let rise = self.dy.times(sum(x, -self.x)).over(self.dx);
        if !is_moderate(x - self.x) || !is_moderate(rise.high) {
            return None;
        }
        settled(self.y, rise, ERROR * rise.high.abs())
    }

    /// The double nearest to the x where both lines are equal, from a guess.
    pub(crate) fn crossing(&self, other: &Self, guess: f64) -> Option<f64> {
        // a(x) - b(x), times both dx, at the guess; and its slope. The guess is near, so the correction is small.
        let height = sum(self.y, -other.y).times(self.dx).times(other.dx);
        let rise = |line: &Self, by: &Self| sum(guess, -line.x).times(line.dy).times(by.dx);
        let (rise, fall) = (rise(self, other), rise(other, self));
        let slope = self.dy.times(other.dx).minus(other.dy.times(self.dx));
        let size = height.high.abs() + rise.high.abs() + fall.high.abs();
        let slope_size = (self.dy.high * other.dx.high).abs() + (other.dy.high * self.dx.high).abs();
        let more = fall.minus(height).minus(rise).over(slope);
        // The slope has kept two thirds of its digits: within 2^-70 of what it should be, 1e-20 with room.
        if ![size, slope_size, slope.high, guess].into_iter().all(is_moderate) || slope.high.abs() < slope_size * 1e-9 {
            return None;
        }
        let error = ERROR * size / slope.high.abs() + 1e-20 * more.high.abs();
        settled(guess, more, error)
    }
}

#[cfg(test)]
mod tests {
    use super::super::big::{self, Shape};
    use super::super::number::Number;
    use super::super::rounding::nearest_big;
    use super::*;
    use proptest::prelude::*;

    fn nearest(f: &big::Fraction) -> f64 {
        nearest_big(&f.numerator, &f.denominator, f.exponent.into())
    }

    proptest! {
        #[test]
        fn agrees_with_big_integers_or_passes(
            a in [-1e3..1e3, -1e3..1e3, 1e-6..1e3, -1e3..1e3],
            b in [-1e3..1e3, -1e3..1e3, 1e-6..1e3, -1e3..1e3],
            x in -1e3..1e3,
            whole in any::<bool>(),
            near in any::<bool>(),
            exponent in -20i32..20,
        ) {
            // Whole numbers give values and crossings that are doubles, or halfway between two.
            let row = |[x, y, dx, dy]: [f64; 4]| {
                let row = [x, y, x + dx, y + dy].map(|x| if whole { x.ceil() } else { x * 2f64.powi(exponent) });
                [row[0], row[1], if row[2] > row[0] { row[2] } else { row[0] + 1.0 }, row[3]]
            };
            let (a, mut b) = (row(a), row(b));
            if near {
                b = [a[0], a[1].next_up(), a[2], a[3].next_down()];
            }
            // The neighbour of zero is too small for a line.
            let (Some(line), Some(other)) = (Line::of(a), Line::of(b)) else { return Ok(()) };
            if let Some(got) = line.value(x) {
                prop_assert_eq!(got, nearest(&big::value(&Shape::of(a), Number::of(x))));
            }
            let (s, t) = (Shape::of(a), Shape::of(b));
            if big::compare_slope(&s, &t).is_ne() {
                let want = nearest(&big::crossing(&s, &t));
                for guess in [want, want * (1.0 + 1e-12), x] {
                    if let Some(got) = line.crossing(&other, guess) {
                        prop_assert_eq!(got, want, "{:?} {:?} from {}", a, b, guess);
                    }
                }
            }
        }
    }

    #[test]
    fn ordinary_numbers_are_settled() {
        let (a, b) = (Line::of([0.0, 0.3, 1.0, 0.7]).unwrap(), Line::of([0.1, 0.9, 1.1, 0.2]).unwrap());
        assert!(a.value(0.6).is_some() && a.crossing(&b, 0.5).is_some());
        assert!(Line::of([0.0, 1e300, 1.0, 1.0]).is_none());
    }
}
