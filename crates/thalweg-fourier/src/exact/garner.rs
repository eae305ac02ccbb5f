//! The Chinese remainder theorem, by Garner's digits (1959).
//!
//! The answer plus the bound's lowest value is a number below the product of the primes, and has digits to the bases of the
//! primes, the smallest prime first: every digit is found modulo its own prime. What is added is taken away at the end, so
//! that no sign must be guessed.
#![allow(unsafe_code)]

use thalweg_core::simd::Level;

use super::bits::I192;
use super::bound::Bound;
use super::lanes::{Lanes, Modulus, for_lanes};
use super::prime::{MAX_PRIMES, PRIMES, Prime};

/// What numbers are made of, from residues modulo the first primes.
#[derive(Clone, Debug)]
pub struct Garner {
    /// The primes, the smallest first.
    primes: Vec<Prime>,
    /// What is added, modulo every prime; and in full.
    offsets: Vec<u32>,
    offset: I192,
    /// `inverses[i][j]`, j below i: the stored inverse of prime j modulo prime i.
    inverses: Vec<Vec<u32>>,
}

impl Garner {
    /// For answers within a bound.
    pub fn new(bound: &Bound) -> Self {
        let mut primes = PRIMES[..bound.primes()].to_vec();
        primes.reverse();
        let offsets = primes.iter().map(|prime| bound.low.remainder(prime.p)).collect();
        let inverses = primes
            .iter()
            .enumerate()
            .map(|(i, prime)| primes[..i].iter().map(|other| prime.factor(prime.inverse_of(other.p))).collect())
            .collect();
        Self { primes, offsets, offset: bound.low, inverses }
    }

    /// The primes, in the order in which residues are given.
    pub fn primes(&self) -> &[Prime] {
        &self.primes
    }

    /// What is added to every answer.
    pub fn offset(&self) -> I192 {
        self.offset
    }

    /// What is added, modulo every prime.
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// The stored inverse of prime `j` modulo prime `i`, the larger.
    pub fn inverse(&self, i: usize, j: usize) -> u32 {
        self.inverses[i][j]
    }

    /// Turns residues into digits, prime by prime.
    pub(super) fn digits(&self, level: Level, residues: &mut [&mut [u32]]) {
        assert!(residues.len() == self.primes.len() && residues.len() <= MAX_PRIMES);
        for i in 0..residues.len() {
            let (before, rest) = residues.split_at_mut(i);
            digits(level, rest[0], before, self, i);
        }
    }

    /// The number of these digits modulo 2^64.
    #[inline(always)]
    pub fn low_bits(&self, digit: impl Fn(usize) -> u32) -> i64 {
        let mut value = 0u64;
        for (i, prime) in self.primes.iter().enumerate().rev() {
            value = value.wrapping_mul(prime.p.into()).wrapping_add(digit(i).into());
        }
        value.wrapping_sub(self.offset.parts().0 as u64) as i64
    }

    /// The number of these digits, of at most four primes.
    #[inline(always)]
    pub fn middle(&self, digit: impl Fn(usize) -> u32) -> i128 {
        let mut value = 0u128;
        for (i, prime) in self.primes.iter().enumerate().rev() {
            value = value.wrapping_mul(prime.p.into()).wrapping_add(digit(i).into());
        }
        value.wrapping_sub(self.offset.parts().0) as i128
    }

    /// The number of these digits.
    pub fn whole(&self, digit: impl Fn(usize) -> u32) -> I192 {
        let mut value = I192::ZERO;
        for (i, prime) in self.primes.iter().enumerate().rev() {
            value = value.times_plus(prime.p, digit(i));
        }
        value.minus(self.offset)
    }
}

for_lanes! {
    /// The digits of prime `i`, in place of residues, from those before it.
    fn digits(residues: &mut [u32], before: &[&mut [u32]], garner: &Garner, i: usize) = digits_body;
}

#[inline(always)]
unsafe fn digits_body<L: Lanes>(residues: &mut [u32], before: &[&mut [u32]], garner: &Garner, i: usize) {
    let len = residues.len();
    assert!(before.len() == i && before.iter().all(|digits| digits.len() == len));
    let (prime, offset, inverses) = (&garner.primes[i], garner.offsets[i], &garner.inverses[i][..i]);
    let whole = len / L::WIDTH * L::WIDTH;
    // SAFETY: the caller has the instruction set; whole vectors.
    unsafe {
        let m = Modulus::<L>::new(prime);
        for at in (0..whole).step_by(L::WIDTH) {
            let mut digit = m.sum(L::load(residues.as_ptr().add(at)), L::splat(offset));
            for (digits, &inverse) in before.iter().zip(inverses) {
                // Digits of smaller primes are residues of this one.
                digit = m.product(m.loose_difference(digit, L::load(digits.as_ptr().add(at))), L::splat(inverse));
            }
            digit.store(residues.as_mut_ptr().add(at));
        }
    }
    let (p, back) = (prime.p, prime.inverse_of(prime.one));
    for at in whole..len {
        let mut digit = ((u64::from(residues[at]) + u64::from(offset)) % u64::from(p)) as u32;
        for (digits, &inverse) in before.iter().zip(inverses) {
            digit = prime.times(prime.times((digit + p - digits[at]) % p, inverse), back);
        }
        residues[at] = digit;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(low: i128, high: i128) -> Bound {
        Bound { low: I192::of(low), high: I192::of(high) }
    }

    /// Residues of the numbers and back again.
    fn round_trip(garner: &Garner, level: Level, numbers: &[i128]) -> Vec<I192> {
        let mut residues: Vec<Vec<u32>> = garner
            .primes()
            .iter()
            .map(|prime| numbers.iter().map(|x| x.rem_euclid(i128::from(prime.p)) as u32).collect())
            .collect();
        let mut slices: Vec<&mut [u32]> = residues.iter_mut().map(|r| &mut r[..]).collect();
        garner.digits(level, &mut slices);
        (0..numbers.len()).map(|at| garner.whole(|i| residues[i][at])).collect()
    }

    #[test]
    fn numbers_come_back() {
        for &level in Level::available() {
            for bits in (0..127).chain([126]) {
                let most = i128::MAX >> (126 - bits);
                let numbers: Vec<i128> =
                    (0..35).map(|i| most / 17 * (i - 17)).chain([most, -most, most - 1, 1 - most, 0]).collect();
                let garner = Garner::new(&bound(most, most));
                let found = round_trip(&garner, level, &numbers);
                assert!(found.iter().zip(&numbers).all(|(found, &x)| *found == I192::of(x)), "{bits}");
                let positive: Vec<i128> = numbers.into_iter().filter(|&x| x >= 0).collect();
                let garner = Garner::new(&bound(0, most));
                let found = round_trip(&garner, level, &positive);
                assert!(found.iter().zip(&positive).all(|(found, &x)| *found == I192::of(x)), "{bits}");
            }
        }
    }

    #[test]
    fn short_sums_are_the_long_ones() {
        let garner = Garner::new(&bound(i64::MAX.into(), i64::MAX.into()));
        assert_eq!(garner.primes().len(), 3);
        for seed in 0..100u32 {
            let digits: Vec<u32> = garner.primes().iter().map(|prime| prime.p - 1 - seed * (prime.p / 100)).collect();
            let whole = garner.whole(|i| digits[i]).to_i128().unwrap();
            assert_eq!(garner.middle(|i| digits[i]), whole);
            assert_eq!(garner.low_bits(|i| digits[i]), whole as i64);
        }
    }

    #[test]
    fn a_wrong_constant_is_seen() {
        let numbers: Vec<i128> = (0..40).map(|i| i64::MAX as i128 / 20 * (i - 20)).collect();
        let limits = bound(i64::MAX.into(), i64::MAX.into());
        let is_right = |garner: &Garner| {
            round_trip(garner, Level::best(), &numbers).iter().zip(&numbers).all(|(found, &x)| *found == I192::of(x))
        };
        let right = Garner::new(&limits);
        assert!(is_right(&right));
        for change in 0..4 {
            let mut garner = right.clone();
            match change {
                0 => garner.inverses[1][0] ^= 1,
                1 => garner.inverses[2][1] ^= 1,
                2 => garner.offsets[1] ^= 1,
                _ => garner.offset = I192::of(7),
            }
            assert!(!is_right(&garner), "{change}");
        }
    }
}
