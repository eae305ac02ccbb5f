//! The default engine: minima of cache lines, opened only where they can matter.
//!
//! The array stays where it is. Above it stand three levels of minima with 16 children each, so that the children of
//! a node are one cache line of 32-bit keys, and a sparse table over the top level:
//!
//! ```text
//! table     minimum of 2^k groups from every group on, and in which group it lies
//! groups    minimum of 4,096 elements, and its offset in the group
//! blocks    minimum of   256 elements, and its offset in the block
//! lines     minimum of    16 elements, and its offset in the line
//! array     cut into lines where the memory's own cache lines begin
//! ```
//!
//! A query is answered from the inside out: the groups strictly inside the range by two lookups in the table, then
//! the blocks, the lines and the elements at either end. An end is opened only if *its* minimum, one level up, beats
//! what is already known: on data without structure a wide range is answered by the table alone, from the cache
//! (Kowalski and Grabowski's BbST makes the same test). On data with trends one end is opened all the way: three cache
//! lines.
//!
//! On sorted data that would be every query. But a group whose elements are all in order ([`build`]) need not be
//! opened: the range's own first element, or its last, is the best of its part of the range. One comparison of that
//! element with what is known of the others ends the query; within one group there is nothing to compare.
//!
//! A range of a few lines asks neither table nor blocks: the minima of the lines inside it are one load, whatever nodes they
//! lie in. And where the minimum of an end's line lies inside the range, which its offset tells, that end is known without
//! its elements. So most short ranges read two cache lines of minima and one of offsets, and one in ten reads the array.
//!
//! Ties go to the leftmost position: the left end wins ties, the right end loses them.
//!
//! Batches are answered in portions of [`PORTION`](super::stages::PORTION) queries and in stages: all tables first, then all blocks, all lines,
//! all elements. A stage has no branch that depends on the data: it appends the queries that a later one has to look at
//! to its list, and that one asks the memory for everything it needs before it begins. So the misses of many queries
//! overlap, and hardly a branch is mispredicted.
//!
//! Build: O(n) work, O(log n) span. Query: O(1). Extra memory for 32-bit keys: 2.7 bits an element and the table,
//! which is less than 0.3 bits up to 2^30 elements.

mod both;
pub(super) mod buckets;
mod build;
mod change;
mod explain;
pub(super) mod in_parts;
mod lanes;
mod query;

use self::build::{Levels, MIXED};
pub(super) use self::change::ChangingLines;
use super::batch::CpuEngine;
use super::explain::Explanation;
#[cfg(feature = "file")]
use super::file::contents::{Contents, Sections};
use super::table::{Entry, Table};
use thalweg_core::bits::{Bits, BitsMut};
use thalweg_core::coding::Ranking;
use thalweg_core::memory::computed;
use thalweg_core::storage::Storage;
use thalweg_core::{Pairs, PositionsMut, Rank, Result};

/// Children of a node: 16 keys of 32 bits fill a cache line of 64 bytes.
const FAN: usize = 16;
/// Elements in a line, a block, a group.
const LINE: usize = FAN;
const BLOCK: usize = FAN * LINE;
const GROUP: usize = FAN * BLOCK;

/// One in so many groups must be monotone before queries ask for the shapes at all. On 2^24 random numbers asking in
/// vain takes a batch 1 ns of 17 on medium ranges and 2 ns of 51 on short ones; an answer saves 70 ns or more.
const MONOTONE_SHARE: usize = 16;

/// The index. See the module's text.
pub(super) struct Lines<'a, R: Rank> {
    array: Storage<'a, R>,
    order: Ranking<R>,
    /// Inside the index element `i` has place `i + shift`, so that lines begin where cache lines do.
    shift: usize,
    levels: Levels<'a, R>,
    table: Table<'a, R>,
    /// Whether enough groups are monotone to ask for their shapes: see [`MONOTONE_SHARE`].
    ask_shapes: bool,
}

impl<'a, R: Rank> Lines<'a, R> {
    pub(super) fn new(array: Storage<'a, R>, order: Ranking<R>) -> Result<Self> {
        let shift = shift_of(&array);
        let levels = Levels::new(&array, order, shift, groups(array.len(), shift))?;
        Self::of_levels(array, order, shift, levels)
    }

    /// The index whose levels have been built: what is left is the table.
    fn of_levels(array: Storage<'a, R>, order: Ranking<R>, shift: usize, levels: Levels<'a, R>) -> Result<Self> {
        let groups = levels.group.len();
        let entry = |g: usize| Entry { rank: levels.group[g], group: g as u32 };
        let table = Table::new(computed(groups, 1 << 14, "table of groups", entry)?)?;
        let monotone = levels.shape.iter().filter(|&&shape| shape != MIXED).count();
        Ok(Self { array, order, shift, levels, table, ask_shapes: monotone * MONOTONE_SHARE > groups })
    }
}

#[cfg(feature = "file")]
impl<'a, R: Rank> Lines<'a, R> {
    /// The index from a file, over an array that lies elsewhere, or over the file's own.
    pub(super) fn load(from: &mut Sections<'_>, order: Ranking<R>, array: Option<Storage<'a, R>>) -> Result<Self> {
        let shift = from.option("shift", 0..=LINE - 1)?;
        let ask_shapes = from.option("ask_shapes", 0..=1)? == 1;
        let groups = groups(from.len(), shift);
        let levels = Levels {
            line: from.part("line", groups * (GROUP / LINE))?,
            line_offset: from.part("line_offset", groups * (GROUP / LINE))?,
            block: from.part("block", groups * (GROUP / BLOCK))?,
            block_offset: from.part("block_offset", groups * (GROUP / BLOCK))?,
            group: from.part("group", groups)?,
            group_offset: from.part("group_offset", groups)?,
            shape: from.part("shape", groups)?,
        };
        let table = Table::load(from, groups)?;
        let array = match (array, from.array_if_any()?) {
            (Some(array), _) | (None, Some(array)) => array,
            (None, None) => from.array()?,
        };
        Ok(Self { array, order, shift, levels, table, ask_shapes })
    }
}

/// The place of an array's first element in its cache line.
fn shift_of<R>(array: &[R]) -> usize {
    (array.as_ptr() as usize % (LINE * size_of::<R>())) / size_of::<R>()
}

/// The number of groups of an array.
fn groups(len: usize, shift: usize) -> usize {
    if len == 0 { 0 } else { len.saturating_add(shift).div_ceil(GROUP) }
}

impl<R: Rank> CpuEngine for Lines<'_, R> {
    fn name(&self) -> &'static str {
        "lines"
    }

    fn len(&self) -> usize {
        self.array.len()
    }

    fn array(&self) -> Option<Bits<'_>> {
        Some(R::erase(&self.array))
    }

    fn extra_bytes(&self) -> usize {
        let levels = &self.levels;
        levels.line.held_bytes()
            + levels.line_offset.held_bytes()
            + levels.block.held_bytes()
            + levels.block_offset.held_bytes()
            + levels.group.held_bytes()
            + levels.group_offset.held_bytes()
            + levels.shape.held_bytes()
            + self.table.entries.held_bytes()
    }

    #[cfg(feature = "file")]
    fn contents(&self) -> Result<Contents<'_>> {
        let (levels, table) = (&self.levels, self.table.to_bytes()?);
        Ok(Contents::new()
            .option("shift", self.shift)
            .option("ask_shapes", usize::from(self.ask_shapes))
            .part("line", &levels.line)
            .part("line_offset", &levels.line_offset)
            .part("block", &levels.block)
            .part("block_offset", &levels.block_offset)
            .part("group", &levels.group)
            .part("group_offset", &levels.group_offset)
            .part("shape", &levels.shape)
            .converted("table", size_of::<Entry<R>>(), table)
            .array(&self.array, self.shift))
    }

    fn position(&self, left: usize, right: usize) -> usize {
        query::single(&self.view(), left, right)
    }

    fn explain(&self, left: usize, right: usize) -> Option<Explanation> {
        Some(self.explained(left, right))
    }

    fn answer(&self, queries: Pairs<'_>, out: PositionsMut<'_>) -> Option<()> {
        self.view().answer_positions(queries, out)
    }

    fn finds_values(&self) -> bool {
        true
    }

    fn answer_values(&self, queries: Pairs<'_>, out: BitsMut<'_>) -> Option<()> {
        self.view().answer_values(queries, out)
    }
}
