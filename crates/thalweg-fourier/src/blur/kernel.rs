//! The Gaussian, cut off and sampled.

use thalweg_core::error::try_filled;

use crate::convolution::Boundary;
use crate::{Error, Result};

/// Where the Gaussian is cut off, in standard deviations. As `scipy.ndimage.gaussian_filter` does.
const TRUNCATE: f64 = 4.0;

/// Most that a kernel reaches to either side: beyond it, weights alone would take seconds.
const MOST: f64 = (1u32 << 26) as f64;

/// How far the kernel of a standard deviation reaches to either side.
///
/// # Errors
/// [`Error::BadOption`] for a number that is not above 0, or not finite, or above 2^24.
pub fn radius(sigma: f64) -> Result<usize> {
    let wrong = |reason| Err(Error::BadOption { option: "sigma", reason });
    if !(sigma > 0.0 && sigma.is_finite()) {
        return wrong(format!("{sigma} is not a finite number above 0"));
    }
    let radius = (TRUNCATE * sigma + 0.5).floor();
    if radius > MOST { wrong(format!("{sigma} is above 2^24")) } else { Ok(radius as usize) }
}

/// One half of the kernel, from its centre outwards, for lines of `len` pixels: the whole of it adds up to 1.
///
/// It reaches to `len` at most, whatever the deviation. What lies beyond the borders repeats itself, so weights further out
/// are for pixels that others are for as well, and are added to those.
pub(super) fn half(sigma: f64, len: usize, boundary: Boundary) -> Result<Vec<f64>> {
    let radius = radius(sigma)?;
    let weight = |i: usize| (-0.5 * (i as f64 / sigma).powi(2)).exp();
    // From the small ones up.
    let sum = 2.0 * (1..=radius).rev().map(weight).sum::<f64>() + weight(0);
    // The place of weight i, and the last one.
    let (most, period) = match boundary {
        Boundary::Zero => (len - 1, 0),
        Boundary::Nearest => (len, 0),
        Boundary::Wrap => (len / 2, len),
        Boundary::Reflect => (len, 2 * len),
    };
    let mut half = try_filled(radius.min(most) + 1, 0.0, "the kernel")?;
    for i in 0..=radius {
        let weight = weight(i) / sum;
        if i < half.len() {
            half[i] += weight;
        } else if period > 0 {
            let place = (i % period).min(period - i % period);
            // Both i and -i are there.
            half[place] += if place == 0 { 2.0 * weight } else { weight };
        } else if boundary == Boundary::Nearest {
            half[most] += weight;
        }
    }
    Ok(half)
}

/// The whole kernel in single precision.
pub(super) fn whole(half: &[f64]) -> Vec<f32> {
    half.iter().skip(1).rev().chain(half).map(|&weight| weight as f32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_add_up_and_reach_as_far_as_scipys() {
        for (sigma, reach) in [(0.1, 0), (0.125, 1), (0.3, 1), (1.0, 4), (1.37, 5), (1.38, 6), (10.0, 40), (50.0, 200)]
        {
            let half = half(sigma, 1000, Boundary::Reflect).unwrap();
            assert_eq!(half.len(), reach + 1, "sigma {sigma}");
            assert!((half[0] + 2.0 * half[1..].iter().sum::<f64>() - 1.0).abs() < 4e-15);
            assert!(half.is_sorted_by(|a, b| a > b));
        }
        for sigma in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300] {
            let error = half(sigma, 1000, Boundary::Zero);
            assert!(matches!(error, Err(Error::BadOption { option: "sigma", .. })), "sigma {sigma}");
        }
    }

    #[test]
    fn folded_kernels_see_the_same() {
        for &boundary in Boundary::ALL {
            for len in 1..20usize {
                for sigma in [0.5, 1.0, 2.3, 6.0, 40.0] {
                    let long = half(sigma, 1 << 20, boundary).unwrap();
                    let short = half(sigma, len, boundary).unwrap();
                    assert!(short.len() <= len + 1);
                    let seen = |half: &[f64], from: usize| {
                        let mut seen = vec![0.0; len];
                        for (j, weight) in half.iter().enumerate() {
                            for position in [from as isize - j as isize, (from + j) as isize] {
                                let share = if j == 0 { weight / 2.0 } else { *weight };
                                boundary.locate(position, len).into_iter().for_each(|at| seen[at] += share);
                            }
                        }
                        seen
                    };
                    for from in 0..len {
                        for (a, b) in seen(&long, from).iter().zip(seen(&short, from)) {
                            assert!((a - b).abs() < 1e-13, "{boundary}, length {len}, sigma {sigma}: {a} {b}");
                        }
                    }
                }
            }
        }
    }
}
