//! Exact decisions for any coordinates: integers of any length, in units of the smallest power of two that occurs.
//!
//! Asked only where the doubles around a number do not decide. With coordinates of 64 bits or doubles of similar size the
//! numbers have a few hundred bits; with 1e300 beside 1e-300 some thousands.

use std::cmp::Ordering;

use num_bigint::BigInt;

use super::number::Number;

/// A segment, or what has no end on one side or both.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// Between two points, the left one first. If they are the same, the level line through them.
    Segment([Number; 4]),
    /// Through a point, with a slope: the line, of which a ray is a part.
    Sloped { x: Number, y: Number, slope: Number },
}

impl Shape {
    /// From a row whose ends are in order. An infinite x has the slope beside it; the line has its height at 0 on the right.
    pub(crate) fn of([x1, y1, x2, y2]: [f64; 4]) -> Self {
        let number = Number::of;
        match (x1.is_finite(), x2.is_finite()) {
            (true, true) => Self::Segment([x1, y1, x2, y2].map(number)),
            (false, true) => Self::Sloped { x: number(x2), y: number(y2), slope: number(y1) },
            (true, false) => Self::Sloped { x: number(x1), y: number(y1), slope: number(y2) },
            (false, false) => Self::Sloped { x: Number::ZERO, y: number(y2), slope: number(y1) },
        }
    }

    /// From whole numbers.
    pub(crate) fn of_integers(row: [u64; 4]) -> Self {
        Self::Segment(row.map(|x| Number::integer(x.into())))
    }

    /// With `x0` added to every x. Only for whole numbers, or 0.
    pub(crate) fn moved(self, x0: i128) -> Self {
        match self {
            Self::Segment([x1, y1, x2, y2]) if x0 != 0 => {
                let moved = |x: Number| Number::integer(x.whole().expect("a frame is for whole numbers") + x0);
                Self::Segment([moved(x1), y1, moved(x2), y2])
            }
            _ => self,
        }
    }

    /// The exponents that common ones must not exceed: of x and of y.
    fn scales(&self) -> [i32; 2] {
        match self {
            Self::Segment([x1, y1, x2, y2]) => [x1.scale().min(x2.scale()), y1.scale().min(y2.scale())],
            Self::Sloped { x, y, .. } => [x.scale(), y.scale()],
        }
    }

    fn line(&self, [x_scale, y_scale]: [i32; 2]) -> Line {
        let (x1, y1, dx, dy) = match self {
            Self::Segment([x1, y1, x2, y2]) => {
                let [x1, x2] = [x1, x2].map(|x| x.in_units(x_scale));
                let [y1, y2] = [y1, y2].map(|y| y.in_units(y_scale));
                let (dx, dy) = if x1 == x2 { (1.into(), BigInt::ZERO) } else { (x2 - &x1, y2 - &y1) };
                (x1, y1, dx, dy)
            }
            Self::Sloped { x, y, slope } => {
                let (mantissa, exponent) = slope.parts();
                let exponent = exponent + x_scale - y_scale;
                let (dx, dy) = (BigInt::from(1) << (-exponent).max(0), BigInt::from(mantissa) << exponent.max(0));
                (x.in_units(x_scale), y.in_units(y_scale), dx, dy)
            }
        };
        let c = y1 * &dx - &dy * x1;
        Line { dx, dy, c }
    }
}

/// Common units for some shapes and numbers. Where everything is zero any unit will do.
fn common<const N: usize>(shapes: [&Shape; N], xs: &[Number]) -> [i32; 2] {
    let mut scales = [i32::MAX; 2];
    for [x, y] in shapes.map(Shape::scales) {
        scales = [scales[0].min(x), scales[1].min(y)];
    }
    let x = xs.iter().map(|x| x.scale()).fold(scales[0], i32::min);
    [x, scales[1]].map(|scale| if scale == i32::MAX { 0 } else { scale })
}

/// `y = (dy x + c) / dx`, with a positive `dx`.
struct Line {
    dx: BigInt,
    dy: BigInt,
    c: BigInt,
}

/// `numerator / denominator * 2^exponent`, with a positive denominator.
#[derive(Clone, Debug)]
pub(crate) struct Fraction {
    pub(crate) numerator: BigInt,
    pub(crate) denominator: BigInt,
    pub(crate) exponent: i32,
}

impl Fraction {
    pub(crate) fn of(x: Number) -> Self {
        let (mantissa, exponent) = x.parts();
        Self { numerator: mantissa.into(), denominator: 1.into(), exponent }
    }

    pub(crate) fn negated(self) -> Self {
        Self { numerator: -self.numerator, ..self }
    }

    /// With a whole number added.
    pub(crate) fn plus(mut self, whole: i128) -> Self {
        if whole != 0 {
            // In units that whole numbers have.
            if self.exponent > 0 {
                self.numerator <<= self.exponent;
                self.exponent = 0;
            }
            self.numerator += (BigInt::from(whole) * &self.denominator) << -self.exponent;
        }
        self
    }

    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        let (left, right) = (&self.numerator * &other.denominator, &other.numerator * &self.denominator);
        match self.exponent.cmp(&other.exponent) {
            Ordering::Less => left.cmp(&(right << (other.exponent - self.exponent))),
            Ordering::Equal => left.cmp(&right),
            Ordering::Greater => (left << (self.exponent - other.exponent)).cmp(&right),
        }
    }
}

pub(crate) fn compare_slope(a: &Shape, b: &Shape) -> Ordering {
    let scales = common([a, b], &[]);
    let (a, b) = (a.line(scales), b.line(scales));
    (a.dy * b.dx).cmp(&(b.dy * a.dx))
}

/// Which of two parallel lines is lower.
pub(crate) fn compare_height(a: &Shape, b: &Shape) -> Ordering {
    let scales = common([a, b], &[]);
    let (a, b) = (a.line(scales), b.line(scales));
    (a.c * b.dx).cmp(&(b.c * a.dx))
}

pub(crate) fn compare_at(a: &Shape, b: &Shape, x: Number) -> Ordering {
    let scales = common([a, b], &[x]);
    let (a, b, x) = (a.line(scales), b.line(scales), x.in_units(scales[0]));
    ((a.dy * &x + a.c) * b.dx).cmp(&((b.dy * x + b.c) * a.dx))
}

/// Where the lines, which are not parallel, are equal.
pub(crate) fn crossing(a: &Shape, b: &Shape) -> Fraction {
    let scales = common([a, b], &[]);
    let (a, b) = (a.line(scales), b.line(scales));
    let (numerator, denominator) = (&b.c * &a.dx - &a.c * &b.dx, a.dy * b.dx - b.dy * a.dx);
    let negative = denominator < BigInt::ZERO;
    let (numerator, denominator) = if negative { (-numerator, -denominator) } else { (numerator, denominator) };
    Fraction { numerator, denominator, exponent: scales[0] }
}

/// The line's value at `x`.
pub(crate) fn value(a: &Shape, x: Number) -> Fraction {
    let scales = common([a], &[x]);
    let line = a.line(scales);
    Fraction { numerator: line.dy * x.in_units(scales[0]) + line.c, denominator: line.dx, exponent: scales[1] }
}
