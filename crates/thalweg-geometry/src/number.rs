//! The two number types, and the one question that is asked of points: which way do three of them turn?

mod big;

use std::borrow::Cow;
use std::cmp::Ordering;

use thalweg_core::{Key, Result};

use crate::coordinates::converted;

/// A coordinate that engines compute with: an exact integer or a double.
pub trait Number: Key + Send + Sync {
    /// The order of two numbers; of doubles that are finite. The two zeros are equal.
    fn compare(self, other: Self) -> Ordering;

    /// Which way the path `a`, `b`, `c` turns: `Greater` to the left (counter-clockwise), `Less` to the right, `Equal` if the
    /// points are on one line. Exact, for all integers and all finite doubles.
    fn orientation(a: [Self; 2], b: [Self; 2], c: [Self; 2]) -> Ordering;

    /// [`Number::orientation`] by arithmetic on big integers alone, without a filter.
    fn slow_orientation(a: [Self; 2], b: [Self; 2], c: [Self; 2]) -> Ordering;

    /// The nearest double. Monotone: a larger number never has a smaller one.
    fn nearest(self) -> f64;
    /// A double that is no larger.
    fn rounded_down(self) -> f64;
    /// A double that is no smaller.
    fn rounded_up(self) -> f64;
    /// The largest number that is no larger than a finite double, or the least of all.
    fn floor(x: f64) -> Self;
    /// The smallest number that is no smaller than a finite double, or the largest of all.
    fn ceil(x: f64) -> Self;
    /// Whether it is a number at all: not NaN and not infinite.
    fn is_finite(self) -> bool;
}

/// The order of points by x, then by y.
#[inline(always)]
pub fn lexicographic<N: Number>(a: [N; 2], b: [N; 2]) -> Ordering {
    a[0].compare(b[0]).then_with(|| a[1].compare(b[1]))
}

/// Shewchuk's bound on the relative error of an orientation in doubles: (3 + 16 ε) ε with ε = 2^-53.
const ERROR: f64 = {
    let epsilon = f64::EPSILON / 2.0;
    (3.0 + 16.0 * epsilon) * epsilon
};

/// Where `robust` is exact: its expansions neither overflow (products of differences below 2^1004, and they are split by a
/// factor of 2^27 before that) nor lose bits to underflow (what is not zero is a multiple of 2^-452, and products of
/// 2^-904).
const LEAST: f64 = f64::from_bits((1023 - 400) << 52);
const MOST: f64 = f64::from_bits((1023 + 500) << 52);

impl Number for f64 {
    #[inline(always)]
    fn compare(self, other: Self) -> Ordering {
        self.partial_cmp(&other).unwrap_or(Ordering::Equal)
    }

    #[inline(always)]
    fn orientation(a: [Self; 2], b: [Self; 2], c: [Self; 2]) -> Ordering {
        let left = (b[0] - a[0]) * (c[1] - a[1]);
        let right = (b[1] - a[1]) * (c[0] - a[0]);
        let determinant = left - right;
        // Differences never underflow, a product loses less than 2^-1074 by it. What overflows makes the bound infinite or
        // NaN, and nothing is larger than that.
        let bound = ERROR * (left.abs() + right.abs()) + Self::MIN_POSITIVE;
        if determinant > bound {
            Ordering::Greater
        } else if determinant < -bound {
            Ordering::Less
        } else {
            careful_orientation(a, b, c)
        }
    }

    fn slow_orientation(a: [Self; 2], b: [Self; 2], c: [Self; 2]) -> Ordering {
        big::orientation_of_doubles(a, b, c)
    }

    #[inline(always)]
    fn nearest(self) -> f64 {
        self
    }

    fn rounded_down(self) -> f64 {
        self
    }

    fn rounded_up(self) -> f64 {
        self
    }

    fn floor(x: f64) -> Self {
        x
    }

    fn ceil(x: f64) -> Self {
        x
    }

    #[inline(always)]
    fn is_finite(self) -> bool {
        Self::is_finite(self)
    }
}

/// What the filter cannot decide: `robust` where it is exact, if need be of points scaled by a power of two, else big integers.
#[cold]
#[inline(never)]
fn careful_orientation(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> Ordering {
    let (mut least, mut most) = (f64::INFINITY, 0.0);
    for x in [a, b, c].as_flattened().iter().map(|x| x.abs()).filter(|x| *x != 0.0) {
        (least, most) = (x.min(least), x.max(most));
    }
    if most == 0.0 {
        return Ordering::Equal;
    }
    let robust = |points: [[f64; 2]; 3]| {
        let [a, b, c] = points.map(|[x, y]| robust::Coord { x, y });
        robust::orient2d(a, b, c).partial_cmp(&0.0).expect("no overflow, so no NaN")
    };
    if LEAST <= least && most <= MOST {
        return robust([a, b, c]);
    }
    // So that the largest is near the upper end. In two steps, as the power may be too large for one. Nothing is lost: scaling
    // up is exact, and what is scaled down stays above the lower end.
    let shift = exponent(MOST) - 1 - exponent(most);
    if exponent(least) + shift < exponent(LEAST) {
        return big::orientation_of_doubles(a, b, c);
    }
    let (half, rest) = (power(shift / 2), power(shift - shift / 2));
    robust([a, b, c].map(|point| point.map(|x| x * half * rest)))
}

/// The exponent of a number that is finite and not zero: it is at least this power of two and below the next.
fn exponent(x: f64) -> i32 {
    let bits = x.abs().to_bits();
    match (bits >> 52) as i32 {
        0 => -1074 + bits.ilog2() as i32,
        biased => biased - 1023,
    }
}

/// A power of two, from -1022 to 1023.
fn power(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

impl Number for i64 {
    #[inline(always)]
    fn compare(self, other: Self) -> Ordering {
        self.cmp(&other)
    }

    #[inline(always)]
    fn orientation(a: [Self; 2], b: [Self; 2], c: [Self; 2]) -> Ordering {
        let [bx, by, cx, cy] =
            [b[0].checked_sub(a[0]), b[1].checked_sub(a[1]), c[0].checked_sub(a[0]), c[1].checked_sub(a[1])];
        if let (Some(bx), Some(by), Some(cx), Some(cy)) = (bx, by, cx, cy) {
            (i128::from(bx) * i128::from(cy)).cmp(&(i128::from(by) * i128::from(cx)))
        } else {
            wide_orientation(a, b, c)
        }
    }

    fn slow_orientation(a: [Self; 2], b: [Self; 2], c: [Self; 2]) -> Ordering {
        big::orientation_of_integers(a, b, c)
    }

    #[inline(always)]
    fn nearest(self) -> f64 {
        self as f64
    }

    fn rounded_down(self) -> f64 {
        let x = self as f64;
        if x as i128 > i128::from(self) { x.next_down() } else { x }
    }

    fn rounded_up(self) -> f64 {
        let x = self as f64;
        if (x as i128) < i128::from(self) { x.next_up() } else { x }
    }

    fn floor(x: f64) -> Self {
        x.floor() as Self // saturates
    }

    fn ceil(x: f64) -> Self {
        x.ceil() as Self // saturates
    }

    #[inline(always)]
    fn is_finite(self) -> bool {
        true
    }
}

/// Differences that need 65 bits: a sign and a magnitude of 64, so that the magnitudes of products have 128.
#[cold]
#[inline(never)]
fn wide_orientation(a: [i64; 2], b: [i64; 2], c: [i64; 2]) -> Ordering {
    let product = |p: (i64, i64), q: (i64, i64)| {
        let magnitude = u128::from(p.0.abs_diff(p.1)) * u128::from(q.0.abs_diff(q.1));
        ((p.0 < p.1) != (q.0 < q.1) && magnitude > 0, magnitude)
    };
    let left = product((b[0], a[0]), (c[1], a[1]));
    let right = product((b[1], a[1]), (c[0], a[0]));
    match (left, right) {
        ((false, left), (false, right)) => left.cmp(&right),
        ((true, left), (true, right)) => right.cmp(&left),
        ((is_negative, _), _) if is_negative => Ordering::Less,
        _ => Ordering::Greater,
    }
}

/// How a coordinate lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// An integer of 32 bits.
    I32,
    /// An integer of 64 bits.
    I64,
    /// A float of 32 bits.
    F32,
    /// A float of 64 bits.
    F64,
}

/// A coordinate as it lies in memory, which becomes a number when it is read. Sealed: kernels read it by its layout.
pub trait Load: Copy + Send + Sync + sealed::Sealed + 'static {
    /// The number type that it becomes.
    type Number: Number;
    /// How it lies in memory.
    const LAYOUT: Layout;
    /// The number.
    fn load(self) -> Self::Number;
    /// [`Number::nearest`] of it.
    fn nearest(self) -> f64;
    /// The points as numbers: themselves, or a copy.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](thalweg_core::Error::OutOfMemory) if there is no room for the copy.
    fn numbers(points: &[[Self; 2]]) -> Result<Cow<'_, [[Self::Number; 2]]>>;
}

mod sealed {
    pub trait Sealed {}
}

macro_rules! load {
    ($($t:ident, $layout:ident, $number:ident, $points:ident => $numbers:expr;)*) => {$(
        impl sealed::Sealed for $t {}
        impl Load for $t {
            type Number = $number;
            const LAYOUT: Layout = Layout::$layout;
            #[inline(always)]
            fn load(self) -> $number {
                self.into()
            }
            #[inline(always)]
            fn nearest(self) -> f64 {
                self as f64
            }
            fn numbers($points: &[[Self; 2]]) -> Result<Cow<'_, [[$number; 2]]>> {
                Ok($numbers)
            }
        }
    )*};
}
load! {
    i32, I32, i64, points => converted(points, i64::from)?;
    i64, I64, i64, points => Cow::Borrowed(points);
    f32, F32, f64, points => converted(points, f64::from)?;
    f64, F64, f64, points => Cow::Borrowed(points);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All paths through three of the points, by the fast way and by the slow one.
    fn agree<N: Number>(points: &[[N; 2]]) {
        for &a in points {
            for &b in points {
                for &c in points {
                    let want = N::slow_orientation(a, b, c);
                    assert_eq!(N::orientation(a, b, c), want, "{a:?} {b:?} {c:?}");
                    assert_eq!(N::orientation(b, a, c), want.reverse(), "{b:?} {a:?} {c:?}");
                }
            }
        }
    }

    #[test]
    fn extremes_of_integers() {
        let numbers = [i64::MIN, i64::MIN + 1, -(1 << 53) - 1, -1, 0, 1, i64::MAX - 1, i64::MAX];
        let points: Vec<[i64; 2]> = numbers.iter().flat_map(|&x| numbers.map(|y| [x, y])).collect();
        agree(&points);
    }

    #[test]
    fn extremes_of_doubles() {
        let least = f64::from_bits(1);
        let numbers = [-f64::MAX, -1e300, -1.0, -1e-300, -0.0, least, 1e-300, 1.0f64.next_up(), 1e300, f64::MAX];
        let points: Vec<[f64; 2]> = numbers.iter().flat_map(|&x| numbers.map(|y| [x, y])).collect();
        agree(&points);
    }

    #[test]
    fn nearly_collinear_doubles() {
        // The neighbourhood of a point on the diagonal, seen from two others: Kettner et al., "Classroom examples of
        // robustness problems in geometric computations", 2008; at scales at which products overflow or underflow too.
        for scale in [1.0, 2f64.powi(-450), 2f64.powi(-1000), 2f64.powi(-1060), 2f64.powi(505), 2f64.powi(1010)] {
            let near = |i: u64| f64::from_bits(0.5f64.to_bits() + i);
            for (x, y) in (0..32).flat_map(|x| (0..32).map(move |y| (near(x) * scale, near(y) * scale))) {
                for (b, c) in [([12.0; 2], [24.0; 2]), ([17.3; 2], [24.000_000_000_000_05; 2])] {
                    let (a, b, c) = ([x, y], b.map(|x| x * scale), c.map(|x| x * scale));
                    assert_eq!(f64::orientation(a, b, c), f64::slow_orientation(a, b, c), "{a:?} {b:?} {c:?}");
                }
            }
        }
    }

    #[test]
    fn exponents_and_powers() {
        for e in -1074..=1023 {
            let x = if e < -1022 { f64::from_bits(1 << (e + 1074)) } else { power(e) };
            assert_eq!((exponent(x), exponent(-x)), (e, e));
            assert_eq!(x.log2(), f64::from(e));
            if e >= -1022 {
                assert_eq!(exponent(x * 1.75), e);
            }
        }
        assert_eq!((exponent(f64::MAX), exponent(f64::MIN_POSITIVE.next_down())), (1023, -1023));
    }

    #[test]
    fn rounding_is_outward() {
        for x in [0, 1, -1, (1 << 53) + 1, -(1 << 53) - 1, i64::MAX, i64::MIN, i64::MAX - 513, i64::MIN + 513] {
            assert!(x.rounded_down() as i128 <= x.into() && i128::from(x) <= x.rounded_up() as i128, "{x}");
            assert!(x.rounded_up() <= x.rounded_down().next_up());
            assert!(i64::floor(x.rounded_down()) <= x && x <= i64::ceil(x.rounded_up()));
        }
        assert_eq!(
            (i64::floor(-0.5), i64::ceil(-0.5), i64::floor(1e300), i64::ceil(-1e300)),
            (-1, 0, i64::MAX, i64::MIN)
        );
    }

    proptest! {
        #[test]
        fn random_integers(points: [[i64; 2]; 4], shift in 0..63u32) {
            agree(&points.map(|p| p.map(|x| x >> shift)));
        }

        #[test]
        fn random_doubles(points: [[f64; 2]; 4]) {
            prop_assume!(points.as_flattened().iter().all(|x| x.is_finite()));
            agree(&points);
        }

        #[test]
        fn doubles_of_one_scale(points: [[i16; 2]; 4], ulps: [[i8; 2]; 4], exponent in -1030..1000i32) {
            let scale = 2f64.powi(exponent.max(-1000)) * 2f64.powi(exponent.min(-1000) + 1000);
            agree(&std::array::from_fn::<_, 4, _>(|i| {
                std::array::from_fn(|j| (f64::from(points[i][j]) + f64::from(ulps[i][j]) * f64::EPSILON) * scale)
            }));
        }
    }
}
