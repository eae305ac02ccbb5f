//! Colours that count as much as they are opaque: they are multiplied by alpha before a blur, and divided by it after.

use super::Sample;

/// Multiplies colours by alpha, the last sample of every pixel.
pub(super) fn multiply(samples: &mut [f32], channels: usize) {
    match channels {
        2 => multiply_pixels::<2>(samples),
        3 => multiply_pixels::<3>(samples),
        _ => multiply_pixels::<4>(samples),
    }
}

fn multiply_pixels<const CHANNELS: usize>(samples: &mut [f32]) {
    for pixel in samples.as_chunks_mut::<CHANNELS>().0 {
        let alpha = pixel[CHANNELS - 1];
        pixel[..CHANNELS - 1].iter_mut().for_each(|colour| *colour *= alpha);
    }
}

/// Divides colours by alpha. Where alpha is 0, or will be when it is rounded, there is nothing to divide: the colours that were
/// there before stay.
pub(super) fn divide<S: Sample>(samples: &mut [f32], before: &[S], channels: usize) {
    match channels {
        2 => divide_pixels::<S, 2>(samples, before),
        3 => divide_pixels::<S, 3>(samples, before),
        _ => divide_pixels::<S, 4>(samples, before),
    }
}

fn divide_pixels<S: Sample, const CHANNELS: usize>(samples: &mut [f32], before: &[S]) {
    for (pixel, before) in samples.as_chunks_mut::<CHANNELS>().0.iter_mut().zip(before.as_chunks::<CHANNELS>().0) {
        let alpha = pixel[CHANNELS - 1];
        if S::is_transparent(alpha.into()) {
            (0..CHANNELS - 1).for_each(|i| pixel[i] = before[i].single());
        } else {
            pixel[..CHANNELS - 1].iter_mut().for_each(|colour| *colour /= alpha);
        }
    }
}
