//! Layers of minima, after GPU-RMQ (Kreis et al. 2026): the minimum of every chunk of `c` entries, of those again, until
//! a layer has at most `t` chunks.
//!
//! A query scans its ends up to the next chunk in every layer, and what lies between once that is short. The paper has
//! two ways to scan, by vector loads or by neighbouring threads, and two ways to give queries to a group of threads:
//! every thread of the group loads the same query, or the group works off the queries of its threads in turn. All four
//! are here. Extra memory: n/(c-1) keys and as many positions.
//!
//! *Measured* on an H200, 2^24 floats, values of large ranges, ns a query: vector loads 0.072, neighbouring threads 0.157 (0.095 and 0.30
//! before layers and chunks were written out, so that their reads do not wait for each other).

use thalweg_arrays::rmq::{Assignment, HierarchyOptions, Load};
use thalweg_core::{Error, Result};

use super::batch::{Batch, Form, PACKS};
use crate::array::Keys;
use crate::coding::KeyCode;
use crate::device::Device;
use crate::kernel::Source;
use crate::memory::Buffer;
use crate::recorder::{Recorder, Timing};

/// Threads of a workgroup that answers queries, and of one that builds. Not measured.
const THREADS: u32 = 256;
/// 32-bit words of a layer that one workgroup takes. Not measured.
const TILE: u32 = 4096;
/// Layers that the kernel's parameters have room for. Chunks have at least 4 entries, so 2^32 elements need no more.
const MOST_LAYERS: usize = 16;

/// Reads of one thread in a chunk up to which they are written out. Not measured.
const WRITTEN_OUT: u32 = 8;

#[derive(Debug)]
pub(super) struct Hierarchy {
    coding: KeyCode,
    chunk: u32,
    group: u32,
    load: Load,
    assignment: Assignment,
    /// First entry of layers 1, 2, ... in `upper`.
    starts: Vec<u32>,
    /// Entries of the last one.
    top_len: u64,
    upper: Buffer,
    positions: Buffer,
    bytes: u64,
}

impl Hierarchy {
    pub(super) fn new(
        values: &Keys,
        coding: KeyCode,
        options: HierarchyOptions,
        flags: &Buffer,
    ) -> Result<(Self, Timing)> {
        let device = values.device();
        let words = coding.words;
        let len = values.len();
        let bad = |option, reason: String| Err(Error::BadOption { option, reason });
        // As in the paper: vector loads with short chunks for short arrays, 16 threads a query for long ones.
        let short = len < 1 << 25;
        let load = options.load.unwrap_or(if short { Load::Vector } else { Load::Coalesced });
        let chunk = options.chunk.unwrap_or(if load == Load::Vector { 8 } else { 32 });
        let most = device.limits().subgroup_min.max(1);
        let group = options.group.unwrap_or(if load == Load::Vector { 1 } else { 16.min(most) });
        let threshold = options.threshold.unwrap_or(if load == Load::Vector { 1 } else { 2 });
        if !chunk.is_power_of_two() || !(4..=1024).contains(&chunk) {
            return bad("chunk", format!("{chunk} is not a power of two from 4 to 1024, as GPUs need"));
        }
        let chunk = chunk as u32;
        if !group.is_power_of_two() || group > most {
            return bad("group", format!("{group} is not a power of two up to {most}, the threads of a subgroup"));
        }
        if threshold == 0 {
            return bad("threshold", "the top layer has at least 1 chunk".into());
        }
        if len > u64::from(u32::MAX) - 64 {
            return Err(Error::device_limit(format!(
                "rmq: hierarchy numbers elements with 32 bits, not {len}; lines does more"
            )));
        }
        let pack = 4 / words;
        let tile = u64::from(TILE / words);
        // Length of every layer, and where it starts.
        let mut lens = vec![len];
        let mut starts = Vec::new();
        let mut total = 0;
        while *lens.last().expect("the array") > u64::from(chunk).saturating_mul(threshold as u64) {
            let below = *lens.last().expect("the array");
            starts.push(total as u32);
            total += below.div_ceil(tile) * tile / u64::from(chunk);
            lens.push(below.div_ceil(chunk.into()));
        }
        let total = total.next_multiple_of(4);
        assert!(lens.len() <= MOST_LAYERS, "layers shrink by the chunk");
        let upper = device.words(total * u64::from(words), "layers of minima")?;
        let positions = device.words(total, "positions of minima")?;
        let bytes = 4 * total * (1 + u64::from(words));
        let index = Self {
            coding,
            chunk,
            group,
            load,
            assignment: options.assignment.unwrap_or(Assignment::Queue),
            starts,
            top_len: *lens.last().expect("the array"),
            upper,
            positions,
            bytes,
        };
        let mut commands = device.record();
        commands.start_clock();
        for layer in 1..lens.len() {
            let base = layer == 1;
            let mut source = Source::new("rmq hierarchy", include_str!("build.wgsl"), "layer")
                .constant("THREADS", THREADS)
                .constant("TILE_PACKS", TILE / 4)
                .constant("CHUNK", chunk)
                .flag("BASE", base)
                .keys(coding)
                .include(PACKS)
                .writes("upper", "Key")
                .writes("positions", "u32")
                .writes("flags", "atomic<u32>");
            let mut bindings: Vec<_> = [&index.upper, &index.positions, flags].map(Buffer::all).into();
            if base {
                source = source.reads_sharded("values", "Pack", values.packs().sharding);
                bindings.extend(values.bindings());
            } else {
                source = source.include("fn values_at(i: u32) -> Pack { return ALL_WORST; }\n");
            }
            let below = lens[layer - 1];
            let start = if base { 0 } else { index.starts[layer - 2] };
            let tiles = below.div_ceil(tile);
            let params = [
                (below / u64::from(pack)) as u32,
                (below % u64::from(pack)) as u32,
                start,
                index.starts[layer - 1],
                tiles as u32,
            ];
            commands.dispatch(&*device.kernel(&source)?, tiles, &bindings, &params)?;
        }
        let timing = commands.submit_timed()?;
        Ok((index, timing))
    }

    /// Whether the build has looked at all keys.
    pub(super) fn inspected(&self) -> bool {
        !self.starts.is_empty()
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Where layers 1, 2, ... begin in the ranks, these, and the positions of their elements.
    pub(super) fn parts(&self) -> (&[u32], &Buffer, &Buffer) {
        (&self.starts, &self.upper, &self.positions)
    }

    /// A copy of the ranks of the top layer; `None` if that is the array itself.
    pub(super) fn top(&self, device: &Device) -> Option<Result<Keys>> {
        let start = *self.starts.last()?;
        let copied = || {
            let top = Keys::new(device, self.top_len, self.coding.words)?;
            let mut commands = device.record();
            for (first, end, shard) in top.pieces() {
                let from = (&self.upper, (u64::from(start) + first) * top.bytes());
                commands.copy(from, (shard, 0), (end - first) * top.bytes());
            }
            commands.submit()?;
            Ok(top)
        };
        Some(copied())
    }

    pub(super) fn dispatch(&self, values: &Keys, commands: &mut Recorder<'_>, batch: &Batch<'_>) -> Result<()> {
        let vector = self.load == Load::Vector;
        // Reads of one thread in a chunk.
        let steps = (self.chunk / if vector { 4 / self.coding.words } else { 1 }).div_ceil(self.group);
        let short = steps <= WRITTEN_OUT;
        let source = Source::new("rmq hierarchy", include_str!("query.wgsl"), "query")
            .constant("THREADS", THREADS)
            .constant("TEAM", self.group)
            .constant("CHUNK", self.chunk)
            .constant("CHUNK_BITS", self.chunk.ilog2())
            .constant("CHUNK_STEPS", if short { steps } else { 1 })
            .flag("SHORT", short)
            // A software renderer, with its small subgroups, compiles longer than it runs.
            .unroll(values.device().limits().subgroup_min >= 16)
            .constant("CLIMBED", self.starts.len() as u32)
            .flag("VECTOR", vector)
            .flag("QUEUE", self.assignment == Assignment::Queue)
            .flag("TRACK", batch.form != Form::Rank)
            .include(if vector { include_str!("reads_packs.wgsl") } else { include_str!("reads_keys.wgsl") })
            .reads("upper", if vector { "Pack" } else { "Key" })
            .reads("positions", "u32");
        let queries_of_workgroup = match self.assignment {
            Assignment::Queue => THREADS,
            Assignment::MultiLoad => THREADS / self.group,
        };
        let workgroups = u64::from(batch.count).div_ceil(queries_of_workgroup.into());
        let mut params = vec![self.starts.len() as u32 + 1, 0, 0, 0, 0];
        params.extend(&self.starts);
        let batch = Batch { single_reads: !vector, ..batch.clone() };
        let own = vec![self.upper.all(), self.positions.all()];
        batch.dispatch(values, self.coding, source, own, workgroups, &params, commands)
    }
}
