//! Arrays to index: benign, structured and hostile.

use thalweg_core::parallel::for_each_chunk_mut;
use thalweg_core::{Key, Rank};

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

    /// Element `i` of an array of `n`, for any type.
    #[inline]
    fn element(self, i: u64, n: u64, random: Random, key: Type) -> Value {
        match self {
            Self::Random if key.float => Value::Number(random.unit(i)),
            Self::Random => Value::Bits(random.bits(i)),
            Self::Worst => key.monotone(if i < n.div_ceil(2) { 2 * i } else { 2 * (n - 1 - i) + 1 }, n),
            Self::Sorted => key.monotone(i, n),
            Self::Reverse => key.monotone(n - 1 - i, n),
            Self::Constant => Value::Number(42.0),
            Self::Few => Value::Number(10.0 + random.below(i, 8) as f64),
            Self::Runs => {
                // Stretches of 1,024 are cut into runs of one random length each, so that every element knows its own.
                let (stretch, offset) = (i >> 10, i & 1023);
                let length = 1 + random.below(3 * stretch, 700);
                let (run, step) = (offset / length, (offset % length) as f64);
                let base = random.below(3 * stretch + 1 + run, 1000) as f64;
                match random.below(3 * stretch + 2 + run, 3) {
                    0 => Value::Number(base + step),
                    1 => Value::Number(base + length as f64 - step),
                    _ => Value::Number(base),
                }
            }
            Self::Special => key.special(random.bits(i)),
        }
    }

    /// The elements from `start` on. Compiled once: what is left to a key type is to convert them.
    fn elements(self, start: u64, n: u64, random: Random, key: Type, out: &mut [Value]) {
        for (i, out) in (start..).zip(out) {
            *out = self.element(i, n, random, key);
        }
    }

    /// Fills `out`, in parallel.
    pub fn fill<K: Key>(self, seed: u64, out: &mut [K]) {
        let (n, random, key) = (out.len() as u64, Random::new(seed, 1), Type::of::<K>());
        for_each_chunk_mut(out, 1 << 14, &|start, out| {
            let mut values = [Value::Bits(0); PORTION];
            for (at, out) in (start..).step_by(PORTION).zip(out.chunks_mut(PORTION)) {
                self.elements(at as u64, n, random, key, &mut values[..out.len()]);
                for (out, value) in out.iter_mut().zip(values) {
                    *out = match value {
                        Value::Number(x) => K::from_f64(x),
                        Value::Bits(bits) => K::from_low_bits(bits),
                    };
                }
            }
        });
    }

    /// An array of `n` elements.
    pub fn make<K: Key>(self, n: usize, seed: u64) -> Vec<K> {
        let mut array = vec![K::default(); n];
        self.fill(seed, &mut array);
        array
    }
}

/// Elements that are made before they are converted.
const PORTION: usize = 256;

/// An element before it gets its type.
#[derive(Clone, Copy)]
enum Value {
    /// The nearest value of the type.
    Number(f64),
    /// The value with these low bits.
    Bits(u64),
}

/// What must be known of a key type.
#[derive(Clone, Copy)]
struct Type {
    bits: u32,
    float: bool,
}

impl Type {
    fn of<K: Key>() -> Self {
        Self { bits: K::Rank::BITS, float: K::FLOAT }
    }

    /// Maps 0..n into the type without changing the order; ties appear only where the type is too narrow.
    #[inline]
    fn monotone(self, i: u64, n: u64) -> Value {
        if self.float || self.bits == 64 || n <= 1 << (self.bits - 1) {
            Value::Number(i as f64)
        } else {
            // Scaled down to the non-negative half of the type, which signed and unsigned types share.
            Value::Bits((u128::from(i) * (1u128 << (self.bits - 1)) / u128::from(n)) as u64)
        }
    }

    fn special(self, bits: u64) -> Value {
        match bits % 16 {
            0..3 => Value::Number(f64::NAN),
            3 => Value::Number(-f64::NAN),
            4 | 5 => Value::Number(0.0),
            6 | 7 => Value::Number(-0.0),
            8 => Value::Number(f64::INFINITY),
            9 => Value::Number(f64::NEG_INFINITY),
            10 => Value::Bits(u64::MAX >> 1),
            11 => Value::Bits(1),
            12 => Value::Bits(u64::MAX),
            13 => Value::Bits(1 << (self.bits - 1)),
            _ => Value::Bits(bits >> 8),
        }
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
