//! Parts of an array that goes on beyond its ends.

use super::Boundary;
use crate::Float;

/// An array of rows, and what lies beyond its ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extended<'a, T> {
    pub(super) values: &'a [T],
    pub(super) size: [usize; 2],
    pub(super) boundary: Boundary,
}

impl<T: Float> Extended<'_, T> {
    /// The row of `out.len()` elements from a position on, which may be anywhere.
    fn copy_row(&self, [y, x]: [isize; 2], out: &mut [T]) {
        let width = self.size[1];
        let Some(row) = self.boundary.locate(y, self.size[0]) else {
            out.fill(T::default());
            return;
        };
        let row = &self.values[row * width..][..width];
        // What is inside is copied in one piece, what is not element by element.
        let left = (x.min(0).unsigned_abs()).min(out.len());
        let start = (x.max(0) as usize).min(width);
        let inside = (out.len() - left).min(width - start);
        let beyond = |place: usize| self.boundary.locate(x + place as isize, width).map_or(T::default(), |at| row[at]);
        let (before, rest) = out.split_at_mut(left);
        let (middle, after) = rest.split_at_mut(inside);
        before.iter_mut().enumerate().for_each(|(i, out)| *out = beyond(i));
        middle.copy_from_slice(&row[start..start + inside]);
        after.iter_mut().enumerate().for_each(|(i, out)| *out = beyond(left + inside + i));
    }

    /// The rectangle of `height` rows of `width` elements from a position on, to rows that are `stride` apart.
    pub(super) fn copy(&self, [y, x]: [isize; 2], [height, width]: [usize; 2], out: &mut [T], stride: usize) {
        for (i, row) in out.chunks_mut(stride).take(height).enumerate() {
            self.copy_row([y + i as isize, x], &mut row[..width]);
        }
    }
}
