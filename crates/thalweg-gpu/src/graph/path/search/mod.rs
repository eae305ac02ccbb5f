//! Batches of queries, a workgroup a search.
//!
//! A search is A* with a queue of buckets: an entry's bucket is its estimate, the length so far and a bound on the rest, in
//! steps of a power of two. A round takes up to 32 entries of the lowest bucket that has any, and eight threads for each
//! relax the steps from its cell ([`super::successors`] says which) with atomic minima. A cell whose length falls goes into its bucket again,
//! so that the order inside a bucket matters for the work and not for the lengths. The search ends when the lowest bucket
//! begins beyond the length at the goal: then all cells of shortest paths have their exact lengths, and a path can be walked
//! back by the same rule as on the CPU.
//!
//! Lengths are kept for all cells of the map, for every search under way, as complements: what was never reached is zero. They
//! are cleared behind a search, in the segments that it came to, so that the next one of the workgroup finds them clear. The
//! buckets are stacks of chunks in a common pool of the search; with costs, whose buckets are wide, they are queues, because
//! stacks may correct the same cells again and again.
//!
//! A dispatch ends after so many rounds, and searches that are not done go on in the next one, from a state of some kilobytes
//! that is written and read: no dispatch takes so long that a system would take the device for hung.

use thalweg_core::{DeviceErrorKind, Error, Result};

use super::landmarks::{self, Landmarks};
use super::map::Map;
use super::successors::{self, WAYS};
use crate::kernel::{Kernel, Source};
use crate::memory::{Binding, Buffer};
use crate::transfer;

/// Threads of a workgroup: eight for every entry that a round takes.
const THREADS: u32 = 256;
/// Chunks of a search's queue, and entries of a chunk as a power of two: not fewer than a round adds.
const CHUNKS: u32 = 512;
const CHUNK_LOG: u32 = 9;
/// Buckets of a queue, and bits that tell segments of lengths: constants of the kernel, too.
const BUCKETS: u32 = 32;
const SEGMENTS: u32 = 256 * 32;
/// Rounds that the end of a search counts for, because it clears lengths. Not measured.
const FINISH_ROUNDS: u32 = 256;
/// Words of a state.
const STATE: u64 = 4 * BUCKETS as u64 + 2 * CHUNKS as u64 + 256 + 16;
/// Buffers of lengths at most.
const SHARDS: usize = 16;
const NAMES: [&str; SHARDS] = [
    "l_0", "l_1", "l_2", "l_3", "l_4", "l_5", "l_6", "l_7", "l_8", "l_9", "l_10", "l_11", "l_12", "l_13", "l_14",
    "l_15",
];

/// What is not a length among the kernel's answers.
const NO_PATH: u32 = u32::MAX;
const FULL: u32 = u32::MAX - 1;
const LONG: u32 = u32::MAX - 2;
const NO_ROOM: u32 = u32::MAX - 3;

/// What a batch may use, and how it goes about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Searches under way at most.
    pub searches: u64,
    /// Bytes of the device that lengths and queues of searches may take.
    pub memory: u64,
    /// Rounds of a dispatch, each of which takes some microseconds.
    pub rounds: u32,
    /// So many searches, of one batch or of several, are worth landmarks.
    pub landmarks_from: u64,
    /// Maps of so many cells have a few queries answered by a wavefront, not by searches.
    pub wavefront_from: u64,
    /// Cells of paths that come back at a time.
    pub path_cells: u64,
    /// Chunks of a search's queue, from 1 to 512, and entries of a chunk as a power of two, from 8 on. Searches for which that
    /// is too little are repeated with more.
    pub chunks: u32,
    /// See `chunks`.
    pub chunk_log: u32,
}

impl Default for Tuning {
    fn default() -> Self {
        Self::DEFAULT
    }
}

impl Tuning {
    /// What an H200 was measured with (4096 queries on 2048 x 2048 cells): half as many searches take a fifth longer, twice as
    /// many no less.
    pub const DEFAULT: Self = Self {
        searches: 2048,
        memory: 16 << 30,
        rounds: 1 << 16,
        landmarks_from: 256,
        wavefront_from: 1 << 20,
        path_cells: 1 << 26,
        chunks: CHUNKS,
        chunk_log: CHUNK_LOG,
    };

    /// The same with queues for four entries a cell.
    pub(super) fn with_wider_queues(self, cells: u32) -> Self {
        let chunk = (4 * u64::from(cells) / u64::from(CHUNKS)).next_power_of_two().ilog2();
        Self { chunks: CHUNKS, chunk_log: chunk.max(self.chunk_log + 1), ..self }
    }
}

/// What a search found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    NoPath,
    /// In the kernel's units.
    Length(u32),
    /// The queue's memory did not suffice: again, with more.
    Full,
    /// Longer than the kernel can count.
    TooLong,
    /// No room for the path: again.
    NoRoom,
}

/// The answers of a pass, and its paths.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) found: Vec<Found>,
    /// Where every path is among the cells: first and count.
    pub(super) places: Vec<[u32; 2]>,
    pub(super) cells: Vec<u32>,
}

/// Memory of searches, all of it clear.
#[derive(Debug)]
pub(super) struct Searches {
    pub(super) count: u64,
    /// As many as there could be.
    pub(super) most: u64,
    lengths: Vec<Buffer>,
    /// Searches of one buffer of lengths.
    of_buffer: u64,
    entries: Buffer,
    state: Buffer,
    table: Buffer,
    tuning: Tuning,
}

impl Searches {
    /// Memory for as many searches as are wanted and fit.
    pub(super) fn new(map: &Map, wanted: u64, tuning: Tuning) -> Result<Self> {
        let device = &map.device;
        let limits = device.limits();
        let most = limits.binding_bytes.min(limits.buffer_bytes);
        let (cells, queue) = (4 * u64::from(map.cells()).max(1), 4 * (u64::from(tuning.chunks) << tuning.chunk_log));
        let state = 4 * STATE;
        let of_buffer = most / cells;
        // The kernel sees ten other buffers.
        let shards = (limits.bindings.saturating_sub(12) as u64).clamp(1, SHARDS as u64);
        let fit = (tuning.memory / (cells + queue + state)).max(1);
        let all = tuning.searches.min(fit).min(of_buffer * shards).min(most / queue).min(most / state);
        let mut count = wanted.min(all);
        if count == 0 {
            return Err(Error::device_limit(format!(
                "path: a search takes {cells} and {queue} bytes, and a kernel on {} sees {most} at once",
                device.name()
            )));
        }
        let table: Vec<u8> = successors::table(map.moves, map.costs.is_none());
        let words = device.words(table.len() as u64 / 4, "successors")?;
        transfer::upload_bytes(device, &words, 0, &table)?;
        loop {
            let buffers = || -> Result<(Vec<Buffer>, Buffer, Buffer)> {
                let mut left = count;
                let mut lengths = Vec::new();
                while left > 0 {
                    lengths.push(device.words(left.min(of_buffer) * cells / 4, "lengths")?);
                    left -= left.min(of_buffer);
                }
                Ok((lengths, device.words(count * queue / 4, "queues")?, device.words(count * state / 4, "searches")?))
            };
            match buffers() {
                Ok((lengths, entries, state)) => {
                    let this = Self { count, most: all, lengths, of_buffer, entries, state, table: words, tuning };
                    this.clear(map)?;
                    return Ok(this);
                }
                // With less memory, fewer at a time.
                Err(Error::Device(e)) if e.kind() == DeviceErrorKind::OutOfMemory && count > 1 => count /= 2,
                Err(e) => return Err(e),
            }
        }
    }

    fn clear(&self, map: &Map) -> Result<()> {
        let mut commands = map.device.record();
        let mut left = self.count;
        for buffer in &self.lengths {
            let here = left.min(self.of_buffer);
            commands.clear(buffer, 4 * here * u64::from(map.cells()));
            left -= here;
        }
        commands.submit().map(|_| ())
    }

    fn kernel(&self, map: &Map, landmarks: Option<&Landmarks>, paths: bool) -> Result<std::sync::Arc<Kernel>> {
        let mut source = map
            .source(Source::new("path", include_str!("search.wgsl"), "search"))
            .constant("THREADS", THREADS)
            .constant("WAYS", WAYS as u32)
            .constant("CHUNKS", self.tuning.chunks)
            .constant("FINISH_ROUNDS", FINISH_ROUNDS)
            // A software renderer compiles longer than it runs.
            .unroll(!map.device.is_software())
            .constant("DIRECTIONS", 8)
            .constant("MARKS", landmarks.map_or(0, |_| landmarks::COUNT / 4))
            .constant("BACKWARDS", BACKWARDS)
            .flag("QUEUES", map.costs.is_some())
            .flag("PATHS", paths)
            .flag("SYMMETRIC", map.costs.is_none())
            .include(include_str!("walk.wgsl"))
            .include(&of_shard(
                "lengths_at(shard: u32, i: u32) -> u32",
                self.lengths.len(),
                "return atomicLoad(&ARRAY[i]);",
            ))
            .include(&of_shard(
                "lengths_improve(shard: u32, i: u32, value: u32) -> u32",
                self.lengths.len(),
                "return atomicMax(&ARRAY[i], value);",
            ))
            .include(&of_shard("lengths_clear(shard: u32, i: u32)", self.lengths.len(), "atomicStore(&ARRAY[i], 0u);"))
            .reads("table", "u32")
            .reads("queries", "vec2<u32>")
            .reads("landmarks", "vec4<u32>")
            .writes("entries", "u32")
            .writes("state", "u32")
            .writes("answers", "vec4<u32>")
            .writes("paths", "u32")
            .atomics("next");
        for name in &NAMES[..self.lengths.len()] {
            source = source.atomics(name);
        }
        map.device.kernel(&source)
    }

    /// Answers queries, each the numbers of start and goal, none of them a wall.
    pub(super) fn run(
        &self,
        map: &Map,
        queries: &[[u32; 2]],
        landmarks: Option<&Landmarks>,
        paths: bool,
    ) -> Result<Batch> {
        let (device, tuning) = (&map.device, &self.tuning);
        let kernel = self.kernel(map, landmarks, paths)?;
        let asked = device.upload(queries.as_flattened())?;
        let count = queries.len() as u64;
        let answers = device.words(4 * count, "answers")?;
        // As much as the longest paths would take, if that is little.
        let most = device.limits().binding_bytes.min(device.limits().buffer_bytes) / 4;
        let all = u64::from(map.cells()).saturating_mul(count);
        let room = if paths { tuning.path_cells.min(most).min(all) } else { 1 };
        let cells = device.words(room, "paths")?;
        // The next query, how many are done, and words of paths.
        let next = device.words(3, "next query")?;
        let none = device.words(4, "no landmarks")?;
        let segment = map.cells().div_ceil(SEGMENTS).next_power_of_two().ilog2();
        let marks = landmarks.map_or(&none, |landmarks| &landmarks.marks);
        let mut bindings: Vec<Binding<'_>> = map.bindings().collect();
        bindings.push(self.table.all());
        bindings.extend(asked.bindings());
        bindings.extend([marks, &self.entries, &self.state, &answers, &cells, &next].map(Buffer::all));
        bindings.extend(self.lengths.iter().map(Buffer::all));
        let slots = self.count.min(count);
        // Mesa's renderer leaves all loops of a kernel after 65535 iterations of them together, so that a dispatch there ends
        // with the first search that does.
        let rounds = if device.is_software() { tuning.rounds.min(FINISH_ROUNDS) } else { tuning.rounds };
        for pass in 0u32.. {
            let mut commands = device.record();
            if pass == 0 {
                commands.clear(&next, 12);
            }
            let params = [
                map.cols,
                count as u32,
                map.cells(),
                self.of_buffer as u32,
                tuning.chunk_log,
                segment,
                rounds,
                pass.min(1),
                room as u32,
                map.least,
                shift(map),
            ];
            commands.dispatch(&kernel, slots, &bindings, &params)?;
            commands.submit()?;
            if u64::from(transfer::read_word(device, &next, 1)?) == count {
                break;
            }
        }
        let mut words = vec![0; 4 * queries.len()];
        transfer::read_words(device, &answers, 0, &mut words)?;
        let mut batch = Batch::default();
        for answer in words.as_chunks::<4>().0 {
            batch.found.push(match answer[0] {
                NO_PATH => Found::NoPath,
                FULL => Found::Full,
                LONG => Found::TooLong,
                NO_ROOM => Found::NoRoom,
                length => Found::Length(length),
            });
            batch.places.push([answer[2], answer[3]]);
        }
        if paths {
            let used = u64::from(transfer::read_word(device, &next, 2)?).min(room);
            batch.cells = vec![0; used as usize];
            transfer::read_words(device, &cells, 0, &mut batch.cells)?;
        }
        Ok(batch)
    }
}

/// Directions from the last to the first of the order in which predecessors are preferred, four bits each.
const BACKWARDS: u32 = 0x0462_7153;

/// Bits of an estimate below its bucket: estimates of entries that are under way at a time fit the buckets, and a bucket is
/// at least a third of a step wide. (On an H200, 2048 x 2048 cells, 35 % walls: 28 us a query, 32 with buckets of half the
/// width.)
fn shift(map: &Map) -> u32 {
    let step = map.units.straight.max(map.units.diagonal);
    let spread = 2 * u64::from(map.largest) * u64::from(step);
    let most = (spread / u64::from(BUCKETS - 2)).max(1).next_power_of_two().ilog2();
    let wide = (u64::from(map.least) * u64::from(map.units.straight) / 4).max(1).next_power_of_two().ilog2();
    most.max(wide)
}

/// A function whose last line works on one of the buffers of lengths.
fn of_shard(head: &str, shards: usize, body: &str) -> String {
    let mut text = format!("fn {head} {{ switch shard {{\n");
    for (k, name) in NAMES[..shards].iter().enumerate() {
        let case = if k + 1 == shards { "default".to_owned() } else { format!("case {k}u") };
        text += &format!("{case}: {{ {} }}\n", body.replace("ARRAY", name));
    }
    text + "} }\n"
}
