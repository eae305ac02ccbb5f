//! The double nearest to a fraction, ties to even: what people get who do not ask for the fraction.

use num_bigint::{BigInt, BigUint, Sign};

/// Bits of a quotient that decide, with the knowledge whether anything follows: 53, one for the half, and some to spare.
const BITS: i64 = 56;

/// The double nearest to `numerator / denominator`.
///
/// The denominator must be positive and below 2^71: the numerator is shifted until the quotient has 56 bits.
pub(crate) fn nearest(numerator: i128, denominator: u128) -> f64 {
    const EXACT: u128 = 1 << 53;
    let (magnitude, sign) = (numerator.unsigned_abs(), if numerator < 0 { -1.0 } else { 1.0 });
    if magnitude <= EXACT && denominator <= EXACT {
        // Both are doubles, and division rounds to nearest.
        return sign * (magnitude as f64 / denominator as f64);
    }
    if magnitude == 0 {
        return 0.0;
    }
    debug_assert!(denominator < 1 << 71);
    let bits = |x: u128| 128 - i64::from(x.leading_zeros());
    let shift = (BITS - (bits(magnitude) - bits(denominator))).max(0);
    let shifted = magnitude << shift;
    let (quotient, rest) = (shifted / denominator, shifted % denominator);
    sign * assembled(quotient, rest != 0, -shift)
}

/// The double nearest to `numerator / denominator * 2^exponent`, for a positive denominator.
pub(crate) fn nearest_big(numerator: &BigInt, denominator: &BigInt, exponent: i64) -> f64 {
    if numerator.sign() == Sign::NoSign {
        return 0.0;
    }
    let sign = if numerator.sign() == Sign::Minus { -1.0 } else { 1.0 };
    let (mut numerator, mut denominator): (BigUint, BigUint) =
        (numerator.magnitude().clone(), denominator.magnitude().clone());
    let shift = BITS - (numerator.bits() as i64 - denominator.bits() as i64);
    if shift >= 0 {
        numerator <<= shift;
    } else {
        denominator <<= -shift;
    }
    let quotient = &numerator / &denominator;
    let rest = numerator - &quotient * &denominator;
    let digits = quotient.iter_u64_digits().rev().fold(0u128, |all, digit| all << 64 | u128::from(digit));
    sign * assembled(digits, rest != BigUint::default(), exponent - shift)
}

/// The double nearest to a positive number: `digits * 2^exponent`, and a little more, by less than one in the last digit,
/// if there is a `rest`. With a rest the digits must be more than a double has.
fn assembled(digits: u128, rest: bool, exponent: i64) -> f64 {
    const LOWEST: i64 = -1022;
    let bits = 128 - i64::from(digits.leading_zeros());
    let leading = bits - 1 + exponent;
    if leading > 1023 {
        return f64::INFINITY;
    }
    // Below the normal doubles every power of two costs a bit.
    let kept_bits = 53 - (LOWEST - leading).max(0);
    let dropped = bits - kept_bits;
    if dropped <= 0 {
        debug_assert!(!rest);
        return scaled(digits as u64, exponent);
    }
    if dropped > bits {
        return 0.0;
    }
    let kept = if dropped == 128 { 0 } else { (digits >> dropped) as u64 };
    let below = digits & (u128::MAX >> (128 - dropped));
    let half = 1u128 << (dropped - 1);
    let up = below > half || below == half && (rest || kept % 2 == 1);
    scaled(kept + u64::from(up), exponent + dropped)
}

/// `digits * 2^exponent`, which must be a double or beyond the largest one.
fn scaled(digits: u64, exponent: i64) -> f64 {
    let power = |exponent: i64| f64::from_bits(((exponent + 1023) as u64) << 52);
    let digits = digits as f64;
    if exponent >= 971 {
        // The largest doubles have 53 digits and 2^971; what is larger has overflowed.
        digits * power(971) * power((exponent - 971).min(1000))
    } else if exponent >= -1022 {
        digits * power(exponent)
    } else {
        // The first product is exact because it is normal, the second because its result is a double.
        digits * power(exponent + 100) * power(-100)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn halves_go_to_even_and_borders_are_met() {
        let big = 1i128 << 54;
        assert_eq!(nearest(big + 1, 1), big as f64);
        assert_eq!(nearest(big + 2, 1), big as f64);
        assert_eq!(nearest(big + 3, 1), (big + 4) as f64);
        assert_eq!(nearest(big + 6, 1), (big + 8) as f64);
        assert_eq!(nearest(-(big + 3), 1), -((big + 4) as f64));
        assert_eq!(nearest(2 * big + 5, 2), (big + 4) as f64);
        assert_eq!(nearest(0, 1 << 70), 0.0);
        assert_eq!(nearest(1, 3), 1.0 / 3.0);
        let at = |numerator: i64, exponent| nearest_big(&numerator.into(), &1.into(), exponent);
        assert_eq!(at(1, -1074), f64::from_bits(1));
        assert_eq!(at(1, -1075), 0.0);
        assert_eq!(at(3, -1075), f64::from_bits(2));
        assert_eq!(at(3, -1076), f64::from_bits(1));
        assert_eq!(at(1, -1076), 0.0);
        assert_eq!(at((1 << 53) - 1, 971), f64::MAX);
        assert_eq!(at((1 << 54) - 1, 970), f64::INFINITY);
        assert_eq!(at((1 << 54) - 2, 970), f64::MAX);
        assert_eq!(at(-1, 5000), f64::NEG_INFINITY);
        assert_eq!(at(1, -5000), 0.0);
        assert_eq!(nearest_big(&1.into(), &3.into(), -1074), 0.0);
        assert_eq!(nearest_big(&2.into(), &3.into(), -1074), f64::from_bits(1));
    }

    /// By comparing with the neighbours, exactly.
    fn is_nearest(got: f64, numerator: i128, denominator: u128) -> bool {
        let distance = |x: f64| {
            let (mantissa, exponent) = super::super::number::Number::of(x).parts();
            let (mut n, mut d) = (BigInt::from(mantissa), BigInt::from(1));
            if exponent >= 0 {
                n <<= exponent;
            } else {
                d <<= -exponent;
            }
            // |n / d - numerator / denominator|, times denominator * 2^2000.
            let difference = n * BigInt::from(denominator) - BigInt::from(numerator) * &d;
            (BigInt::from(difference.magnitude().clone()) << 2000) / d
        };
        let own = distance(got);
        own <= distance(got.next_up()) && own <= distance(got.next_down())
    }

    proptest! {
        #[test]
        fn both_ways_give_the_nearest(numerator in any::<i128>(), denominator in 1u128..1 << 70, cut in 0u32..120) {
            let (numerator, denominator) = (numerator >> cut.min(100), (denominator >> (cut % 69)).max(1));
            let got = nearest(numerator, denominator);
            prop_assert_eq!(got, nearest_big(&numerator.into(), &denominator.into(), 0));
            prop_assert!(is_nearest(got, numerator, denominator));
        }

        #[test]
        fn doubles_stay(x in any::<f64>().prop_filter("finite", |x| x.is_finite())) {
            let (mantissa, exponent) = super::super::number::Number::of(x).parts();
            prop_assert_eq!(nearest_big(&mantissa.into(), &1.into(), i64::from(exponent)), x);
            prop_assert_eq!(nearest_big(&(mantissa * 7).into(), &7.into(), i64::from(exponent)), x);
        }
    }
}
