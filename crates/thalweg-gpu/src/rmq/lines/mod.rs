//! The default engine: minima of lines, opened only where they can matter.
//!
//! The array stays where it is. Above it stand
//!
//! ```text
//! table     minimum of 2^k groups from every group on
//! groups    GROUP blocks
//! blocks    BLOCK lines: a record {minimum, minimum of the blocks behind it and before it in its group}
//! lines     LINE elements: their minimum, and its offset in the line
//! array     keys' bits
//! ```
//!
//! and beside the minima of blocks and of the table the positions where they lie. A query looks at the groups inside its
//! range (two reads in the table), and then at its ends, group, block and line by line, as long as the minimum one level
//! up beats what is already known. On data without structure a wide range is answered from the table, a range of some
//! hundred elements from the line minima, both in cache. On sorted data one end is opened all the way.
//!
//! Ranges of few lines begin with the line minima, which are contiguous. Blocks whose elements ascend (ties allowed) or
//! strictly descend are marked where a sample shows that there are many: part of such a block has its minimum at one end,
//! so that sorted data costs one read of the array a query.
//!
//! For values a query is answered by its own thread (`values.wgsl`), and short ranges of arrays of up to 2^21 elements by two windows of
//! one length (`windows.rs`), if they are asked much. For positions teams of threads read runs for each other (`query.wgsl`).
//!
//! Build: O(n) work in one pass over the array. Query: O(1), LINE + 2 BLOCK + GROUP keys at most.

mod change;
mod windows;

use std::sync::OnceLock;

use thalweg_core::{Error, Result};

use self::change::BLOCK_MARKS;
pub(super) use self::change::Changes;
use self::windows::Windows;
use super::batch::{Batch, Form, PACKS};
use super::sparse_table::{Buffers, Table};
use crate::array::Keys;
use crate::coding::KeyCode;
use crate::kernel::Source;
use crate::memory::{Binding, Buffer};
use crate::recorder::{Recorder, Timing};

/// Sizes of the engine `lines` and of its kernels, for measurements: [`DeviceRmq::with_shape`](super::DeviceRmq::with_shape)
/// takes others than the library's. Answers do not depend on them. All but `direct` and `portions` are powers of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Elements of a line: 4 to 64.
    pub line: u32,
    /// Lines of a block: at least 4.
    pub block: u32,
    /// Blocks of a group: 4 to 256.
    pub group: u32,
    /// Lines between the ends of a range up to which all their minima are scanned: `block` to 128.
    pub direct: u32,
    /// Threads of a workgroup that answers queries, or those of a subgroup if that has more.
    pub threads: u32,
    /// Queries that one of its threads answers, one after the other.
    pub portions: u32,
    /// Positions are kept as if they did not fit 32 bits, for tests.
    pub wide: bool,
    /// Threads that read a run of line minima or elements together. At most those of a subgroup.
    pub team: u32,
    /// Threads of a workgroup that answers for values, each by itself; 0: in teams, as for positions.
    pub alone: u32,
}

impl Shape {
    /// The sizes for an array of `len` keys of so many 32-bit words, the best of those measured on an H200 with batches of 2^26 queries on 32-bit floats.
    /// ns a query for values of random data, large / medium / small / mixed:
    ///
    /// | n | line, block, group | |
    /// |---|---|---|
    /// | 2^20 | 8, 16, 16 | 0.0103 / 0.0148 / 0.0225 / 0.0199 |
    /// | 2^24 | 16, 16, 32 | 0.0102 / 0.0132 / 0.0300 / 0.0226 |
    /// | 2^26 | 16, 16, 32 | 0.0107 / 0.0130 / 0.0357 / 0.0267 |
    /// | 2^28 | 32, 16, 64 | 0.0108 / 0.0132 / 0.0467 / 0.0326 |
    /// | 2^31 | 32, 16, 64 | 0.0264 / 0.0228 / 0.1085 / 0.0419 |
    /// | 2^31 | 16, 16, 64, workgroups of 64, one portion | 0.0272 / 0.0248 / 0.0814 / 0.0434 |
    ///
    /// (by teams). Where every thread answers for itself, in workgroups of 64:
    ///
    /// | n | line, block, group | |
    /// |---|---|---|
    /// | 2^20, with windows | 8, 16, 16 | 0.0062 / 0.0127 / 0.0131 / 0.0112 (windows of 2^k elements: small 0.0162) |
    /// | 2^21, with windows | 8, 16, 16 | 0.0062 / 0.0114 / 0.0272 / 0.0111 (without: 0.0060 / 0.0110 / 0.0167 / 0.0178) |
    /// | 2^22 | 8, 16, 16 | 0.0061 / 0.0100 / 0.0238 / 0.0199 (teams: 0.0101 / 0.0134 / 0.0297 / 0.0224) |
    /// | 2^24 | 16, 16, 32 | 0.0060 / 0.0101 / 0.0196 / 0.0205 |
    /// | 2^24, an odd number of queries | 16, 16, 32 | 0.0071 / 0.0110 / 0.0199 |
    /// | 2^24 | 16, 8, 64 | 0.0062 / 0.0088 / 0.0191 / 0.0190 (28 lines scanned instead of 24: 0.0062 / 0.0088 / 0.0195 / 0.0194; 20: 0.0066 / 0.0093 / 0.0200 / 0.0197) |
    /// | 2^24 | 16, 4, 64 | 0.0064 / 0.0080 / 0.0191 / 0.0188 (more memory) |
    /// | 2^24, sorted | 16, 16, 32 | 0.0235 / 0.0249 / 0.0235 / 0.0278 (teams: 0.0276 / 0.0266 / 0.0246 / 0.0306) |
    /// | 2^26 | 16, 16, 32 | 0.0065 / 0.0092 / 0.0483 / 0.0211 |
    /// | 2^28 | 32, 16, 64 | 0.0077 / 0.0112 / 0.0530 / 0.0312 |
    /// | 2^24, `f64` | 8, 16, 32 | 0.0103 / 0.0167 / 0.0748 / 0.0692 (teams: 0.0164 / 0.0237 / 0.0890 / 0.0597) |
    ///
    /// So short ranges of arrays beyond the cache, and keys of 64 bits, stay with the teams.
    ///
    /// Workgroups of 32 threads, one subgroup, with 8 portions; 64, 128 or 256 threads with one portion are slower by up to
    /// a quarter, as workgroups take time to start and their subgroups wait for each other. Where the line minima do not
    /// fit the cache, as at 2^31, shorter lines open fewer elements. Larger arrays and 64-bit keys: not measured.
    pub(super) fn of(len: u64, words: u32, compact: bool) -> Self {
        let (line, block, group, direct, team) = if len > 1 << 30 && !compact {
            (16, 16, 64, 28, 4)
        } else if len > 1 << 26 || compact {
            (32, 16, 64, 28, 4)
        } else if len > 1 << 25 || len > 1 << 22 && words == 2 {
            (16, 16, 32, 28, 4)
        } else if len > 1 << 22 {
            // Shorter blocks are opened in less time: medium ranges of 2^24 floats take 0.0088 ns on an H200, not 0.0101.
            (16, 8, 64, 24, 4)
        } else {
            (8, 16, 16, 20, 2)
        };
        // Keys of 64 bits: lines of as many bytes, where memory allows it, and runs of as many packs.
        let (mut line, direct) = if words == 2 { ((line / 2).max(8), direct.min(16)) } else { (line, direct) };
        // The line minima are one binding, which on most devices has at most 2 GiB.
        while line < 64 && len / u64::from(line) * u64::from(4 * words) > 1 << 30 {
            line *= 2;
        }
        let alone = if words == 1 && len <= 1 << 25 && !compact { 64 } else { 0 };
        Self { line, block, group, direct, threads: 32, portions: 8, wide: false, team, alone }
    }

    fn check(&self, words: u32) -> Result<()> {
        let bad = |reason: &str| Err(Error::BadOption { option: "shape", reason: reason.into() });
        let sizes = [self.line, self.block, self.group, self.threads, self.team, self.alone.max(1)];
        if sizes.iter().any(|s| !s.is_power_of_two()) {
            return bad("all sizes are powers of two");
        }
        if !(4..=64).contains(&self.line) || self.block < 4 || self.line * self.block > TILE / words {
            return bad("lines have 4 to 64 elements, blocks at least 4 lines, and a tile holds a block");
        }
        if self.direct > 128 {
            return bad("a run of line minima counts its slots with 8 bits");
        }
        if !(4..=GROUP_THREADS).contains(&self.group) || self.direct < self.block {
            return bad("groups have 4 to 256 blocks, and blocks are scanned whole");
        }
        Ok(())
    }
}

/// Threads of the kernels that build, and 32-bit words of the array that one workgroup takes. Not measured.
const THREADS: u32 = 256;
const TILE: u32 = 4096;
/// Threads of the kernel that makes records: a multiple of the blocks of a group.
const GROUP_THREADS: u32 = 256;

/// Blocks that ascend or descend are asked for if more than one block in so many does. Not measured.
const MONOTONE_SHARE: u64 = 4;

/// The index, less the array.
#[derive(Debug)]
pub(super) struct Lines {
    shape: Shape,
    coding: KeyCode,
    /// Positions do not fit 32 bits.
    wide: bool,
    line_minima: Buffer,
    line_offsets: Buffer,
    block_minima: Buffer,
    records: Buffer,
    block_positions: Buffer,
    table: Table,
    /// Two bits a block: whether its elements ascend or descend.
    orders: Buffer,
    /// Many blocks do.
    monotone: bool,
    /// For short ranges of short arrays, once they pay.
    windows: OnceLock<Option<Windows>>,
    bytes: u64,
}

impl Lines {
    /// The index over an array that has room for so many elements, its own among them.
    pub(super) fn new(
        values: &Keys,
        room: u64,
        coding: KeyCode,
        shape: Shape,
        flags: &Buffer,
    ) -> Result<(Self, Timing)> {
        let device = values.device();
        let words = coding.words;
        shape.check(words)?;
        let pack = u64::from(4 / words);
        let tile = u64::from(TILE / words);
        let lines = room.div_ceil(tile) * tile / u64::from(shape.line);
        // Every line number, and every number of a pack, fits 32 bits.
        if room / pack >= u64::from(u32::MAX) || lines >= u64::from(u32::MAX) {
            return Err(Error::device_limit(format!("rmq: {room} elements are more than the index numbers")));
        }
        let all_blocks = lines / u64::from(shape.block);
        let blocks = room.div_ceil(u64::from(shape.line * shape.block));
        let groups = blocks.div_ceil(u64::from(shape.group));
        let mut buffers = Buffers::new(device);
        let key = u64::from(words);
        let index = Self {
            shape,
            coding,
            wide: shape.wide || room > 1 << 32,
            line_minima: buffers.words(lines * key, "line minima")?,
            line_offsets: buffers.words(lines / 4, "offsets of line minima")?,
            block_minima: buffers.words((all_blocks * key).next_multiple_of(4), "block minima")?,
            records: buffers.words(4 * blocks * key, "records of blocks")?,
            block_positions: buffers.words(3 * all_blocks, "positions of block minima")?,
            table: Table::new(&mut buffers, groups, words)?,
            orders: buffers.words(all_blocks / 16 + 1, "orders of blocks")?,
            monotone: false,
            windows: OnceLock::new(),
            bytes: 0,
        };
        let mut index = Self { bytes: buffers.bytes, ..index };
        let len = values.len();
        let mut commands = device.record();
        commands.clear(&index.orders, 4 * (all_blocks / 16 + 1));
        commands.start_clock();
        let source = |entry| index.builder(values, entry).flag("AGAIN", false).flag("ORDERED", false);
        let (bindings, params) = (index.builder_bindings(values, flags), index.params(len, 0, 0));
        commands.dispatch(&*device.kernel(&source("sample"))?, 1, &bindings, &params)?;
        commands.dispatch(&*device.kernel(&source("lines"))?, len.div_ceil(tile), &bindings, &params)?;
        drop(bindings);
        index.record_groups(&mut commands, values, None, 0)?;
        index.record_table(&mut commands, values)?;
        let timing = commands.submit_timed()?;
        let blocks = len.div_ceil(u64::from(shape.line * shape.block));
        index.monotone = MONOTONE_SHARE * u64::from(crate::transfer::read_word(device, flags, 1)?) > blocks;
        Ok((index, timing))
    }

    /// What kernels that build over `len` elements are told: the first tile, or workgroup of blocks, and the row of the table.
    fn params(&self, len: u64, first: u64, row: u64) -> [u32; 10] {
        let pack = u64::from(4 / self.coding.words);
        let tiles = len.div_ceil(u64::from(TILE / self.coding.words));
        let blocks = len.div_ceil(u64::from(self.shape.line * self.shape.block));
        let samples = (len / pack / 2).min(THREADS.into());
        let stride = len / pack / samples.max(1);
        let Table { groups, rows, .. } = self.table;
        [len / pack, len % pack, tiles, blocks, groups, row, rows, samples, stride, first].map(|count| count as u32)
    }

    /// A kernel of those that make lines and blocks.
    fn builder(&self, values: &Keys, entry: &'static str) -> Source {
        self.sizes(Source::new("rmq lines", include_str!("build.wgsl"), entry))
            .include(include_str!("params.wgsl"))
            .constant("THREADS", THREADS)
            .constant("TILE_PACKS", TILE / 4)
            .constant("TURNS", TILE / 4 / THREADS)
            .keys(self.coding)
            .include(PACKS)
            .reads_sharded("values", "Pack", values.packs().sharding)
            .writes("line_minima", "Key")
            .writes("line_offsets", "u32")
            .writes("block_minima", "Key")
            .writes("block_positions", "u32")
            .writes("monotone", "atomic<u32>")
            .writes("flags", "atomic<u32>")
    }

    fn builder_bindings<'a>(&'a self, values: &'a Keys, flags: &'a Buffer) -> Vec<Binding<'a>> {
        let own =
            [&self.line_minima, &self.line_offsets, &self.block_minima, &self.block_positions, &self.orders, flags];
        values.bindings().chain(own.map(Buffer::all)).collect()
    }

    /// Records the kernel that makes records of blocks, and the table's first row: of all from a workgroup of blocks on, or
    /// of those with blocks that the notes mark, which are made anew.
    fn record_groups(
        &self,
        commands: &mut Recorder<'_>,
        values: &Keys,
        notes: Option<&Buffer>,
        first: u64,
    ) -> Result<()> {
        let (device, len) = (values.device(), values.len());
        let all = len.div_ceil(u64::from(self.shape.line * self.shape.block)).div_ceil(GROUP_THREADS.into());
        let mut source = self
            .sizes(Source::new("rmq lines", include_str!("groups.wgsl"), "groups"))
            .include(include_str!("params.wgsl"))
            .constant("THREADS", GROUP_THREADS)
            .keys(self.coding)
            .writes("block_minima", "Key")
            .writes("block_positions", "u32")
            .writes("records", "vec4<u32>")
            .writes("table", "Key")
            .writes("table_positions", "u32");
        let mut bindings: Vec<_> =
            [&self.block_minima, &self.block_positions, &self.records, &self.table.minima, &self.table.positions]
                .map(Buffer::all)
                .into();
        match notes {
            Some(notes) => {
                let marked = include_str!("groups_changed.wgsl");
                source = source.constant("BLOCK_MARKS", BLOCK_MARKS as u32).include(marked);
                source = source.reads("line_minima", "Key").reads("line_offsets", "u32").reads("notes", "u32");
                bindings.extend([&self.line_minima, &self.line_offsets, notes].map(Buffer::all));
            }
            None => source = source.include(include_str!("groups_built.wgsl")),
        }
        commands.dispatch(&*device.kernel(&source)?, all - first, &bindings, &self.params(len, first, 0))
    }

    /// Records the kernels that make the other rows of the table.
    fn record_table(&self, commands: &mut Recorder<'_>, values: &Keys) -> Result<()> {
        let params = |row| self.params(values.len(), 0, row);
        self.table.fill("rmq lines", include_str!("params.wgsl"), self.coding, params, values.device(), commands)
    }

    /// Windows are made of the elements, and made anew when they pay again.
    fn forget_windows(&mut self) {
        self.windows = OnceLock::new();
    }

    fn sizes(&self, source: Source) -> Source {
        source
            .constant("LINE", self.shape.line)
            .constant("LINE_BITS", self.shape.line.ilog2())
            .constant("BLOCK", self.shape.block)
            .constant("GROUP", self.shape.group)
            .flag("WIDE", self.wide)
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes + self.windows.get().and_then(Option::as_ref).map_or(0, |windows| windows.bytes)
    }

    /// The windows for a batch that they answer, if there is room for them.
    fn windows(&self, values: &Keys, batch: &Batch<'_>) -> Result<Option<&Buffer>> {
        // Ranks only: windows do not know where their minima lie.
        if batch.form != Form::Rank || self.wide || self.shape.alone == 0 || !windows::pay(values, batch.count) {
            return Ok(None);
        }
        if self.windows.get().is_none() {
            let made = windows::make(values, self.coding)?;
            // Whoever comes second drops what he made.
            let _ = self.windows.set(made);
        }
        Ok(self.windows.get().and_then(Option::as_ref).map(|windows| &windows.minima))
    }

    /// Records the kernel that answers a batch.
    pub(super) fn dispatch(&self, values: &Keys, commands: &mut Recorder<'_>, batch: &Batch<'_>) -> Result<()> {
        let limits = values.device().limits();
        let alone = self.shape.alone > 0 && batch.form == Form::Rank;
        let pairs = alone && !batch.wide && batch.count.is_multiple_of(2);
        // Subgroups are full: teams count on all of their threads.
        let threads = if alone { self.shape.alone } else { self.shape.threads.max(limits.subgroup_max) };
        let (text, entry) = match (alone, pairs) {
            (true, true) => (include_str!("values_pairs.wgsl"), "query_values"),
            (true, false) => (include_str!("values_single.wgsl"), "query_values"),
            (false, _) => (include_str!("query.wgsl"), "query"),
        };
        // Queries that a thread takes, or pairs of them.
        let portions = if pairs { self.shape.portions.div_ceil(2) } else { self.shape.portions };
        let pack = 4 / self.coding.words;
        let windows = self.windows(values, batch)?;
        let mut source = self
            .sizes(Source::new("rmq lines", text, entry))
            .include(include_str!("places.wgsl"))
            // A software renderer, with its small subgroups, compiles longer than it runs.
            .unroll(limits.subgroup_min >= 16)
            .constant("THREADS", threads)
            .constant("LINE_PACKS", self.shape.line / pack)
            .constant("BLOCK_PACKS", self.shape.block / pack)
            .constant("INNER_PACKS", (self.shape.direct.div_ceil(pack) - 1).max(1))
            .constant("PORTIONS", portions)
            .constant("DIRECT", self.shape.direct)
            .constant("TEAM", self.shape.team.min(limits.subgroup_min))
            .flag("NARROW", limits.subgroup_max <= 32)
            .flag("MONOTONE", self.monotone)
            .flag("TRACK", batch.form != Form::Rank)
            .reads("line_minima", "Pack")
            .reads("line_offsets", "u32")
            .reads("block_minima", "Pack")
            .reads("records", "vec4<u32>")
            .reads("block_positions", "u32")
            .reads("table", "Key")
            .reads("table_positions", "u32")
            .reads("monotone", "u32");
        let own = [
            &self.line_minima,
            &self.line_offsets,
            &self.block_minima,
            &self.records,
            &self.block_positions,
            &self.table.minima,
            &self.table.positions,
            &self.orders,
        ];
        let mut own: Vec<_> = own.map(|buffer| buffer.all()).into();
        source = source.flag("WINDOWS", windows.is_some());
        if alone {
            source = windows::declare(source).include(include_str!("values.wgsl"));
        }
        match windows {
            Some(windows) => {
                source = source.reads("windows", "Key");
                own.push(windows.all());
            }
            None => source = source.include("fn windows_at(i: u32) -> Key { return WORST; }\n"),
        }
        let queries = threads * portions * if pairs { 2 } else { 1 };
        let workgroups = u64::from(batch.count).div_ceil(queries.into());
        let batch = Batch { pairs, ..batch.clone() };
        batch.dispatch(values, self.coding, source, own, workgroups, &[self.table.groups as u32], commands)
    }
}
