//! The primes, and arithmetic modulo one of them.
//!
//! All are below 2^31, so that the sum of two residues fits 32 bits, and one above a multiple of 2^25, so that there are
//! transforms of up to 2^25 elements. Products are reduced as Montgomery did (1985), with R = 2^32: a factor `w` is stored as
//! `w * R`, and `reduce(a * w * R)` is `a * w`.

/// The largest power of two for which every prime has a root of unity.
pub const MAX_LOG: u32 = 25;

/// Most primes that an answer can need: 64 bits times 64 bits, summed over as many elements as can be numbered.
pub const MAX_PRIMES: usize = 6;

/// A prime, and what its arithmetic needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prime {
    /// The prime.
    pub p: u32,
    /// Its inverse modulo 2^32.
    pub inverse: u32,
    /// 2^32 modulo the prime: 1 as a stored factor.
    pub one: u32,
    /// 2^64 modulo the prime: makes a stored factor of a number.
    pub square: u32,
    /// A number whose powers are all residues but 0.
    pub generator: u32,
}

/// The primes, the largest first: as many from the front are taken as an answer needs.
pub const PRIMES: [Prime; MAX_PRIMES] = [
    Prime::new(2_113_929_217, 5),
    Prime::new(2_013_265_921, 31),
    Prime::new(1_811_939_329, 13),
    Prime::new(1_711_276_033, 29),
    Prime::new(1_107_296_257, 10),
    Prime::new(469_762_049, 3),
];

impl Prime {
    const fn new(p: u32, generator: u32) -> Self {
        // Newton: every step doubles the number of right bits, three to begin with.
        let mut inverse = p;
        let mut step = 0;
        while step < 4 {
            inverse = inverse.wrapping_mul(2u32.wrapping_sub(p.wrapping_mul(inverse)));
            step += 1;
        }
        let one = ((1u64 << 32) % p as u64) as u32;
        let square = (one as u64 * one as u64 % p as u64) as u32;
        Self { p, inverse, one, square, generator }
    }

    /// `a * b`, of two residues.
    pub const fn times(&self, a: u32, b: u32) -> u32 {
        (a as u64 * b as u64 % self.p as u64) as u32
    }

    /// `base` to a power.
    pub const fn power(&self, base: u32, mut exponent: u64) -> u32 {
        let (mut result, mut square) = (1, base % self.p);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = self.times(result, square);
            }
            square = self.times(square, square);
            exponent >>= 1;
        }
        result
    }

    /// `1 / a`.
    pub const fn inverse_of(&self, a: u32) -> u32 {
        self.power(a, self.p as u64 - 2)
    }

    /// A number as a stored factor: times 2^32.
    pub const fn factor(&self, a: u32) -> u32 {
        self.times(a % self.p, self.one)
    }

    /// A primitive root of unity of order 2^`log`.
    pub const fn root(&self, log: u32) -> u32 {
        assert!(log <= MAX_LOG);
        self.power(self.generator, (self.p as u64 - 1) >> log)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All prime factors of `n`.
    fn factors(mut n: u32) -> Vec<u32> {
        let mut factors = vec![];
        let mut divisor = 2;
        while divisor * divisor <= n {
            while n.is_multiple_of(divisor) {
                factors.push(divisor);
                n /= divisor;
            }
            divisor += 1;
        }
        if n > 1 {
            factors.push(n);
        }
        factors
    }

    /// What a number must be to stand in the list; by trial division, and Lucas's test of the generator.
    fn is_good(prime: &Prime) -> bool {
        let p = prime.p;
        factors(p) == [p]
            && p < 1 << 31
            && (p - 1).is_multiple_of(1 << MAX_LOG)
            && factors(p - 1).iter().all(|&q| prime.power(prime.generator, u64::from((p - 1) / q)) != 1)
            && p.wrapping_mul(prime.inverse) == 1
            && u128::from(prime.one) == (1u128 << 32) % u128::from(p)
            && u128::from(prime.square) == (1u128 << 64) % u128::from(p)
    }

    #[test]
    fn the_primes_are_prime_and_have_roots() {
        for prime in &PRIMES {
            assert!(is_good(prime), "{prime:?}");
            let root = prime.root(MAX_LOG);
            assert_eq!(prime.power(root, 1 << (MAX_LOG - 1)), prime.p - 1);
            assert_eq!(prime.times(prime.inverse_of(root), root), 1);
        }
        assert!(PRIMES.windows(2).all(|pair| pair[0].p > pair[1].p));
    }

    #[test]
    fn bad_primes_are_seen() {
        for (p, generator) in [
            // 67 * 2^25 + 1 is too large, 61 * 2^25 + 1 no prime, 119 * 2^23 + 1 has too small a power of two.
            (2_248_146_945, 5),
            (2_046_820_353, 5),
            (998_244_353, 3),
            // A square generates nothing.
            (2_013_265_921, 961),
        ] {
            assert!(!is_good(&Prime::new(p, generator)), "{p}");
        }
    }
}
