//! Coordinates as big integers: what oracles compute with. Nothing here is shared with the engines.

use std::cmp::Ordering;

use num_bigint::BigInt;
use thalweg_core::Key;

/// A number that has an exact value.
pub trait Exact: Key {
    /// The value of an integer; that of a float, times 2^1074, which makes all of them integers.
    ///
    /// # Panics
    /// If a float is not finite.
    fn exact(self) -> BigInt;
    /// The value, if it is an integer of up to 64 bits.
    fn integer(self) -> Option<i128>;
    /// The nearest double.
    fn double(self) -> f64;
}

macro_rules! exact {
    (integers: $($i:ident)*; floats: $($f:ident)*) => {
        $(impl Exact for $i {
            fn exact(self) -> BigInt {
                self.into()
            }
            fn integer(self) -> Option<i128> {
                Some(self.into())
            }
            fn double(self) -> f64 {
                self as f64
            }
        })*
        $(impl Exact for $f {
            fn exact(self) -> BigInt {
                exact_double(self.into())
            }
            fn integer(self) -> Option<i128> {
                None
            }
            fn double(self) -> f64 {
                self.into()
            }
        })*
    };
}
exact!(integers: i8 u8 i16 u16 i32 u32 i64 u64; floats: f32 f64);

fn exact_double(x: f64) -> BigInt {
    assert!(x.is_finite(), "{x} has no exact value");
    let (exponent, fraction) = (x.abs().to_bits() >> 52, x.to_bits() & ((1 << 52) - 1));
    // 2^-1074 is the unit of the subnormal numbers, and of the least normal ones.
    let magnitude = if exponent == 0 { fraction.into() } else { BigInt::from(fraction | 1 << 52) << (exponent - 1) };
    if x < 0.0 { -magnitude } else { magnitude }
}

/// Which way the path turns: `Greater` to the left.
///
/// Plain doubles decide where their error cannot matter, else big integers do.
pub fn turn<K: Exact>(a: [K; 2], b: [K; 2], c: [K; 2]) -> Ordering {
    if let (Some([ax, ay]), Some([bx, by]), Some([cx, cy])) = (integers(a), integers(b), integers(c)) {
        // Differences have 65 bits: a product may be too large.
        let (left, right) = ((bx - ax).checked_mul(cy - ay), (by - ay).checked_mul(cx - ax));
        if let (Some(left), Some(right)) = (left, right) {
            return left.cmp(&right);
        }
    } else {
        let [[ax, ay], [bx, by], [cx, cy]] = [a, b, c].map(|point| point.map(Exact::double));
        let (left, right) = ((bx - ax) * (cy - ay), (by - ay) * (cx - ax));
        // Each product is right up to three roundings of 2^-53, unless it is tiny: far below these bounds.
        let doubt = 1e-14 * (left.abs() + right.abs()) + 1e-290;
        if (left - right).abs() > doubt {
            return if left > right { Ordering::Greater } else { Ordering::Less };
        }
    }
    let [[ax, ay], [bx, by], [cx, cy]] = [a, b, c].map(|point| point.map(Exact::exact));
    ((bx - &ax) * (cy - &ay)).cmp(&((by - &ay) * (cx - &ax)))
}

fn integers<K: Exact>(point: [K; 2]) -> Option<[i128; 2]> {
    Some([point[0].integer()?, point[1].integer()?])
}

/// The order of numbers without NaN. The two zeros are equal.
pub fn order<K: Exact>(a: K, b: K) -> Ordering {
    a.partial_cmp(&b).expect("no NaN")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_have_exact_values() {
        let one = BigInt::from(1) << 1074;
        assert_eq!(1.0.exact(), one);
        assert_eq!((-0.75f32).exact() * 4, -3 * &one);
        assert_eq!(f64::from_bits(1).exact(), BigInt::from(1));
        assert_eq!(f64::MIN_POSITIVE.exact(), BigInt::from(1) << 52);
        assert_eq!((-0.0).exact(), BigInt::from(0));
        assert_eq!(f64::MAX.exact(), (BigInt::from(1) << (1074 + 1024)) - (BigInt::from(1) << (1074 + 971)));
    }

    #[test]
    fn turns() {
        assert_eq!(turn([0, 0], [1, 0], [1, 1]), Ordering::Greater);
        assert_eq!(turn([0.1, 0.1], [0.2, 0.2], [0.3, 0.3]), Ordering::Equal);
        assert_eq!(turn([i64::MIN; 2], [i64::MAX, 0], [i64::MAX; 2]), Ordering::Greater);
        assert_eq!(turn([0.0, 0.0], [1e300, 1e300], [1e-300, 1e-300f64.next_down()]), Ordering::Less);
    }
}
