//! Numbers of some 106 bits: two doubles, the second of which is what the first one leaves.

use std::ops::{Add, Mul, Neg, Sub};

/// The sum of two doubles.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DoubleDouble {
    /// The nearest double.
    pub high: f64,
    /// What is left.
    pub low: f64,
}

impl DoubleDouble {
    /// A quarter of pi.
    const QUARTER_PI: Self = Self { high: std::f64::consts::FRAC_PI_4, low: 3.061_616_997_868_383e-17 };

    /// A fraction of integers below 2^53.
    fn fraction(numerator: u64, denominator: u64) -> Self {
        let (numerator, denominator) = (numerator as f64, denominator as f64);
        let high = numerator / denominator;
        // The remainder of a division is a double.
        let low = (-high).mul_add(denominator, numerator) / denominator;
        Self::sum(high, low)
    }

    fn sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let part = high - a;
        Self { high, low: (a - (high - part)) + (b - part) }
    }
}

impl From<f64> for DoubleDouble {
    fn from(high: f64) -> Self {
        Self { high, low: 0.0 }
    }
}

impl Add for DoubleDouble {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let (high, low) = (Self::sum(self.high, other.high), Self::sum(self.low, other.low));
        let sum = Self::sum(high.high, high.low + low.high);
        Self::sum(sum.high, sum.low + low.low)
    }
}

impl Neg for DoubleDouble {
    type Output = Self;
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Sub for DoubleDouble {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let high = self.high * other.high;
        let low = self.high.mul_add(other.high, -high) + (self.high * other.low + self.low * other.high);
        Self::sum(high, low)
    }
}

/// A complex number of two such: real and imaginary part.
pub type Wide = [DoubleDouble; 2];

pub(super) fn product(a: Wide, b: Wide) -> Wide {
    [a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]]
}

pub(super) fn total(a: Wide, b: Wide) -> Wide {
    [a[0] + b[0], a[1] + b[1]]
}

/// `exp(2 pi i * numerator / denominator)`, by its series in an eighth of the circle.
///
/// # Panics
/// If the denominator is not below 2^50.
pub fn wide_root_of_unity(numerator: u64, denominator: u64) -> Wide {
    assert!(denominator < 1 << 50, "fractions are made of doubles");
    let numerator = numerator % denominator;
    let (octant, rest) = (8 * numerator / denominator, 8 * numerator % denominator);
    let fold = if octant % 2 == 1 { denominator - rest } else { rest };
    let angle = DoubleDouble::fraction(fold, denominator) * DoubleDouble::QUARTER_PI;
    // sum of angle^k / k!, every second term with the other sign: 28 of them reach 2^-110.
    let (mut term, mut cos, mut sin) = (DoubleDouble::from(1.0), DoubleDouble::from(0.0), DoubleDouble::from(0.0));
    for k in 0..28 {
        let sum = if k % 2 == 0 { &mut cos } else { &mut sin };
        *sum = if k % 4 < 2 { *sum + term } else { *sum - term };
        term = term * angle * DoubleDouble::fraction(1, k + 1);
    }
    match octant {
        0 => [cos, sin],
        1 => [sin, cos],
        2 => [-sin, cos],
        3 => [-cos, sin],
        4 => [-cos, -sin],
        5 => [-sin, -cos],
        6 => [sin, -cos],
        _ => [cos, -sin],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(x: DoubleDouble) -> f64 {
        (x.high + x.low).abs()
    }

    #[test]
    fn roots_to_their_power_are_one() {
        for denominator in [1, 2, 3, 4, 5, 7, 8, 12, 97, 360, 1009] {
            for numerator in [0, 1, 2, 3, denominator / 3, denominator - 1] {
                let root = wide_root_of_unity(numerator, denominator);
                let power = (0..denominator).fold([1.0.into(), 0.0.into()], |power, _| product(power, root));
                let error = size(power[0] - 1.0.into()).max(size(power[1]));
                assert!(error < 1e-29 * denominator as f64, "{numerator} / {denominator}: {error}");
                let near = std::f64::consts::TAU * numerator as f64 / denominator as f64;
                assert!((root[0].high - near.cos()).abs() < 1e-14 && (root[1].high - near.sin()).abs() < 1e-14);
            }
        }
    }
}
