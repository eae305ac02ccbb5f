//! Exact decisions for coordinates below 2^32, which is what every integer of 32 bits is after a shift of the origin, and
//! many of 64 bits are.
//!
//! The line through (x1, y1) and (x2, y2) is `y = (dy x + c) / dx` with `dx = x2 - x1 > 0`, `dy = y2 - y1` and
//! `c = y1 dx - dy x1`. Two lines are equal at `x = N / D`, with
//!
//! | number | from | below |
//! |---|---|---|
//! | dx, dy | differences | 2^32 |
//! | c | two products of 32 x 32 bits | 2^65 |
//! | D | dy₁ dx₂ - dy₂ dx₁ | 2^65 |
//! | N | c₂ dx₁ - c₁ dx₂ | 2^98 |
//! | an end against a crossing | x D against N | 2^98 |
//! | two lines at x | (dy₁ x + c₁) dx₂ against (dy₂ x + c₂) dx₁ | 2^98 |
//! | two crossings | N₁ D₂ against N₂ D₁ | 2^163 |
//!
//! So 128 bits hold everything but the last row, for which 256 are made of two halves.

use std::cmp::Ordering;

/// A line in whole numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line {
    pub(crate) dx: i128,
    pub(crate) dy: i128,
    pub(crate) c: i128,
}

impl Line {
    /// Through the ends of a segment; a point is drawn as a level line.
    pub(crate) fn of([x1, y1, x2, y2]: [u32; 4]) -> Self {
        if x1 == x2 {
            return Self { dx: 1, dy: 0, c: y1.into() };
        }
        let (dx, dy) = (i64::from(x2) - i64::from(x1), i64::from(y2) - i64::from(y1));
        // Up to 2^32 each, so the products need 65 bits.
        let c = i128::from(y1) * i128::from(dx) - i128::from(dy) * i128::from(x1);
        Self { dx: dx.into(), dy: dy.into(), c }
    }

    /// `dx` times the line's value at `x`.
    pub(crate) fn value(&self, x: u32) -> i128 {
        self.dy * i128::from(x) + self.c
    }

    pub(crate) fn compare_slope(&self, other: &Self) -> Ordering {
        (self.dy * other.dx).cmp(&(other.dy * self.dx))
    }

    /// Which of two parallel lines is lower.
    pub(crate) fn compare_height(&self, other: &Self) -> Ordering {
        (self.c * other.dx).cmp(&(other.c * self.dx))
    }

    pub(crate) fn compare_at(&self, other: &Self, x: u32) -> Ordering {
        (self.value(x) * other.dx).cmp(&(other.value(x) * self.dx))
    }

    /// Where the lines, which are not parallel, are equal.
    pub(crate) fn crossing(&self, other: &Self) -> Fraction {
        let denominator = self.dy * other.dx - other.dy * self.dx;
        let numerator = other.c * self.dx - self.c * other.dx;
        debug_assert!(denominator != 0);
        let sign = denominator.signum();
        Fraction { numerator: numerator * sign, denominator: denominator * sign }
    }
}

/// A number, with a positive denominator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fraction {
    pub(crate) numerator: i128,
    pub(crate) denominator: i128,
}

impl Fraction {
    pub(crate) fn integer(x: u32) -> Self {
        Self { numerator: x.into(), denominator: 1 }
    }

    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        if self.denominator == 1 || other.denominator == 1 {
            // An end: 128 bits are enough.
            return (self.numerator * other.denominator).cmp(&(other.numerator * self.denominator));
        }
        product(self.numerator, other.denominator).cmp(&product(other.numerator, self.denominator))
    }
}

/// The product with a positive number in 256 bits: the high half with the sign, and the low one. Pairs compare as the products do.
fn product(signed: i128, positive: i128) -> (i128, u128) {
    const LOW: u128 = u64::MAX as u128;
    let (a, b) = (signed.unsigned_abs(), positive.unsigned_abs());
    let (a1, a0, b1, b0) = (a >> 64, a & LOW, b >> 64, b & LOW);
    let (low, cross, high) = (a0 * b0, a1 * b0, a1 * b1);
    let (cross, carry) = cross.overflowing_add(a0 * b1);
    let (low, carry_low) = low.overflowing_add(cross << 64);
    let high = high + (cross >> 64) + (u128::from(carry) << 64) + u128::from(carry_low);
    if signed >= 0 {
        (high as i128, low)
    } else {
        // Two's complement over both halves.
        (!(high as i128) + i128::from(low == 0), low.wrapping_neg())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_bigint::BigInt;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn products_compare_as_big_numbers_do(
            a in any::<i128>(), b in 1..i128::MAX, c in any::<i128>(), d in 1..i128::MAX, cut in 0u32..127, small in any::<bool>(),
        ) {
            let (a, c) = (a >> cut, if small { c >> cut } else { a >> cut });
            let big = |x: i128, y: i128| BigInt::from(x) * BigInt::from(y);
            prop_assert_eq!(product(a, b).cmp(&product(c, d)), big(a, b).cmp(&big(c, d)));
            let (high, low) = product(a, b);
            prop_assert_eq!((BigInt::from(high) << 128) + BigInt::from(low), big(a, b));
        }
    }

    /// The bounds of the table, reached: overflow checks are on in tests.
    #[test]
    fn extremes_fit() {
        const M: u32 = u32::MAX;
        let rows = [
            [0, 0, M, M],
            [0, M, M, 0],
            [0, M, 1, 0],
            [M - 1, 0, M, M],
            [0, 0, 1, M],
            [M - 1, M, M, 0],
            [0, M, M, M - 1],
        ];
        let lines = rows.map(Line::of);
        let mut crossings = Vec::new();
        for a in &lines {
            for b in &lines {
                for x in [0, 1, M - 1, M] {
                    assert_eq!(a.compare_at(b, x), b.compare_at(a, x).reverse());
                }
                if a.compare_slope(b).is_ne() {
                    crossings.push(a.crossing(b));
                }
            }
        }
        for p in &crossings {
            for q in crossings.iter().chain([&Fraction::integer(0), &Fraction::integer(M)]) {
                assert_eq!(p.compare(q), q.compare(p).reverse());
            }
        }
    }
}
