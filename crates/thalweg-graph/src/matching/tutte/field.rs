//! Arithmetic modulo the prime 2^31 - 1.
//!
//! A product of two numbers has 62 bits, so four of them and a little more fit 64: [`fold`] is needed once for four products,
//! and loops over many are vectors of 64 bits on every machine.

/// The prime: 2^31 - 1.
pub const PRIME: u32 = (1 << 31) - 1;

/// A number below 2^34 that is the same modulo the prime. (2^31 is 1.)
#[inline(always)]
pub const fn fold(x: u64) -> u64 {
    (x & PRIME as u64) + (x >> 31)
}

/// The number modulo the prime.
#[inline(always)]
pub const fn reduce(x: u64) -> u32 {
    // Below 2^34, below 2^31 + 8, and then at most the prime once too much.
    let x = fold(fold(x)) as u32;
    if x >= PRIME { x - PRIME } else { x }
}

/// The product.
#[inline(always)]
pub const fn mul(a: u32, b: u32) -> u32 {
    reduce(a as u64 * b as u64)
}

/// The number with which the sum is 0.
#[inline(always)]
pub const fn negate(a: u32) -> u32 {
    if a == 0 { 0 } else { PRIME - a }
}

/// The number with which the product is 1, of a number that is not 0 (Fermat).
pub const fn invert(a: u32) -> u32 {
    let (mut power, mut square, mut exponent) = (1, a, PRIME - 2);
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = mul(power, square);
        }
        square = mul(square, square);
        exponent >>= 1;
    }
    power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_remainders() {
        let p = u64::from(PRIME);
        for x in
            [0, 1, p - 1, p, p + 1, 2 * p, p * p, (p - 1) * (p - 1), u64::MAX, u64::MAX - 1, 1 << 62, (1 << 33) - 1]
        {
            assert_eq!(u64::from(reduce(x)), x % p, "{x}");
            assert_eq!(fold(x) % p, x % p);
            assert!(fold(x) < 1 << 34);
        }
        for a in [1, 2, 3, 12_345, PRIME - 1, PRIME / 2] {
            assert_eq!(mul(a, invert(a)), 1, "{a}");
            assert_eq!(reduce(u64::from(a) + u64::from(negate(a))), 0);
        }
        assert_eq!(negate(0), 0);
    }

    #[test]
    fn four_products_and_a_fold_fit() {
        let largest = u64::from(PRIME - 1);
        assert!((largest * largest).checked_mul(4).and_then(|sum| sum.checked_add(fold(u64::MAX))).is_some());
    }
}
