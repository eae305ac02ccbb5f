//! Changes of the array: what stands over changed elements is made anew where it may be another, and nothing else.
//!
//! A change writes its element and looks at its line's minimum. Of random elements one in eight changes it, and only then is the line made anew; its
//! block only if the line's new minimum may matter there, one in eight again; records and the table's first row for all workgroups of blocks that hold
//! such a block. The table over the groups is small: it is made anew as a whole.
//!
//! Of several changes of one element the last wins. Nearly all elements have one: so every change first claims a bit, of
//! as many as there are elements, or some for every change, and whoever finds it taken says so. Those whose bit was claimed twice are rivals.
//! They settle it among themselves, for which their elements' own memory serves as the table of claims.
//!
//! Where there are many changes one pass over the array makes all lines and blocks.
//!
//! Marks of blocks that ascend or descend go where an element changes; they come back when the index is built anew.

use std::ops::Range;

use thalweg_core::Result;

use super::super::batch::PACKS;
use super::{GROUP_THREADS, Lines, TILE};
use crate::array::Keys;
use crate::device::Device;
use crate::kernel::Source;
use crate::memory::{Binding, Buffer};
use crate::recorder::{Recorder, Timing};

/// Threads of a workgroup that follows changes. Not measured.
const THREADS: u32 = 256;
/// Changes that a thread writes.
const ITEMS: u32 = 2;
/// Claims for every change, at most: 4 bytes.
const CLAIMS: u64 = 16;
/// Threads that settle between rivals, and that make lines anew, at most: each takes as many as there are for it.
const SETTLERS: u64 = 1 << 16;
const MAKERS: u64 = 1 << 17;
/// One change in fewer elements than this, and all lines are made anew. On an H200, over 2^26 `u32`, looking and making what has changed takes 154 µs
/// for 2^20 changes and 488 for 2^22, writing alone and making all anew 197 and 419. (Whichever it is, claims and rivals take
/// 65 and 140 more.)
const DENSE: u64 = 32;
/// Lines are marked if there are no more than this for every change: then the marks take 64 bytes a change at most. Where there are
/// more, what few changes list twice is made twice.
const MARKED: u64 = 512;
/// Words of the notes before the marks of blocks.
pub(super) const BLOCK_MARKS: u64 = 4;

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
    fn declare(&self, source: Source) -> Source {
        let (element, text) = match self.positions.words() {
            1 => ("u32", "fn changed_at(i: u32) -> vec2<u32> { return vec2(positions_at(i), 0u); }\n"),
            _ => ("vec2<u32>", "fn changed_at(i: u32) -> vec2<u32> { return positions_at(i); }\n"),
        };
        source.include(text).reads_sharded("positions", element, self.positions.sharding())
    }
}

/// What the kernels that follow changes leave for each other, and where in it what begins.
struct Notes {
    buffer: Buffer,
    bytes: u64,
    line_marks: u64,
    /// Whether lines are marked, so that none is listed twice.
    marked: bool,
    claims: u64,
    slots: u64,
    /// Lines to be made anew, and changes that have rivals.
    lines: Buffer,
    rivals: Buffer,
}

impl Notes {
    /// Room for them. `look`: whether lines are marked, and blocks.
    fn new(device: &Device, shape: (u64, u64), len: u64, changes: &Changes<'_>, look: bool) -> Result<Self> {
        let (lines, blocks) = if look { shape } else { (0, 0) };
        let line_marks = BLOCK_MARKS + blocks.next_multiple_of(GROUP_THREADS.into()) / 32;
        let count = changes.count();
        let marked = lines <= MARKED * count;
        let claims = line_marks + if marked { lines.div_ceil(32) } else { 0 };
        let slots = (CLAIMS * count).min(len).next_power_of_two().max(16);
        let words = if changes.distinct { claims } else { claims + slots / 16 };
        Ok(Self {
            buffer: device.words(words, "notes on changes")?,
            bytes: 4 * words,
            line_marks,
            marked,
            claims,
            slots,
            lines: device.words(if look { count } else { 1 }, "lines to be made anew")?,
            rivals: device.words(if changes.distinct { 1 } else { count }, "rival changes")?,
        })
    }
}

impl Lines {
    /// Sets elements, which are inside the array. `beside` is done once the device is at work.
    pub(in crate::rmq) fn set(
        &mut self,
        values: &Keys,
        changes: &Changes<'_>,
        beside: impl FnOnce(),
    ) -> Result<Timing> {
        let device = values.device();
        let shape = (self.line_count(values.len()), self.block_count(values.len()));
        let look = changes.count() * DENSE < values.len();
        let notes = Notes::new(device, shape, values.len(), changes, look)?;
        let mut commands = device.record();
        commands.start_clock();
        commands.clear(&notes.buffer, notes.bytes);
        self.record_elements(&mut commands, values, changes, &notes, look)?;
        if look {
            self.record_lines(&mut commands, values, changes, &notes)?;
            self.record_groups(&mut commands, values, Some(&notes.buffer), 0)?;
        } else {
            self.record_tiles(&mut commands, values, 0..self.tiles(values.len()))?;
            self.record_groups(&mut commands, values, None, 0)?;
        }
        self.record_table(&mut commands, values)?;
        self.forget_windows();
        [notes.buffer, notes.lines, notes.rivals].into_iter().for_each(|buffer| commands.keep(buffer));
        commands.submit_timed_beside(beside)
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

    fn block_count(&self, len: u64) -> u64 {
        len.div_ceil(u64::from(self.shape.line * self.shape.block))
    }

    fn tiles(&self, len: u64) -> u64 {
        len.div_ceil(u64::from(TILE / self.coding.words))
    }

    /// A kernel of those that follow changes.
    fn follower(&self, changes: &Changes<'_>, text: &'static str, entry: &'static str) -> Source {
        let source = Source::new("rmq change", text, entry).constant("THREADS", THREADS);
        let source = self.sizes(source).keys(self.coding).include(PACKS).include(include_str!("changed.wgsl"));
        changes.declare(source.constant("BLOCK_MARKS", BLOCK_MARKS as u32)).atomics("notes")
    }

    /// Runs it, with the positions of the changes, the notes, and these, and threads for so many things to be done.
    fn follow<'b>(
        commands: &mut Recorder<'_>,
        values: &Keys,
        (changes, notes): (&'b Changes<'_>, &'b Notes),
        source: Source,
        bindings: impl Iterator<Item = Binding<'b>>,
        items: u32,
        count: u64,
    ) -> Result<()> {
        let bindings: Vec<_> = changes.positions.bindings().chain([notes.buffer.all()]).chain(bindings).collect();
        let pack = u64::from(4 / values.words());
        let (packs, rest) = (values.len() / pack, values.len() % pack);
        let params = [changes.count(), packs, rest, notes.line_marks, notes.claims, notes.slots - 1];
        let workgroups = count.div_ceil(u64::from(THREADS * items));
        let source = source.constant("ITEMS", items);
        commands.dispatch(&*values.device().kernel(&source)?, workgroups, &bindings, &params.map(|word| word as u32))
    }

    /// Records the kernels that write the elements, and list the lines that have to be made anew.
    fn record_elements(
        &self,
        commands: &mut Recorder<'_>,
        values: &Keys,
        changes: &Changes<'_>,
        notes: &Notes,
        look: bool,
    ) -> Result<()> {
        let count = changes.count();
        let both = (changes, notes);
        if !changes.distinct {
            let source = self.follower(changes, include_str!("claim.wgsl"), "claim");
            Self::follow(commands, values, both, source, std::iter::empty(), 1, count)?;
        }
        let source = self
            .follower(changes, include_str!("write.wgsl"), "write")
            .flag("DISTINCT", changes.distinct)
            .flag("LOOK", look)
            .flag("MARKED", notes.marked)
            .flag("ORDERED", self.monotone)
            .reads_sharded("news", "Key", changes.news.sharding())
            .atomic_packs_sharded("values", values.packs().sharding)
            .reads("line_minima", "Key")
            .reads("line_offsets", "u32")
            .atomics("monotone")
            .writes("lines", "u32")
            .writes("rivals", "u32");
        let own = [&self.line_minima, &self.line_offsets, &self.orders, &notes.lines, &notes.rivals].map(Buffer::all);
        let bindings = changes.news.bindings().chain(values.bindings()).chain(own);
        Self::follow(commands, values, both, source, bindings, ITEMS, count)?;
        for step in if changes.distinct { 0..0 } else { 0..3 } {
            let source = self
                .follower(changes, include_str!("rivals.wgsl"), "settle")
                .constant("STEP", step)
                .reads_sharded("news", "Key", changes.news.sharding())
                .atomic_packs_sharded("values", values.packs().sharding)
                .writes("rivals", "u32");
            let bindings = changes.news.bindings().chain(values.bindings()).chain([notes.rivals.all()]);
            Self::follow(commands, values, both, source, bindings, 1, count.min(SETTLERS))?;
        }
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

    /// Records the kernel that makes the lines of the list anew.
    fn record_lines(
        &self,
        commands: &mut Recorder<'_>,
        values: &Keys,
        changes: &Changes<'_>,
        notes: &Notes,
    ) -> Result<()> {
        let source = self
            .follower(changes, include_str!("changed_lines.wgsl"), "remake")
            .constant("LINE_PACKS", self.shape.line * self.coding.words / 4)
            .reads_sharded("values", "Pack", values.packs().sharding)
            .writes("line_minima", "Key")
            .atomics("line_offsets")
            .reads("block_minima", "Key")
            .reads("block_positions", "u32")
            .reads("lines", "u32");
        let own = [&self.line_minima, &self.line_offsets, &self.block_minima, &self.block_positions, &notes.lines];
        let bindings = values.bindings().chain(own.map(Buffer::all));
        Self::follow(commands, values, (changes, notes), source, bindings, 1, changes.count().min(MAKERS))
    }
}
