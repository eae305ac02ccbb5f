//! Arrays to index: benign, structured and hostile.

use rayon::prelude::*;
use thalweg_core::Key;

use crate::Random;

/// A kind of array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArrayKind {
    /// Independent and uniform: all bits of an integer, [0, 1) for floats.
    Random,
    /// The thesis's worst case for merging: values alternate between the two ends, [0, 2, 4, 5, 3, 1].
    Worst,
    /// Increasing.
    Sorted,
    /// Decreasing.
    Reverse,
    /// All equal.
    Constant,
    /// Eight different values in random order.
    Few,
    /// Ascending, descending and level runs of random lengths.
    Runs,
    /// The extremes of the type: for floats NaN, infinities, both zeros and subnormal numbers.
    Special,
}

impl ArrayKind {
    /// Every kind.
    pub const ALL: &'static [Self] =
        &[Self::Random, Self::Worst, Self::Sorted, Self::Reverse, Self::Constant, Self::Few, Self::Runs, Self::Special];

    /// The kind's name, as the command line takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Random => "random",
            Self::Worst => "worst",
            Self::Sorted => "sorted",
            Self::Reverse => "reverse",
            Self::Constant => "constant",
            Self::Few => "few",
            Self::Runs => "runs",
            Self::Special => "special",
        }
    }

    /// Element `i` of an array of `n`.
    #[inline]
    fn element<K: Key>(self, i: u64, n: u64, random: Random) -> K {
        match self {
            Self::Random if is_float::<K>() => K::from_f64(random.unit(i)),
            Self::Random => K::from_low_bits(random.bits(i)),
            Self::Worst => monotone(if i < n.div_ceil(2) { 2 * i } else { 2 * (n - 1 - i) + 1 }, n),
            Self::Sorted => monotone(i, n),
            Self::Reverse => monotone(n - 1 - i, n),
            Self::Constant => K::from_f64(42.0),
            Self::Few => K::from_f64(10.0 + random.below(i, 8) as f64),
            Self::Runs => {
                // Stretches of 1,024 are cut into runs of one random length each, so that every element knows its own.
                let (stretch, offset) = (i >> 10, i & 1023);
                let length = 1 + random.below(3 * stretch, 700);
                let (run, step) = (offset / length, (offset % length) as f64);
                let base = random.below(3 * stretch + 1 + run, 1000) as f64;
                match random.below(3 * stretch + 2 + run, 3) {
                    0 => K::from_f64(base + step),
                    1 => K::from_f64(base + length as f64 - step),
                    _ => K::from_f64(base),
                }
            }
            Self::Special => special(random.bits(i)),
        }
    }

    /// Fills `out`, in parallel.
    pub fn fill<K: Key>(self, seed: u64, out: &mut [K]) {
        let (n, random) = (out.len() as u64, Random::new(seed, 1));
        out.par_iter_mut().enumerate().for_each(|(i, out)| *out = self.element(i as u64, n, random));
    }

    /// An array of `n` elements.
    pub fn make<K: Key>(self, n: usize, seed: u64) -> Vec<K> {
        let mut array = vec![K::default(); n];
        self.fill(seed, &mut array);
        array
    }
}

fn is_float<K: Key>() -> bool {
    K::FLOAT
}

/// Maps 0..n into the type without changing the order; ties appear only where the type is too narrow.
#[inline]
fn monotone<K: Key>(i: u64, n: u64) -> K {
    let bits = 8 * size_of::<K>() as u32;
    if is_float::<K>() || bits == 64 || n <= 1 << (bits - 1) {
        K::from_f64(i as f64)
    } else {
        // Scaled down to the non-negative half of the type, which signed and unsigned types share.
        K::from_low_bits((u128::from(i) * (1u128 << (bits - 1)) / u128::from(n)) as u64)
    }
}

fn special<K: Key>(bits: u64) -> K {
    match bits % 16 {
        0..3 => K::from_f64(f64::NAN),
        3 => K::from_f64(-f64::NAN),
        4 | 5 => K::from_f64(0.0),
        6 | 7 => K::from_f64(-0.0),
        8 => K::from_f64(f64::INFINITY),
        9 => K::from_f64(f64::NEG_INFINITY),
        10 => K::from_low_bits(u64::MAX >> 1),
        11 => K::from_low_bits(1),
        12 => K::from_low_bits(u64::MAX),
        13 => K::from_low_bits(1 << (8 * size_of::<K>() - 1)),
        _ => K::from_low_bits(bits >> 8),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worst_is_the_thesis_dataset() {
        assert_eq!(ArrayKind::Worst.make::<u32>(6, 0), [0, 2, 4, 5, 3, 1]);
        assert_eq!(ArrayKind::Worst.make::<f32>(5, 0), [0.0, 2.0, 4.0, 3.0, 1.0]);
    }

    #[test]
    fn sorted_is_sorted_in_every_type() {
        macro_rules! one {
            ($t:ident) => {
                assert!(ArrayKind::Sorted.make::<$t>(70_000, 0).is_sorted());
                assert!(ArrayKind::Reverse.make::<$t>(70_000, 0).iter().rev().is_sorted());
            };
        }
        thalweg_core::for_each_key!(one);
    }

    #[test]
    fn random_depends_on_the_seed_only() {
        let one = ArrayKind::Random.make::<u32>(10_000, 7);
        let two = crate::with_threads(3, || ArrayKind::Random.make::<u32>(10_000, 7));
        assert_eq!(one, two);
        assert_ne!(one, ArrayKind::Random.make::<u32>(10_000, 8));
    }
}
