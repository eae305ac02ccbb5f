//! A sparse table over groups of elements, with their minima inside: what `lines` and `padded_tree` end in.
//!
//! Row k holds, for every group, the best of 2^k groups from it on. So a range of groups is two entries, which overlap; the
//! left one wins ties.
#![allow(unsafe_code)]

#[cfg(feature = "file")]
use super::file::contents::Sections;
use thalweg_core::error::try_with_capacity;
use thalweg_core::memory::computed;
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

#[cfg(feature = "file")]
impl<R: Rank> Table<'static, R> {
    /// The table over so many groups, from a file. Its groups may be any numbers.
    pub(super) fn load(from: &mut Sections<'_>, groups: usize) -> Result<Self> {
        Ok(Self { entries: from.part("table", rows(groups) * groups)?, width: groups })
    }
}
