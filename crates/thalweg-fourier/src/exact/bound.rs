//! How large an answer can be, and how many primes hold it.

use thalweg_core::memory::computed;
use thalweg_core::parallel::chunk_range;

use super::bits::I192;
use super::integer::{Integer, Values, each_type};
use super::prime::PRIMES;
use crate::Result;

/// Elements of a task: 2^14 numbers of 32 bits sum up to less than 2^64.
const CHUNK: usize = 1 << 14;

/// The largest absolute value, and the sum of all.
fn magnitudes(values: Values<'_>) -> Result<(u64, u128)> {
    let len = values.len();
    let parts = computed(
        len.div_ceil(CHUNK),
        4,
        "bounds",
        |chunk| each_type!(values, values => magnitudes_of(&values[chunk_range(chunk, CHUNK, len)])),
    )?;
    Ok(parts.into_iter().fold((0, 0), |(largest, sum), (other, part)| (largest.max(other), sum + part)))
}

fn magnitudes_of<T: Integer>(values: &[T]) -> (u64, u128) {
    let largest = values.iter().map(|x| x.magnitude()).max().unwrap_or(0);
    let sum = if size_of::<T>() <= 4 {
        values.iter().map(|x| x.magnitude()).sum::<u64>().into()
    } else {
        values.iter().map(|&x| u128::from(x.magnitude())).sum()
    };
    (largest, sum)
}

/// What an answer lies in: no element is below `-low`, none above `high`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bound {
    /// The absolute value of the smallest, or 0.
    pub low: I192,
    /// The largest.
    pub high: I192,
}

impl Bound {
    /// The bound of sums of products of each element of a kernel with some element of an array, at most `terms` of which are not
    /// zero.
    pub fn new(array: Values<'_>, kernel: Values<'_>, terms: usize) -> Result<Self> {
        let (largest, _) = magnitudes(array)?;
        let (weight, sum) = magnitudes(kernel)?;
        // Both are products of numbers below 2^128 and 2^64.
        let high = I192::product(sum.min(u128::from(weight) * terms as u128), largest);
        let is_signed = array.is_signed() || kernel.is_signed();
        Ok(Self { low: if is_signed { high } else { I192::ZERO }, high })
    }

    /// How many primes are needed: the first whose product is larger than the number of possible answers.
    pub fn primes(&self) -> usize {
        let mut product = I192::of(1);
        for (i, prime) in PRIMES.iter().enumerate() {
            product = product.times_plus(prime.p, 0);
            if product > self.low.plus(self.high) {
                return i + 1;
            }
        }
        unreachable!("sums of 2^50 products of 64 bits have 178 bits, the primes 182")
    }

    /// Whether every answer fits `i64`.
    pub fn fits_i64(&self) -> bool {
        self.fits(i64::MAX.into())
    }

    /// Whether every answer is between a positive number and its opposite.
    pub fn fits(&self, most: i128) -> bool {
        self.high <= I192::of(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound<A: Integer, K: Integer>(array: &[A], kernel: &[K], terms: usize) -> Bound {
        Bound::new(A::values(array), K::values(kernel), terms).unwrap()
    }

    #[test]
    fn bounds_are_reached_and_not_passed() {
        assert_eq!(bound(&[1u8, 255], &[-128i8, 127], 2).high.to_i128(), Some(255 * 255));
        assert_eq!(bound(&[1u8, 255], &[-128i8, 127], 1).high.to_i128(), Some(255 * 128));
        assert_eq!(bound(&[1u8, 255], &[3u8], 1).low, I192::ZERO);
        assert_eq!(bound(&[i64::MIN], &[i64::MIN, 0], 2).high.to_i128(), Some(1 << 126));
        assert_eq!(bound(&[u64::MAX; 2], &[u64::MAX; 3], 3).high, I192::product(3 * u128::from(u64::MAX), u64::MAX));
    }

    #[test]
    fn as_many_primes_as_are_needed() {
        let p = u64::from(PRIMES[0].p);
        assert_eq!(bound(&[p - 1], &[1u64], 1).primes(), 1);
        assert_eq!(bound(&[p], &[1u64], 1).primes(), 2);
        // With signs there are 2 * 2^30 + 1 answers.
        assert_eq!(bound(&[1i32 << 29], &[2i8], 1).primes(), 2);
        assert_eq!(bound(&[i32::MIN; 1], &vec![i32::MIN; 1 << 20], 1 << 20).primes(), 3);
        assert_eq!(bound(&[u64::MAX; 1], &vec![u64::MAX; 1 << 20], 1 << 20).primes(), 5);
        assert_eq!(bound(&[i64::MIN; 1], &vec![i64::MIN; 1 << 20], 1 << 20).primes(), 5);
        let most = I192::product(u128::from(u64::MAX) << 50, u64::MAX);
        assert_eq!(Bound { low: most, high: most }.primes(), 6);
        assert_eq!(Bound { low: I192::ZERO, high: I192::ZERO }.primes(), 1);
    }
}
