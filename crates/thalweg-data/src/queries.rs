//! Ranges to ask for: the workloads of GPU-RMQ (Kreis et al. 2026, section 5.1).

use thalweg_core::Position;
use thalweg_core::parallel::for_each_chunk_mut;

use crate::Random;

/// A kind of range. The left bound is uniform over the places where the range fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QueryKind {
    /// Lengths uniform in 1..=n.
    Large,
    /// Lengths log-normal around n^0.6.
    Medium,
    /// Lengths log-normal around n^0.3.
    Small,
    /// One of the other three, each with the same chance.
    Mixed,
}

impl QueryKind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[Self::Large, Self::Medium, Self::Small, Self::Mixed];

    /// The kind's name, as the command line takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Large => "large",
            Self::Medium => "medium",
            Self::Small => "small",
            Self::Mixed => "mixed",
        }
    }

    /// Length of range `i`, from 1 to `n`.
    fn length(self, i: u64, n: u64, random: Random) -> u64 {
        let log_normal = |exponent: f64| {
            let mean = (n as f64).ln() * exponent;
            ((mean + 0.3 * random.normal(4 * i)).exp() as u64).clamp(1, n)
        };
        match self {
            Self::Large => 1 + random.below(4 * i, n),
            Self::Medium => log_normal(0.6),
            Self::Small => log_normal(0.3),
            Self::Mixed => {
                [Self::Large, Self::Medium, Self::Small][random.below(4 * i + 2, 3) as usize].length(i, n, random)
            }
        }
    }

    /// Range `i`.
    fn range(self, i: u64, n: u64, random: Random) -> [u64; 2] {
        let length = self.length(i, n, random);
        let left = random.below(4 * i + 3, n - length + 1);
        [left, left + length - 1]
    }

    /// Fills `out` with ranges `[left, right]`, both inclusive, inside an array of `n` elements, in parallel.
    ///
    /// # Panics
    /// If the array is empty and `out` is not: there is no range in it.
    pub fn fill<P: Position>(self, n: usize, seed: u64, out: &mut [[P; 2]]) {
        assert!(n > 0 || out.is_empty(), "an empty array has no ranges");
        let (n, random) = (n as u64, Random::new(seed, 2));
        for_each_chunk_mut(out, 1 << 12, &|start, out| {
            for (i, out) in (start as u64..).zip(out) {
                *out = self.range(i, n, random).map(|bound| P::new(bound as usize));
            }
        });
    }

    /// A batch of `count` ranges.
    pub fn make<P: Position>(self, n: usize, count: usize, seed: u64) -> Vec<[P; 2]> {
        let mut queries = vec![[P::default(); 2]; count];
        self.fill(n, seed, &mut queries);
        queries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_the_published_means() {
        let n = 1 << 20;
        let mean = |kind: QueryKind| {
            let queries = kind.make::<u32>(n, 20_000, 3);
            assert!(queries.iter().all(|&[l, r]| l <= r && (r as usize) < n));
            queries.iter().map(|&[l, r]| f64::from(r - l + 1)).sum::<f64>() / 20_000.0
        };
        // A log-normal mean is exp(mu + sigma²/2) = 1.046 exp(mu).
        let near = |got: f64, want: f64| assert!((got / want - 1.0).abs() < 0.03, "{got} {want}");
        near(mean(QueryKind::Large), n as f64 / 2.0);
        near(mean(QueryKind::Medium), 1.046 * (n as f64).powf(0.6));
        assert!((mean(QueryKind::Small) / (1.046 * (n as f64).powf(0.3)) - 1.0).abs() < 0.05);
    }

    #[test]
    fn tiny_arrays_work() {
        for n in 1..5 {
            for &kind in QueryKind::ALL {
                assert!(kind.make::<u64>(n, 100, 1).iter().all(|&[l, r]| l <= r && (r as usize) < n));
            }
        }
    }
}
