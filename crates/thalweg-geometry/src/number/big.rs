//! Orientation in big integers: exact whatever the input is, and slow.

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};

pub(super) fn orientation_of_integers(a: [i64; 2], b: [i64; 2], c: [i64; 2]) -> Ordering {
    let [a, b, c] = [a, b, c].map(|point| point.map(BigInt::from));
    turn(&a, &b, &c)
}

/// Doubles are integers times a power of two: of one common power, the least that occurs.
pub(super) fn orientation_of_doubles(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> Ordering {
    let parts = [a, b, c].map(|point| point.map(parts));
    let least = parts.as_flattened().iter().filter(|part| part.0 != 0).map(|part| part.1).min().unwrap_or(0);
    let [a, b, c] = parts.map(|point| {
        point.map(|(mantissa, exponent)| BigInt::from(mantissa) << if mantissa == 0 { 0 } else { exponent - least })
    });
    turn(&a, &b, &c)
}

/// Mantissa and exponent of a finite double, such that it is mantissa · 2^exponent.
fn parts(x: f64) -> (i64, i32) {
    let bits = x.to_bits();
    let exponent = (bits >> 52 & 0x7ff) as i32;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let mantissa = if exponent == 0 { fraction } else { fraction | 1 << 52 };
    (if x.is_sign_negative() { -mantissa } else { mantissa }, exponent.max(1) - 1075)
}

fn turn(a: &[BigInt; 2], b: &[BigInt; 2], c: &[BigInt; 2]) -> Ordering {
    let determinant = (&b[0] - &a[0]) * (&c[1] - &a[1]) - (&b[1] - &a[1]) * (&c[0] - &a[0]);
    match determinant.sign() {
        Sign::Minus => Ordering::Less,
        Sign::NoSign => Ordering::Equal,
        Sign::Plus => Ordering::Greater,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_make_the_number() {
        for x in [0.0, -0.0, 1.0, -1.5, f64::MAX, f64::MIN_POSITIVE, f64::from_bits(1), -f64::from_bits(12345), 1e300] {
            let (mantissa, exponent) = parts(x);
            // In two steps: 2^-1074 is the least power there is.
            let half = exponent / 2;
            assert_eq!(mantissa as f64 * 2f64.powi(half) * 2f64.powi(exponent - half), x);
        }
    }
}
