//! Signals for Fourier transforms: complex values in the unit square around 0, on arrays of any shape.

use std::f64::consts::TAU;

use crate::{Random, made};

/// A kind of signal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SignalKind {
    /// Uniform noise: every frequency.
    Noise,
    /// Three waves, with a whole number of periods along every axis: three frequencies.
    Tones,
    /// A wave whose frequency rises: all frequencies, nearly alike.
    Chirp,
    /// One at the first element, zero elsewhere: all frequencies, exactly alike.
    Impulse,
}

impl SignalKind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[Self::Noise, Self::Tones, Self::Chirp, Self::Impulse];

    /// The kind's name, as the command line takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Noise => "noise",
            Self::Tones => "tones",
            Self::Chirp => "chirp",
            Self::Impulse => "impulse",
        }
    }

    /// Real and imaginary parts of an array with these sizes, the last index running fastest, in parallel.
    ///
    /// # Panics
    /// If there is not so much memory.
    pub fn make(self, sizes: &[usize], seed: u64) -> Vec<[f64; 2]> {
        let (random, tones) = (Random::new(seed, 40), Tones::new(sizes, seed));
        made(sizes.iter().product(), |i| match self {
            Self::Noise => [0, 1].map(|part| 2.0 * random.unit(2 * i as u64 + part) - 1.0),
            Self::Tones => tones.at(i),
            Self::Chirp => {
                // In every row from frequency 0 to half the samples'.
                let n = sizes[sizes.len() - 1];
                let (j, n) = ((i % n) as f64, n as f64);
                let (sin, cos) = (TAU * (j * j / (4.0 * n)).fract()).sin_cos();
                [cos, sin]
            }
            Self::Impulse => [if i == 0 { 1.0 } else { 0.0 }, 0.0],
        })
    }
}

/// Waves of chosen frequencies: for each the number of periods along every axis, and its share.
struct Tones<'s> {
    sizes: &'s [usize],
    waves: [(Vec<u64>, f64); 3],
}

impl<'s> Tones<'s> {
    fn new(sizes: &'s [usize], seed: u64) -> Self {
        let random = Random::new(seed, 41);
        let waves = [(0, 0.5), (1, 0.3), (2, 0.2)].map(|(wave, share)| {
            let periods = (0..).zip(sizes).map(|(axis, &size)| random.below(8 * wave + axis, size as u64));
            (periods.collect(), share)
        });
        Self { sizes, waves }
    }

    fn at(&self, index: usize) -> [f64; 2] {
        let (mut re, mut im) = (0.0, 0.0);
        for (periods, share) in &self.waves {
            let (mut rest, mut turns) = (index, 0.0);
            for (&size, &count) in self.sizes.iter().zip(periods).rev() {
                // In integers: a float would lose the fraction.
                turns += (count as u128 * (rest % size) as u128 % size as u128) as f64 / size as f64;
                rest /= size;
            }
            let (sin, cos) = (TAU * turns.fract()).sin_cos();
            re += share * cos;
            im += share * sin;
        }
        [re, im]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_stay_in_the_square_and_depend_on_the_seed() {
        for &kind in SignalKind::ALL {
            for sizes in [&[1][..], &[1000], &[30, 40], &[5, 6, 7]] {
                let values = kind.make(sizes, 3);
                assert_eq!(values.len(), sizes.iter().product::<usize>());
                assert!(values.as_flattened().iter().all(|x| x.abs() <= 1.0 + 1e-12), "{kind:?}");
                assert_eq!(values, kind.make(sizes, 3));
            }
        }
        assert_ne!(SignalKind::Noise.make(&[9], 1), SignalKind::Noise.make(&[9], 2));
    }

    #[test]
    fn tones_repeat() {
        let sizes = [12, 35];
        let tones = Tones::new(&sizes, 5);
        // One more row leads back to the first.
        let (first, again) = (tones.at(3), tones.at(3 + 12 * 35));
        assert!((0..2).all(|part| (first[part] - again[part]).abs() < 1e-12));
    }
}
