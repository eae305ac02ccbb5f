//! Random numbers by counter: the i-th number of a seed can be computed alone, so data is made in parallel and is the
//! same on every machine, for any number of threads, for ever.

/// The generator SplitMix64, read at any place of its sequence.
#[derive(Clone, Copy, Debug)]
pub struct Random {
    seed: u64,
}

impl Random {
    /// A sequence of its own for every seed and stream.
    pub fn new(seed: u64, stream: u64) -> Self {
        Self { seed: mix(seed ^ mix(stream.wrapping_add(0x5851_f42d_4c95_7f2d))) }
    }

    /// The number at place `index`: all 64 bits are random.
    #[inline]
    pub fn bits(self, index: u64) -> u64 {
        mix(self.seed.wrapping_add(index.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    /// A number in `0..bound`, or 0 if the bound is 0.
    #[inline]
    pub fn below(self, index: u64, bound: u64) -> u64 {
        // The high half of the product: its bias is below bound / 2^64.
        ((u128::from(self.bits(index)) * u128::from(bound)) >> 64) as u64
    }

    /// A number in [0, 1).
    #[inline]
    pub fn unit(self, index: u64) -> f64 {
        (self.bits(index) >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A number from the standard normal distribution (Box-Muller).
    #[inline]
    pub fn normal(self, index: u64) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit(2 * index)).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.unit(2 * index + 1)).cos()
    }
}

#[inline]
fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_in_range_and_spread() {
        let random = Random::new(1, 2);
        let mut counts = [0u32; 10];
        for i in 0..10_000 {
            counts[random.below(i, 10) as usize] += 1;
            assert!((0.0..1.0).contains(&random.unit(i)));
        }
        assert!(counts.iter().all(|&c| (850..1150).contains(&c)), "{counts:?}");
        let mean = (0..10_000).map(|i| random.normal(i)).sum::<f64>() / 10_000.0;
        assert!(mean.abs() < 0.05, "{mean}");
        assert_ne!(random.bits(0), Random::new(1, 3).bits(0));
        assert_ne!(random.bits(0), Random::new(2, 2).bits(0));
    }
}
