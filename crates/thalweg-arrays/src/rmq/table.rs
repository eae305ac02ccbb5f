//! A sparse table over groups of elements, with their minima inside: what `lines` and `padded_tree` end in.
//!
//! Row k holds, for every group, the best of 2^k groups from it on. So a range of groups is two entries, which overlap; the
//! left one wins ties.
#![allow(unsafe_code)]

use std::ops::Range;

#[cfg(feature = "file")]
use super::file::contents::Sections;
use thalweg_core::error::try_with_capacity;
use thalweg_core::memory::{computed, filled};
use thalweg_core::storage::{AnyBits, Storage};
use thalweg_core::{Rank, Result};

/// Entries that one task makes.
const GRAIN: usize = 1 << 14;

/// The table.
pub(super) struct Table<'a, R> {
    pub(super) entries: Storage<'a, Entry<R>>,
    /// Entries in a row: the number of groups.
    pub(super) width: usize,
}

/// Files hold it as it lies in memory, with zeros between and behind the fields.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(super) struct Entry<R> {
    pub(super) rank: R,
    pub(super) group: u32,
}

// SAFETY: both are integers.
unsafe impl<R: Rank> AnyBits for Entry<R> {}

impl<R: Rank> Entry<R> {
    /// The better of two windows, of which `self` begins further left: it wins ties.
    #[inline(always)]
    pub(super) fn or_right(self, right: Self) -> Self {
        if right.rank < self.rank { right } else { self }
    }
}

/// The number of rows of a table over so many groups.
fn rows(groups: usize) -> usize {
    if groups == 0 { 0 } else { groups.ilog2() as usize + 1 }
}

impl<R: Rank> Table<'_, R> {
    /// The table over groups whose own entries are its first row.
    pub(super) fn new(groups: Vec<Entry<R>>) -> Result<Self> {
        let width = groups.len();
        let rows = rows(width);
        let mut entries: Vec<Entry<R>> = try_with_capacity(rows * width, "table of groups")?;
        entries.extend(groups);
        for k in 1..rows {
            let (last, half) = (&entries[(k - 1) * width..], 1 << (k - 1));
            // Beyond the last whole window the entry is never read; it is filled to keep rows of one width.
            let entry = |g: usize| last[g].or_right(last[(g + half).min(width - 1)]);
            let row = computed(width, GRAIN, "table of groups", entry)?;
            entries.extend(row);
        }
        Ok(Self { entries: entries.into(), width })
    }

    /// The table over the first `groups` of some minima, with room for `width` groups.
    pub(super) fn with_room(minima: &[R], groups: usize, width: usize) -> Result<Self> {
        let mut table =
            Self { entries: filled(rows(width) * width, Entry::default(), "table of groups")?.into(), width };
        table.extend(minima, 0..groups);
        Ok(table)
    }

    /// The table of the first `groups` groups, with room for `width`.
    pub(super) fn moved(&self, width: usize, groups: usize) -> Result<Self> {
        let mut entries = filled(rows(width) * width, Entry::default(), "table of groups")?;
        for k in 0..rows(groups) {
            entries[k * width..][..groups].copy_from_slice(&self.entries[k * self.width..][..groups]);
        }
        Ok(Self { entries: entries.into(), width })
    }

    /// Follows minima of groups up to the last, of which those of `fresh` are new or have changed.
    ///
    /// Windows that reach beyond the last group are never read, so a single new group is one entry in every row.
    pub(super) fn extend(&mut self, minima: &[R], fresh: Range<usize>) {
        let groups = fresh.end;
        self.update(minima, groups, vec![fresh], false);
    }

    /// Follows the minima of `groups` groups, of which those in `dirty`, in ascending order, have changed.
    pub(super) fn refresh(&mut self, minima: &[R], groups: usize, dirty: &[usize]) {
        self.update(minima, groups, merged(dirty.iter().map(|&g| g..g + 1)), true);
    }

    /// Makes the entries anew that the changed ones, ranges of the first row, lead to. With `stop`, an entry that stays what
    /// it was leads to nothing: all windows inside the groups were right before.
    fn update(&mut self, minima: &[R], groups: usize, mut changed: Vec<Range<usize>>, stop: bool) {
        let width = self.width;
        let entries = self.entries.own_mut().expect("a table that changes is its own");
        for g in changed.iter().cloned().flatten() {
            entries[g] = Entry { rank: minima[g], group: g as u32 };
        }
        for k in 1..rows(groups) {
            let half = 1 << (k - 1);
            let windows = groups + 1 - (1 << k);
            let (below, row) = entries.split_at_mut(k * width);
            let below = &below[(k - 1) * width..];
            let (row, entry) = (&mut row[..width], |g: usize| below[g].or_right(below[g + half]));
            // A window of this row is two of the row below: one begins where it begins, one in its middle.
            let shifted = changed.iter().map(|range| range.start.saturating_sub(half)..range.end.saturating_sub(half));
            let stay = changed.iter().map(|range| range.start.min(windows)..range.end.min(windows));
            let mut ranges: Vec<Range<usize>> = shifted.chain(stay).filter(|range| !range.is_empty()).collect();
            ranges.sort_unstable_by_key(|range| range.start);
            changed = merged(ranges.into_iter());
            for range in &mut changed {
                let (mut first, mut end) = (range.end, range.start);
                for g in range.clone() {
                    let new = entry(g);
                    if (new.rank, new.group) != (row[g].rank, row[g].group) || !stop {
                        (first, end) = (first.min(g), g + 1);
                        row[g] = new;
                    }
                }
                *range = first..end.max(first);
            }
            changed.retain(|range| !range.is_empty());
            if changed.is_empty() {
                return;
            }
        }
    }

    /// The entries as they lie in a file, in section `table`.
    #[cfg(feature = "file")]
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = try_with_capacity(size_of_val(&self.entries[..]), "the table's bytes")?;
        for (i, entry) in self.entries.iter().enumerate() {
            bytes.extend_from_slice(&entry.rank.to_u64().to_le_bytes()[..size_of::<R>()]);
            bytes.resize(i * size_of::<Entry<R>>() + std::mem::offset_of!(Entry<R>, group), 0);
            bytes.extend_from_slice(&entry.group.to_le_bytes());
            bytes.resize((i + 1) * size_of::<Entry<R>>(), 0);
        }
        Ok(bytes)
    }
}

/// Ranges in ascending order of their beginnings, those that touch as one.
fn merged(ranges: impl Iterator<Item = Range<usize>>) -> Vec<Range<usize>> {
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

#[cfg(feature = "file")]
impl<R: Rank> Table<'static, R> {
    /// The table over so many groups, from a file. Its groups may be any numbers.
    pub(super) fn load(from: &mut Sections<'_>, groups: usize) -> Result<Self> {
        Ok(Self { entries: from.part("table", rows(groups) * groups)?, width: groups })
    }
}
