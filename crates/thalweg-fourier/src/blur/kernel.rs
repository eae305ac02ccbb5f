//! The Gaussian, cut off and sampled.

use crate::{Error, Result};

/// Where the Gaussian is cut off, in standard deviations. As `scipy.ndimage.gaussian_filter` does.
const TRUNCATE: f64 = 4.0;

/// How far the kernel of a standard deviation reaches to either side.
///
/// # Errors
/// [`Error::BadOption`] for a number that is not above 0, or not finite, or so large that the kernel cannot be stored.
pub fn radius(sigma: f64) -> Result<usize> {
    if !(sigma > 0.0 && sigma.is_finite()) {
        return Err(Error::BadOption { option: "sigma", reason: format!("{sigma} is not a finite number above 0") });
    }
    let radius = (TRUNCATE * sigma + 0.5).floor();
    if radius > (1u64 << 32) as f64 {
        return Err(Error::BadOption { option: "sigma", reason: format!("{sigma} is too large") });
    }
    Ok(radius as usize)
}

/// One half of the kernel, from its centre outwards: the whole of it adds up to 1.
pub(super) fn half(sigma: f64) -> Result<Vec<f64>> {
    let radius = radius(sigma)?;
    let mut half = thalweg_core::error::try_with_capacity(radius + 1, "the kernel")?;
    half.extend((0..=radius).map(|i| (-0.5 * (i as f64 / sigma).powi(2)).exp()));
    // From the small ones up.
    let sum = half[0] + 2.0 * half[1..].iter().rev().sum::<f64>();
    half.iter_mut().for_each(|weight| *weight /= sum);
    Ok(half)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_add_up_and_reach_as_far_as_scipys() {
        for (sigma, reach) in [(0.1, 0), (0.125, 1), (0.3, 1), (1.0, 4), (1.37, 5), (1.38, 6), (10.0, 40), (50.0, 200)]
        {
            let half = half(sigma).unwrap();
            assert_eq!(half.len(), reach + 1, "sigma {sigma}");
            assert!((half[0] + 2.0 * half[1..].iter().sum::<f64>() - 1.0).abs() < 4e-15);
            assert!(half.is_sorted_by(|a, b| a > b));
        }
        for sigma in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300] {
            assert!(matches!(half(sigma), Err(Error::BadOption { option: "sigma", .. })), "sigma {sigma}");
        }
    }
}
