//! The index over an array that is larger than memory: its groups are built part by part, and what was read may go.

use std::ops::Range;

use super::build::Room;
use super::{BLOCK, GROUP, LINE, Lines, groups, shift_of};
use crate::rmq::table::Entry;
use thalweg_core::coding::Ranking;
use thalweg_core::storage::Storage;
use thalweg_core::{Rank, Result};

impl<'a, R: Rank> Lines<'a, R> {
    /// The index, in parts of about so many elements. `done` is told which elements have been looked at.
    pub(in crate::rmq) fn in_parts(
        array: Storage<'a, R>,
        order: Ranking<R>,
        part: usize,
        done: &dyn Fn(Range<usize>),
    ) -> Result<Self> {
        let shift = shift_of(&array);
        let groups = groups(array.len(), shift);
        let mut room = Room::for_groups(groups)?;
        let each = (part / GROUP).max(1);
        for first in (0..groups).step_by(each) {
            let last = groups.min(first + each);
            room.fill(first..last, &array, order, shift);
            done((first * GROUP).saturating_sub(shift)..array.len().min(last * GROUP - shift));
        }
        Self::of_levels(array, order, shift, room.into())
    }
}

/// Bytes of the index over `len` keys of `width` bytes, at most, and while it is built.
pub(in crate::rmq) fn bytes(len: usize, width: usize) -> usize {
    let groups = groups(len, LINE);
    let levels = (GROUP / LINE + GROUP / BLOCK) * (width + 1) + width + size_of::<u16>() + 1;
    let entry = if width == 8 { size_of::<Entry<u64>>() } else { size_of::<Entry<u32>>() };
    // Rows of the table, and one more that is made.
    let rows = groups.max(1).ilog2() as usize + 2;
    groups.saturating_mul(levels + rows * entry)
}
