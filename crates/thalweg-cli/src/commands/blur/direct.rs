//! Single pixels of a blurred picture by their definition, in double precision: what a sample of the results is held to.

use thalweg::fourier::blur::{Picture, Sample};
use thalweg::fourier::convolution::Boundary;

/// By how much more than rounding a sample may be off: a share of a level, or of the largest sample (the engines promise 2^-19).
const SLACK: f64 = 1.0 / 16.0;
const SLACK_OF_LARGEST: f64 = 1.0 / (1u64 << 18) as f64;

/// A blur whose pixels can be computed one by one.
pub struct Direct {
    pub sizes: Picture,
    pub sigma: [f64; 2],
    pub boundary: Boundary,
}

impl Direct {
    /// Steps that a pixel takes, roughly.
    pub fn steps(&self, [down, along]: &[Vec<f64>; 2]) -> usize {
        let Picture { height, width, channels, .. } = self.sizes;
        down.len().min(height) * along.len().min(width) * channels + down.len() + along.len() + height + width
    }

    /// The weights down the columns and along the rows, from one end to the other, each of which add up to 1.
    pub fn kernels(&self) -> [Vec<f64>; 2] {
        self.sigma.map(|sigma| {
            let reach = (4.0 * sigma + 0.5).floor();
            let weights: Vec<f64> =
                (0..=2 * reach as usize).map(|i| (-0.5 * ((i as f64 - reach) / sigma).powi(2)).exp()).collect();
            let sum: f64 = weights.iter().sum();
            weights.into_iter().map(|weight| weight / sum).collect()
        })
    }

    /// What is wrong with a pixel, if anything.
    pub fn complaint<S: Sample>(
        &self,
        kernels: &[Vec<f64>; 2],
        before: &[S],
        after: &[S],
        pixel: usize,
    ) -> Option<String> {
        let Picture { width, channels, alpha, .. } = self.sizes;
        let (row, column) = (pixel / width, pixel % width);
        let mut expected = self.at(kernels, before, row, column);
        if alpha {
            let opacity = expected[channels - 1];
            // The colour of what nobody sees is anything.
            if opacity < 1.0 {
                expected[..channels - 1].iter_mut().for_each(|colour| *colour = f64::NAN);
            }
            expected[..channels - 1].iter_mut().for_each(|colour| *colour /= opacity);
        }
        let found = &after[pixel * channels..][..channels];
        let is_off = |(sample, expected): (&S, &f64)| {
            (sample.wide() - expected).abs() > 0.5 + SLACK.max(SLACK_OF_LARGEST * S::OPAQUE)
        };
        found.iter().zip(&expected[..channels]).any(is_off).then(|| {
            let expected = &expected[..channels];
            format!("the pixel in row {row}, column {column} is {found:?}, but the sums are {expected:?}")
        })
    }

    /// The sums of a pixel; of colours times their opacities, if there are such.
    fn at<S: Sample>(&self, [down, along]: &[Vec<f64>; 2], samples: &[S], row: usize, column: usize) -> [f64; 4] {
        let Picture { height, width, channels, alpha } = self.sizes;
        let (rows, columns) = (self.folded(down, row, height), self.folded(along, column, width));
        let mut sums = [0.0; 4];
        for &(y, vertical) in &rows {
            let mut line = [0.0; 4];
            for &(x, horizontal) in &columns {
                let pixel = &samples[(y * width + x) * channels..][..channels];
                let opacity = if alpha { pixel[channels - 1].wide() } else { 1.0 };
                for (channel, sample) in pixel.iter().enumerate() {
                    let is_alpha = alpha && channel == channels - 1;
                    line[channel] += horizontal * sample.wide() * if is_alpha { 1.0 } else { opacity };
                }
            }
            sums.iter_mut().zip(line).for_each(|(sum, line)| *sum += vertical * line);
        }
        sums
    }

    /// The weights of the places of a line that a kernel over one of them reaches: each once, however far it reaches.
    fn folded(&self, kernel: &[f64], position: usize, len: usize) -> Vec<(usize, f64)> {
        let mut weights = vec![0.0; len];
        for (i, weight) in kernel.iter().enumerate() {
            let place = (position + i) as isize - (kernel.len() / 2) as isize;
            if let Some(at) = self.boundary.locate(place, len) {
                weights[at] += weight;
            }
        }
        weights.into_iter().enumerate().filter(|(_, weight)| *weight != 0.0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_sums() {
        let line = |boundary| Direct {
            sizes: Picture { height: 1, width: 5, channels: 1, alpha: false },
            sigma: [0.5; 2],
            boundary,
        };
        let direct = line(Boundary::Zero);
        let kernels = direct.kernels();
        assert_eq!(kernels[0].len(), 5);
        let sums: Vec<f64> = (0..5).map(|column| direct.at(&kernels, &[0u8, 0, 255, 0, 0], 0, column)[0]).collect();
        // A row above it and one below are zeros.
        let share = kernels[0][2];
        assert!((0..5).all(|i| (sums[i] - 255.0 * share * kernels[1][i]).abs() < 1e-9), "{sums:?}");
        let reflected = line(Boundary::Reflect);
        let after = [0u8, 27, 201, 27, 0];
        assert!((0..5).all(|i| reflected.complaint(&kernels, &[0u8, 0, 255, 0, 0], &after, i).is_none()));
        assert!(reflected.complaint(&kernels, &[0u8, 0, 255, 0, 0], &[0, 27, 202, 27, 0], 2).is_some());
        assert!(direct.complaint(&kernels, &[0u8, 0, 255, 0, 0], &after, 2).is_some());
    }

    #[test]
    fn colours_count_as_much_as_they_are_opaque() {
        let sizes = Picture { height: 1, width: 2, channels: 2, alpha: true };
        let direct = Direct { sizes, sigma: [1.0; 2], boundary: Boundary::Reflect };
        let kernels = direct.kernels();
        // A transparent pixel gives no colour to its neighbour, and gets its.
        let (before, after) = ([200u8, 255, 13, 0], [200u8, 165, 200, 90]);
        let share = direct.at(&kernels, &before, 0, 0)[1];
        assert_eq!((share.round(), (255.0 - share).round()), (165.0, 90.0));
        assert!((0..2).all(|i| direct.complaint(&kernels, &before, &after, i).is_none()));
        assert!(direct.complaint(&kernels, &before, &[190, 165, 200, 90], 0).is_some());
    }
}
