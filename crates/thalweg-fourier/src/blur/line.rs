//! Rows of a picture in single precision, and what lies beyond their ends.

use thalweg_core::dispatch;
use thalweg_core::error::try_with_capacity;

use super::alpha::multiply;
use super::{Picture, Sample};
use crate::Result;
use crate::convolution::Boundary;

/// How a row goes on beyond its ends.
#[derive(Debug)]
pub(super) struct Line {
    picture: Picture,
    /// How far it goes on, in pixels.
    reach: usize,
    /// The pixels beyond the left end, and beyond the right end.
    beyond: Vec<Option<usize>>,
}

impl Line {
    pub(super) fn new(picture: Picture, reach: usize, boundary: Boundary) -> Result<Self> {
        let mut beyond = try_with_capacity(2 * reach, "the borders")?;
        let width = picture.width as isize;
        beyond.extend((-(reach as isize)..0).map(|position| boundary.locate(position, picture.width)));
        beyond.extend((width..width + reach as isize).map(|position| boundary.locate(position, picture.width)));
        Ok(Self { picture, reach, beyond })
    }

    /// Samples of a row with what lies beyond its ends.
    pub(super) fn len(&self) -> usize {
        (self.picture.width + 2 * self.reach) * self.picture.channels
    }

    /// A row, colours times alpha if there is any, and beyond its ends, to the front of `out`.
    pub(super) fn load<S: Sample>(&self, row: &[S], out: &mut [f32]) {
        let Picture { channels, alpha, .. } = self.picture;
        let start = self.reach * channels;
        let inside = &mut out[start..start + row.len()];
        widen(row, inside);
        if alpha {
            multiply(inside, channels);
        }
        let (left, right) = self.beyond.split_at(self.reach);
        for (first, pixels) in [(0, left), (start + row.len(), right)] {
            for (place, pixel) in pixels.iter().enumerate() {
                let to = first + place * channels;
                match pixel {
                    Some(pixel) => out.copy_within(start + pixel * channels..start + (pixel + 1) * channels, to),
                    None => out[to..to + channels].fill(0.0),
                }
            }
        }
    }
}

dispatch! {
    fn widen<S: Sample>(row: &[S], out: &mut [f32]) = widen_all;
}

#[inline(always)]
fn widen_all<S: Sample>(row: &[S], out: &mut [f32]) {
    for (out, sample) in out.iter_mut().zip(row) {
        *out = sample.single();
    }
}
