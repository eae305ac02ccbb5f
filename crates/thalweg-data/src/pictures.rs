//! Pictures, and their naive blur.

use crate::convolutions::beyond;
use crate::{Random, made};

/// Kinds of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PictureKind {
    /// Every sample at random.
    Noise,
    /// The same sample everywhere.
    Constant,
    /// From dark to light.
    Gradient,
    /// Black and white squares.
    Squares,
    /// One bright pixel in the middle.
    Star,
}

impl PictureKind {
    /// All of them.
    pub const ALL: &'static [Self] = &[Self::Noise, Self::Constant, Self::Gradient, Self::Squares, Self::Star];

    /// The samples, from 0 to 1, of `height` rows of `width` pixels of `channels` samples.
    pub fn make(self, [height, width, channels]: [usize; 3], seed: u64) -> Vec<f64> {
        let random = Random::new(seed, self as u64);
        made(height * width * channels, move |i| {
            let (y, x, channel) = (i / channels / width, i / channels % width, i % channels);
            match self {
                Self::Noise => random.unit(i as u64),
                Self::Constant => random.unit(channel as u64),
                Self::Gradient => (x * (channel + 1) + y) as f64 / (width * channels + height) as f64,
                Self::Squares => f64::from(u8::from((y / 3 + (x + channel) / 5) % 2 == 1)),
                Self::Star => f64::from(u8::from(y == height / 2 && x == width / 2)),
            }
        })
    }
}

/// A blur that is to be computed naively.
#[derive(Clone, Copy, Debug)]
pub struct NaiveBlur<'a> {
    /// Rows, pixels a row, samples a pixel.
    pub size: [usize; 3],
    /// Whether the last sample of a pixel says how opaque it is.
    pub alpha: bool,
    /// Standard deviations down the columns and along the rows.
    pub sigma: [f64; 2],
    /// `zero`, `wrap`, `reflect` or `nearest`.
    pub boundary: &'a str,
}

impl NaiveBlur<'_> {
    /// The blurred picture before it is rounded. Colours are those of alpha times them, divided by alpha; NaN where alpha is 0.
    pub fn blurred(&self, samples: &[f64]) -> Vec<f64> {
        let [height, width, channels] = self.size;
        let mut values = samples.to_vec();
        if self.alpha {
            for pixel in values.chunks_exact_mut(channels) {
                let alpha = pixel[channels - 1];
                pixel[..channels - 1].iter_mut().for_each(|colour| *colour *= alpha);
            }
        }
        let [down, across] = self.sigma.map(weights);
        values = self.along(&values, &down, height, width * channels);
        values = self.along(&values, &across, width, channels);
        if self.alpha {
            for pixel in values.chunks_exact_mut(channels) {
                let alpha = pixel[channels - 1];
                pixel[..channels - 1].iter_mut().for_each(|colour| *colour /= alpha);
            }
        }
        values
    }

    /// The samples of one blurred pixel, as [`Self::blurred`] has them, by one sum over all that the kernel sees.
    pub fn pixel(&self, samples: &[f64], y: usize, x: usize) -> Vec<f64> {
        let [height, width, channels] = self.size;
        let [down, across] = self.sigma.map(weights);
        let reach = [down.len() / 2, across.len() / 2];
        let mut sums = vec![0.0; channels];
        for (i, down) in down.iter().enumerate() {
            let y = (y + i) as isize - reach[0] as isize;
            let Some(y) = beyond(self.boundary, y, height) else { continue };
            for (j, across) in across.iter().enumerate() {
                let x = (x + j) as isize - reach[1] as isize;
                let Some(x) = beyond(self.boundary, x, width) else { continue };
                let pixel = &samples[(y * width + x) * channels..][..channels];
                let alpha = if self.alpha { pixel[channels - 1] } else { 1.0 };
                for (i, (sum, sample)) in sums.iter_mut().zip(pixel).enumerate() {
                    let share = if self.alpha && i == channels - 1 { 1.0 } else { alpha };
                    *sum += down * across * share * sample;
                }
            }
        }
        if self.alpha {
            let alpha = sums[channels - 1];
            sums[..channels - 1].iter_mut().for_each(|colour| *colour /= alpha);
        }
        sums
    }

    fn along(&self, values: &[f64], weights: &[f64], len: usize, stride: usize) -> Vec<f64> {
        let reach = (weights.len() / 2) as isize;
        // What weight j is for, of element i, at i + j.
        let places: Vec<Option<usize>> =
            (-reach..len as isize + reach).map(|position| beyond(self.boundary, position, len)).collect();
        made(values.len(), |place| {
            let i = place / stride % len;
            let start = place - i * stride;
            let seen = places[i..i + weights.len()].iter().zip(weights);
            seen.map(|(at, weight)| at.map_or(0.0, |at| weight * values[start + at * stride])).sum()
        })
    }
}

/// A Gaussian, as `scipy.ndimage.gaussian_filter` cuts it off and adds it up.
fn weights(sigma: f64) -> Vec<f64> {
    let reach = (4.0 * sigma + 0.5) as i64;
    let weights: Vec<f64> = (-reach..=reach).map(|i| (-0.5 * (i * i) as f64 / (sigma * sigma)).exp()).collect();
    let sum: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_scipy_blurs() {
        // scipy.ndimage.gaussian_filter([0., 0, 9, 0, 1], 0.7)
        let blur = NaiveBlur { size: [1, 5, 1], alpha: false, sigma: [0.7; 2], boundary: "reflect" };
        let wanted =
            [0.08709709893874566, 1.8486553983239369, 5.138289510159154, 2.063615457148084, 0.8623425354300803];
        for (value, wanted) in blur.blurred(&[0.0, 0.0, 9.0, 0.0, 1.0]).iter().zip(wanted) {
            assert!((value - wanted).abs() < 1e-12, "{value} {wanted}");
        }
        // Both ways are the same.
        let size = [5, 7, 4];
        let samples = PictureKind::Noise.make(size, 1);
        let blur = NaiveBlur { size, alpha: true, sigma: [1.1, 3.0], boundary: "wrap" };
        let blurred = blur.blurred(&samples);
        for (y, x) in [(0, 0), (2, 3), (4, 6)] {
            for (a, b) in blur.pixel(&samples, y, x).iter().zip(&blurred[(y * 7 + x) * 4..]) {
                assert!((a - b).abs() < 1e-12, "{a} {b}");
            }
        }
    }
}
