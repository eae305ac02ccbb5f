//! Coordinates as integers times powers of two: what both number types are exactly.

use num_bigint::BigInt;

/// `mantissa * 2^exponent`. The mantissa is odd, or zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Number {
    mantissa: i128,
    exponent: i32,
}

impl Number {
    pub(crate) const ZERO: Self = Self { mantissa: 0, exponent: 0 };

    /// A double, which must be finite.
    pub(crate) fn of(x: f64) -> Self {
        debug_assert!(x.is_finite());
        let (bits, fraction) = (x.to_bits(), x.to_bits() & ((1 << 52) - 1));
        let (mantissa, exponent) = match (bits >> 52 & 0x7ff) as i32 {
            0 => (fraction, -1074),
            biased => (fraction | 1 << 52, biased - 1075),
        };
        let mantissa = i128::from(mantissa);
        Self::shifted(if x < 0.0 { -mantissa } else { mantissa }, exponent)
    }

    /// An integer.
    pub(crate) fn integer(x: i128) -> Self {
        Self::shifted(x, 0)
    }

    fn shifted(mantissa: i128, exponent: i32) -> Self {
        if mantissa == 0 {
            return Self::ZERO;
        }
        let zeros = mantissa.trailing_zeros();
        Self { mantissa: mantissa >> zeros, exponent: exponent + zeros as i32 }
    }

    pub(crate) fn parts(self) -> (i128, i32) {
        (self.mantissa, self.exponent)
    }

    /// The exponent that a common one must not exceed.
    pub(crate) fn scale(self) -> i32 {
        if self.mantissa == 0 { i32::MAX } else { self.exponent }
    }

    /// In units of `2^scale`, which must not be more than [`Number::scale`].
    pub(crate) fn in_units(self, scale: i32) -> BigInt {
        if self.mantissa == 0 { BigInt::ZERO } else { BigInt::from(self.mantissa) << (self.exponent - scale) }
    }

    /// The number, if it is whole and below 2^100.
    pub(crate) fn whole(self) -> Option<i128> {
        const MOST: u128 = 1 << 100;
        if self.exponent < 0 || self.exponent > 100 || self.mantissa.unsigned_abs() > MOST >> self.exponent {
            return None;
        }
        Some(self.mantissa << self.exponent)
    }

    /// The number, if it is a double of the normal range.
    pub(crate) fn double(self) -> Option<f64> {
        let fits = self.mantissa.unsigned_abs() <= 1 << 53 && (-900..900).contains(&self.exponent);
        fits.then(|| self.mantissa as f64 * f64::from_bits(((self.exponent + 1023) as u64) << 52))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_and_integers_are_taken_apart() {
        assert_eq!(Number::of(0.0).parts(), (0, 0));
        assert_eq!(Number::of(-0.0).parts(), (0, 0));
        assert_eq!(Number::of(-6.0).parts(), (-3, 1));
        assert_eq!(Number::of(0.375).parts(), (3, -3));
        assert_eq!(Number::of(f64::from_bits(1)).parts(), (1, -1074));
        assert_eq!(Number::of(f64::MAX).parts(), ((1 << 53) - 1, 971));
        assert_eq!(Number::integer(1 << 80).parts(), (1, 80));
        assert_eq!(Number::of(1.5).in_units(-4), 24.into());
        let whole = |x: f64| Number::of(x).whole();
        assert_eq!([whole(0.0), whole(12.0), whole(-3.0), whole(0.5)], [Some(0), Some(12), Some(-3), None]);
        assert_eq!([whole(2f64.powi(100)), whole(2f64.powi(101)), whole(1e300)], [Some(1 << 100), None, None]);
        for x in [0.0, 1.5, -3e200, 2f64.powi(-800) * 7.0] {
            assert_eq!(Number::of(x).double(), Some(x));
        }
        assert_eq!(Number::integer((1 << 60) + 1).double(), None);
    }
}
