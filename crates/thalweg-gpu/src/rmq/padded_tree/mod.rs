//! Blocks as codes of their Cartesian trees, and packed tables over them: four bits an element.
//!
//! The structure of the engine on the CPU, which explains it: codes and words of blocks, words and minima of superblocks,
//! a table over groups of 64 superblocks. It is Soman, Kothapalli and Narayanan's (2012), who made it for GPUs, with the
//! blocks' places in place of their minima, so that comparing two of a superblock reads nothing else.
//!
//! Build: one pass over the array, a thread a block, which holds its elements in registers and compares all pairs; then
//! one over the superblocks, then the table. Query: O(1), a thread each; a wide range reads the table and two minima, a
//! short one a few words and at most two codes and three elements.

use thalweg_arrays::rmq::{PaddedTreeOptions, PaddedTreeShape};
use thalweg_core::{Error, Result};

use super::batch::{Batch, Form, PACKS};
use super::sparse_table::{Buffers, Table};
use crate::array::Keys;
use crate::coding::KeyCode;
use crate::kernel::Source;
use crate::memory::Buffer;
use crate::recorder::{Recorder, Timing};

/// Threads of the kernels that build: a multiple of 64. Not measured.
const THREADS: u32 = 256;
/// Threads of a workgroup that answers queries. Not measured.
const QUERY_THREADS: u32 = 128;
/// Superblocks of a group.
const GROUP: u32 = 64;

/// The index, less the array.
#[derive(Debug)]
pub(super) struct PaddedTree {
    coding: KeyCode,
    shape: PaddedTreeShape,
    /// Bits of the dictionary's strings.
    width: u32,
    codes: Buffer,
    blocks: Buffer,
    minima: Buffer,
    superblocks: Buffer,
    table: Table,
    dictionary: Buffer,
    bytes: u64,
}

impl PaddedTree {
    pub(super) fn new(
        values: &Keys,
        coding: KeyCode,
        options: PaddedTreeOptions,
        flags: &Buffer,
    ) -> Result<(Self, Timing)> {
        let (shape, dictionary) = options.read()?;
        let device = values.device();
        let pack = u64::from(4 / coding.words);
        let len = values.len();
        let superblocks = len.div_ceil(1 << shape.superblock());
        let blocks = superblocks << shape.blocks;
        // The numbers of blocks and packs fit 32 bits, up to whole superblocks.
        if (superblocks << shape.superblock()) / pack.min(1 << shape.block) >= u64::from(u32::MAX) {
            return Err(Error::device_limit(format!("rmq: {len} elements are more than the index numbers")));
        }
        let groups = superblocks.div_ceil(GROUP.into());
        let mut buffers = Buffers::new(device);
        let entries: Vec<u32> =
            dictionary.entries.iter().flat_map(|&entry| [entry as u32, (entry >> 32) as u32]).collect();
        let index = Self {
            coding,
            shape,
            width: dictionary.width,
            codes: buffers.words(2 * (superblocks << shape.superblock()) / 32, "codes of blocks")?,
            blocks: buffers.words(blocks, "words of blocks")?,
            minima: buffers.words(superblocks * u64::from(coding.words), "minima of superblocks")?,
            superblocks: buffers.words(superblocks, "words of superblocks")?,
            table: Table::new(&mut buffers, groups, coding.words)?,
            dictionary: buffers.words(entries.len() as u64, "dictionary")?,
            bytes: 0,
        };
        let index = Self { bytes: buffers.bytes, ..index };
        crate::transfer::upload_bytes(device, &index.dictionary, 0, bytemuck::cast_slice(&entries))?;
        let params =
            |row: u64| [len / pack, len % pack, superblocks, groups, row, index.table.rows].map(|count| count as u32);
        let mut commands = device.record();
        commands.start_clock();
        let built = |text, entry, fan| {
            Source::new("rmq padded_tree", text, entry)
                .include(include_str!("params.wgsl"))
                .constant("THREADS", THREADS)
                .constant("FAN", fan)
                .keys(coding)
                .include(PACKS)
                .include(include_str!("words.wgsl"))
        };
        let block = 1 << shape.block;
        let source = built(include_str!("build.wgsl"), "blocks_of", 1 << shape.blocks)
            .constant("BLOCK", block)
            .constant("BLOCK_PACKS", block * coding.words / 4)
            .reads_sharded("values", "Pack", values.packs().sharding)
            .writes("codes", "u32")
            .writes("blocks", "u32")
            .writes("superblock_minima", "Key")
            .writes("superblocks", "u32")
            .writes("flags", "atomic<u32>");
        let mut bindings: Vec<_> = values.bindings().collect();
        bindings.extend([&index.codes, &index.blocks, &index.minima, &index.superblocks, flags].map(Buffer::all));
        commands.dispatch(&*device.kernel(&source)?, blocks.div_ceil(THREADS.into()), &bindings, &params(0))?;
        let source = built(include_str!("groups.wgsl"), "groups_of", GROUP)
            .reads("superblock_minima", "Key")
            .writes("superblocks", "u32")
            .writes("table", "Key")
            .writes("table_positions", "u32");
        let bindings =
            [&index.minima, &index.superblocks, &index.table.minima, &index.table.positions].map(Buffer::all);
        commands.dispatch(&*device.kernel(&source)?, superblocks.div_ceil(THREADS.into()), &bindings, &params(0))?;
        let declared = include_str!("params.wgsl");
        index.table.fill("rmq padded_tree", declared, coding, params, device, &mut commands)?;
        let timing = commands.submit_timed()?;
        Ok((index, timing))
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Records the kernel that answers a batch.
    pub(super) fn dispatch(&self, values: &Keys, commands: &mut Recorder<'_>, batch: &Batch<'_>) -> Result<()> {
        let source = Source::new("rmq padded_tree", include_str!("query.wgsl"), "query")
            .constant("THREADS", QUERY_THREADS)
            .constant("BLOCK_BITS", self.shape.block)
            .constant("SUPERBLOCK_BITS", self.shape.superblock())
            .constant("WIDTH", self.width)
            .flag("RANKED", batch.form == Form::Rank)
            .reads("codes", "u32")
            .reads("blocks", "u32")
            .reads("superblock_minima", "Key")
            .reads("superblocks", "u32")
            .reads("table", "Key")
            .reads("table_positions", "u32")
            .reads("dictionary", "vec2<u32>");
        let own = [
            &self.codes,
            &self.blocks,
            &self.minima,
            &self.superblocks,
            &self.table.minima,
            &self.table.positions,
            &self.dictionary,
        ];
        let own = own.map(Buffer::all).into();
        let workgroups = u64::from(batch.count).div_ceil(QUERY_THREADS.into());
        batch.dispatch(values, self.coding, source, own, workgroups, &[self.table.groups as u32], commands)
    }
}
