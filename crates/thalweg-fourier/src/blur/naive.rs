//! The direct sum, in double precision.

use super::{Options, Picture, Sample, kernel};
use crate::Result;

pub(super) fn gaussian<S: Sample>(pixels: &[S], picture: Picture, options: &Options) -> Result<Vec<S>> {
    let Picture { height, width, channels, alpha } = picture;
    let mut values: Vec<f64> = pixels.iter().map(|sample| sample.wide()).collect();
    if alpha {
        for pixel in values.chunks_exact_mut(channels) {
            let opacity = pixel[channels - 1];
            pixel[..channels - 1].iter_mut().for_each(|colour| *colour *= opacity);
        }
    }
    let pass = |values: &[f64], sigma: f64, len: usize, stride: usize| -> Result<Vec<f64>> {
        let half = kernel::half(sigma, len, options.boundary)?;
        Ok((0..values.len())
            .map(|place| {
                let i = place / stride % len;
                let at = |position: isize| {
                    options.boundary.locate(position, len).map_or(0.0, |j| values[place + j * stride - i * stride])
                };
                let pair = |j: usize| half[j] * (at(i as isize - j as isize) + at((i + j) as isize));
                (1..half.len()).rev().map(pair).sum::<f64>() + half[0] * values[place]
            })
            .collect())
    };
    values = pass(&values, options.sigma[0], height, width * channels)?;
    values = pass(&values, options.sigma[1], width, channels)?;
    if alpha {
        for (pixel, before) in values.chunks_exact_mut(channels).zip(pixels.chunks_exact(channels)) {
            let opacity = pixel[channels - 1];
            for (colour, before) in pixel[..channels - 1].iter_mut().zip(before) {
                *colour = if S::is_transparent(opacity) { before.wide() } else { *colour / opacity };
            }
        }
    }
    Ok(values.into_iter().map(S::of).collect())
}
