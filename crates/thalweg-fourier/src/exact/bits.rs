//! Integers of 192 bits: no answer, bound or product of primes is larger.

/// A signed number of 192 bits, in two's complement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct I192 {
    // The order of the fields is that of the numbers.
    high: i64,
    low: u128,
}

impl I192 {
    /// Nothing.
    pub const ZERO: Self = Self { high: 0, low: 0 };

    /// From its low 128 bits and its high 64.
    pub const fn new(low: u128, high: i64) -> Self {
        Self { high, low }
    }

    /// The low 128 bits, and the high 64.
    pub const fn parts(self) -> (u128, i64) {
        (self.low, self.high)
    }

    /// The same number.
    pub const fn of(value: i128) -> Self {
        Self { high: (value >> 127) as i64, low: value as u128 }
    }

    /// `a * b`.
    pub const fn product(a: u128, b: u64) -> Self {
        let low = (a as u64 as u128) * b as u128;
        let high = (a >> 64) * b as u128 + (low >> 64);
        Self { high: (high >> 64) as i64, low: (high << 64) | low as u64 as u128 }
    }

    /// The sum, wrapped.
    pub const fn plus(self, other: Self) -> Self {
        let (low, carry) = self.low.overflowing_add(other.low);
        Self { high: self.high.wrapping_add(other.high).wrapping_add(carry as i64), low }
    }

    /// The difference, wrapped.
    pub const fn minus(self, other: Self) -> Self {
        let (low, borrow) = self.low.overflowing_sub(other.low);
        Self { high: self.high.wrapping_sub(other.high).wrapping_sub(borrow as i64), low }
    }

    /// `self * factor + digit`, for numbers that are not negative.
    pub const fn times_plus(self, factor: u32, digit: u32) -> Self {
        let product = Self::product(self.low, factor as u64);
        let high = product.high.wrapping_add(self.high.wrapping_mul(factor as i64));
        Self { high, low: product.low }.plus(Self { high: 0, low: digit as u128 })
    }

    /// The remainder of a number that is not negative.
    pub const fn remainder(self, divisor: u32) -> u32 {
        let divisor = divisor as u128;
        let rest = (self.high as u64 as u128) % divisor;
        let rest = ((rest << 64) | (self.low >> 64)) % divisor;
        (((rest << 64) | (self.low as u64 as u128)) % divisor) as u32
    }

    /// The number, if it fits 128 bits.
    pub const fn to_i128(self) -> Option<i128> {
        let value = self.low as i128;
        if self.high == (value >> 127) as i64 { Some(value) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_products_and_remainders() {
        let big = I192::product(u128::MAX, u64::MAX);
        // (2^128 - 1)(2^64 - 1) = 2^192 - 2^128 - 2^64 + 1: the sign bit is set.
        assert_eq!(big.parts(), (u128::MAX - u128::from(u64::MAX) + 1, -2));
        assert_eq!(I192::of(-1).plus(I192::of(1)), I192::ZERO);
        assert_eq!(I192::of(i128::MIN).to_i128(), Some(i128::MIN));
        assert_eq!(I192::of(i128::MAX).plus(I192::of(1)).to_i128(), None);
        assert_eq!(I192::of(i128::MIN).minus(I192::of(1)).to_i128(), None);
        assert_eq!(I192::of(i128::MIN).minus(I192::of(i128::MIN)), I192::ZERO);
        assert!(I192::of(-1) < I192::ZERO && I192::product(1 << 127, 2) > I192::of(i128::MAX));
        let number = I192::product(0x1234_5678_9abc_def0_0fed_cba9_8765_4321, 0x1111);
        let again = I192::of(7).times_plus(1 << 31, 5).times_plus(3, 2);
        assert_eq!(again.to_i128(), Some((7 * (1 << 31) + 5) * 3 + 2));
        let p = 2_113_929_217;
        let expected = (0x1234_5678_9abc_def0_0fed_cba9_8765_4321u128 % p as u128) * (0x1111 % p as u128);
        assert_eq!(number.remainder(p), (expected % p as u128) as u32);
        assert_eq!(number.times_plus(p, 77).remainder(p), 77);
    }
}
