//! Colours that count as much as they are opaque: they are multiplied by alpha before a blur, and divided by it after.

use super::Sample;
use crate::Float;

/// Multiplies colours by alpha, the last sample of every pixel.
pub(super) fn multiply<T: Float>(samples: &mut [T], channels: usize) {
    match channels {
        2 => multiply_pixels::<T, 2>(samples),
        3 => multiply_pixels::<T, 3>(samples),
        _ => multiply_pixels::<T, 4>(samples),
    }
}

fn multiply_pixels<T: Float, const CHANNELS: usize>(samples: &mut [T]) {
    for pixel in samples.as_chunks_mut::<CHANNELS>().0 {
        let alpha = pixel[CHANNELS - 1];
        pixel[..CHANNELS - 1].iter_mut().for_each(|colour| *colour = *colour * alpha);
    }
}

/// Divides colours by alpha. Where alpha is 0, or will be when it is rounded, there is nothing to divide: the colours that were
/// there before stay.
pub(super) fn divide<S: Sample, T: Float>(samples: &mut [T], before: &[S], channels: usize) {
    match channels {
        2 => divide_pixels::<S, T, 2>(samples, before),
        3 => divide_pixels::<S, T, 3>(samples, before),
        _ => divide_pixels::<S, T, 4>(samples, before),
    }
}

fn divide_pixels<S: Sample, T: Float, const CHANNELS: usize>(samples: &mut [T], before: &[S]) {
    for (pixel, before) in samples.as_chunks_mut::<CHANNELS>().0.iter_mut().zip(before.as_chunks::<CHANNELS>().0) {
        let alpha = pixel[CHANNELS - 1];
        if S::is_transparent(alpha.wide()) {
            (0..CHANNELS - 1).for_each(|i| pixel[i] = before[i].real());
        } else {
            pixel[..CHANNELS - 1].iter_mut().for_each(|colour| *colour = *colour / alpha);
        }
    }
}
