//! Changes of the array: what stands over changed elements is made anew, and nothing else where that is less.
//!
//! The elements are written first; of several changes of one element the last wins, for which the elements' own memory
//! serves as the table of claims. Then their lines, the blocks over these, and the groups over those are made anew, by one
//! thread a change (a workgroup, for groups), or all of them where there are many changes. The table over the groups is small: it is made anew
//! as a whole.
//!
//! Marks of blocks that ascend or descend go where an element changes; they come back when the index is built anew.

use std::ops::Range;

use thalweg_core::Result;

use super::super::batch::PACKS;
use super::{GROUP_THREADS, Lines, TILE};
use crate::array::Keys;
use crate::kernel::Source;
use crate::memory::Buffer;
use crate::primitives::elementwise::Elementwise;
use crate::recorder::{Recorder, Timing};

/// Changes of elements: positions of either width, and the new bits.
pub(in crate::rmq) struct Changes<'c> {
    pub(in crate::rmq) positions: &'c Keys,
    pub(in crate::rmq) news: &'c Keys,
    /// No position is there twice.
    pub(in crate::rmq) distinct: bool,
}

impl Changes<'_> {
    fn count(&self) -> u64 {
        self.positions.len()
    }

    /// Declares `changed_at(i)`, the position of a change as two words.
    pub(super) fn declare(&self, source: Source) -> Source {
        let (element, text) = match self.positions.words() {
            1 => ("u32", "fn changed_at(i: u32) -> vec2<u32> { return vec2(positions_at(i), 0u); }\n"),
            _ => ("vec2<u32>", "fn changed_at(i: u32) -> vec2<u32> { return positions_at(i); }\n"),
        };
        source.include(text).include(include_str!("changed.wgsl")).reads_sharded(
            "positions",
            element,
            self.positions.sharding(),
        )
    }
}

impl Lines {
    /// Sets elements, which are inside the array.
    pub(in crate::rmq) fn set(&mut self, values: &Keys, changes: &Changes<'_>) -> Result<Timing> {
        let device = values.device();
        let mut commands = device.record();
        commands.start_clock();
        self.record_elements(&mut commands, values, changes)?;
        // As many changes as lines: one pass over the array makes all of them. Where the two are even was not measured.
        if changes.count() >= self.line_count(values.len()) {
            self.record_tiles(&mut commands, values, 0..self.tiles(values.len()))?;
        } else {
            self.record_lines(&mut commands, values, changes)?;
            self.record_blocks(&mut commands, values.len(), changes)?;
        }
        self.record_groups(&mut commands, values, Some(changes), 0)?;
        self.record_table(&mut commands, values)?;
        self.forget_windows();
        commands.submit_timed()
    }

    /// Follows elements that were appended behind the first `old`, for which there is room.
    pub(in crate::rmq) fn append(&mut self, values: &Keys, old: u64) -> Result<Timing> {
        let device = values.device();
        let tile = u64::from(TILE / self.coding.words);
        let mut commands = device.record();
        commands.start_clock();
        self.record_tiles(&mut commands, values, old / tile..self.tiles(values.len()))?;
        let first = old / u64::from(self.shape.line * self.shape.block) / u64::from(GROUP_THREADS);
        self.record_groups(&mut commands, values, None, first)?;
        self.record_table(&mut commands, values)?;
        self.forget_windows();
        commands.submit_timed()
    }

    fn line_count(&self, len: u64) -> u64 {
        len.div_ceil(u64::from(self.shape.line))
    }

    fn tiles(&self, len: u64) -> u64 {
        len.div_ceil(u64::from(TILE / self.coding.words))
    }

    /// Records the kernels that write the elements.
    fn record_elements(&self, commands: &mut Recorder<'_>, values: &Keys, changes: &Changes<'_>) -> Result<()> {
        let device = values.device();
        let count = changes.count();
        let wins = device.words(if changes.distinct { 1 } else { count }, "changes that win")?;
        for step in if changes.distinct { 3..4 } else { 0..4 } {
            Elementwise::new(device, count, "rmq change", include_str!("claim.wgsl"))
                .constant("STEP", step)
                .flag("DISTINCT", changes.distinct)
                .declare(
                    |source| changes.declare(self.sizes(source).keys(self.coding).include(PACKS)),
                    changes.positions.bindings(),
                )
                .reads("news", "Key", changes.news)
                .declare(|source| source.writes("wins", "u32"), [wins.all()].into_iter())
                .declare(|source| source.atomic_packs_sharded("values", values.packs().sharding), values.bindings())
                .dispatch(commands, &[])?;
        }
        commands.keep(wins);
        Ok(())
    }

    /// Records the kernel that makes tiles of lines anew, with their blocks.
    fn record_tiles(&self, commands: &mut Recorder<'_>, values: &Keys, tiles: Range<u64>) -> Result<()> {
        let device = values.device();
        let flags = device.words(3, "flags")?;
        let source = self.builder(values, "lines").flag("AGAIN", true).flag("ORDERED", self.monotone);
        let params = self.params(values.len(), tiles.start, 0);
        let bindings = self.builder_bindings(values, &flags);
        commands.dispatch(&*device.kernel(&source)?, tiles.end - tiles.start, &bindings, &params)?;
        drop(bindings);
        commands.keep(flags);
        Ok(())
    }

    /// Records the kernel that makes the lines of changed elements anew.
    fn record_lines(&self, commands: &mut Recorder<'_>, values: &Keys, changes: &Changes<'_>) -> Result<()> {
        let device = values.device();
        let pack = u64::from(4 / self.coding.words);
        let own = [&self.line_minima, &self.line_offsets, &self.orders].map(Buffer::all);
        Elementwise::new(device, changes.count(), "rmq change", include_str!("changed_lines.wgsl"))
            .declare(
                |source| changes.declare(self.sizes(source).keys(self.coding).include(PACKS)),
                changes.positions.bindings(),
            )
            .declare(|source| source.reads_sharded("values", "Pack", values.packs().sharding), values.bindings())
            .declare(
                |source| source.writes("line_minima", "Key").atomics("line_offsets").atomics("monotone"),
                own.into_iter(),
            )
            .dispatch(commands, &[(values.len() / pack) as u32, (values.len() % pack) as u32])
    }

    /// Records the kernel that makes blocks anew from their lines.
    fn record_blocks(&self, commands: &mut Recorder<'_>, len: u64, changes: &Changes<'_>) -> Result<()> {
        let device = changes.positions.device();
        let blocks = len.div_ceil(u64::from(self.shape.line * self.shape.block));
        let all = changes.count() >= blocks;
        let (count, text) = match all {
            true => (blocks, "fn block_number(i: u32) -> u32 { return i; }\n"),
            false => (changes.count(), "fn block_number(i: u32) -> u32 { return line_of(changed_at(i)) / BLOCK; }\n"),
        };
        let own = [&self.line_minima, &self.line_offsets, &self.block_minima, &self.block_positions].map(Buffer::all);
        Elementwise::new(device, count, "rmq change", include_str!("changed_blocks.wgsl"))
            .include(text)
            .declare(
                |source| changes.declare(self.sizes(source).keys(self.coding).include(PACKS)),
                changes.positions.bindings(),
            )
            .declare(
                |source| {
                    let source = source.reads("line_minima", "Key").reads("line_offsets", "u32");
                    source.writes("block_minima", "Key").writes("block_positions", "u32")
                },
                own.into_iter(),
            )
            .dispatch(commands, &[])
    }
}
