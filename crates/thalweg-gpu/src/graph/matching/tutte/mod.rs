//! A round of `tutte` on the device: the same pivots as the CPU's, in the same order.
//!
//! The matrix is made on the device from the graph's rows (`fill.wgsl`). A step of either phase is two dispatches over the columns:
//! `find.wgsl` has the row of the next vertex, and whom it is paired with, `pivot.wgsl` the other's row. Neither touches the matrix:
//! pivots wait, and a row is what the matrix has and what waits for it. After [`PIVOTS`] steps `flush.wgsl` adds them, a product of
//! matrices, which is nearly all of the work. Nothing is read back in between: a step finds in a journal what the one before it did.
//!
//! Arithmetic is modulo 2^31 - 1 in integers of 32 bits (`field.wgsl`): factors are cut so that sums of 32 products need no carry.

use std::iter::repeat_n;

use thalweg_core::{Error, Result};
use thalweg_graph::Rows;
use thalweg_graph::matching::NOBODY;
use thalweg_graph::matching::tutte::Round;

use crate::device::Device;
use crate::kernel::Source;
use crate::memory::Buffer;
use crate::recorder::Prepared;
use crate::transfer;

/// Rows and columns of a tile of the matrix.
const TILE: u32 = 64;
/// Columns of a step's workgroup, and threads that share the sum of one.
const COLUMNS: u32 = 64;
const SLICES: u32 = 4;
/// Pivots that wait, at most.
const PIVOTS: u32 = 32;
/// Rows that wait: two a pivot. A flush takes them in stages, whose sums need no carry.
const WAITING: u32 = 2 * PIVOTS;
const STAGE: u32 = 32;
/// Flushes with their steps in a list of commands: the device is at work while the next list is recorded.
const BLOCKS: u32 = 4;
/// Stamp of a vertex that no step has taken.
const LEFT: u32 = u32::MAX;
/// Words of the journal before the steps' own.
const COUNTERS: usize = 2;

/// What the random numbers of this key tell of a graph.
pub(super) fn round(device: &Device, rows: Rows<'_>, key: [u32; 2]) -> Result<Round> {
    let matrix = Matrix::new(device, rows, key)?;
    let is_covered = matrix.sweep()?;
    let is_missed = if is_covered.contains(&false) { matrix.missed()? } else { vec![false; rows.len()] };
    let partners = matrix.extract(&is_covered)?;
    Ok(Round { partners, is_missed })
}

/// What steps are for: to cover vertices by pivots, or to take out pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    Sweep,
    Extraction,
}

/// The matrix of a graph, and all that belongs to it.
struct Matrix<'d> {
    device: &'d Device,
    size: usize,
    /// Words of a row: whole tiles.
    stride: u32,
    entries: Buffer,
    /// What waits.
    rows: Buffer,
    columns: Buffer,
    /// Which step took a vertex, and what every step did.
    stamps: Buffer,
    journal: Buffer,
    /// The graph.
    offsets: Buffer,
    targets: Buffer,
}

impl<'d> Matrix<'d> {
    /// The Tutte matrix with the numbers of a key.
    fn new(device: &'d Device, rows: Rows<'_>, key: [u32; 2]) -> Result<Self> {
        let size = rows.len();
        let stride = (size as u32).next_multiple_of(TILE);
        let wide = u64::from(stride);
        // Nothing else is as large.
        let (bytes, most) = (4 * wide * wide, device.limits().binding_bytes);
        if bytes > most {
            let what = format!("the matrix of {size} vertices takes {bytes} bytes");
            return Err(Error::device_limit(format!("{what}, and a kernel on {} sees {most}", device.name())));
        }
        let first = rows.offsets()[0];
        let offsets: Vec<u32> = rows.offsets().iter().map(|&offset| (offset - first) as u32).collect();
        let targets = &rows.targets()[first..first + rows.arcs()];
        let matrix = Self {
            device,
            size,
            stride,
            entries: device.words(wide * wide, "matrix")?,
            rows: device.words(u64::from(WAITING) * wide, "waiting rows")?,
            columns: device.words(u64::from(WAITING) * wide, "waiting columns")?,
            stamps: device.words(size as u64, "stamps")?,
            journal: device.words(journal_len(size) as u64, "journal of steps")?,
            offsets: device.words(offsets.len() as u64, "rows")?,
            targets: device.words(targets.len() as u64, "rows")?,
        };
        matrix.upload(&matrix.offsets, &offsets)?;
        matrix.upload(&matrix.targets, targets)?;
        let source = Source::new("matching fill", include_str!("fill.wgsl"), "fill")
            .include(include_str!("field.wgsl"))
            .constant("THREADS", COLUMNS)
            .reads("offsets", "u32")
            .reads("targets", "u32")
            .writes("matrix", "u32");
        let buffers = [matrix.offsets.all(), matrix.targets.all(), matrix.entries.all()];
        let mut commands = device.record();
        commands.clear(&matrix.entries, bytes);
        commands.dispatch(&*device.kernel(&source)?, size as u64, &buffers, &[size as u32, stride, key[0], key[1]])?;
        commands.submit()?;
        Ok(matrix)
    }

    /// Pivots on pairs until nothing is left between those that no pivot covers; whom pivots cover.
    fn sweep(&self) -> Result<Vec<bool>> {
        self.start(&vec![LEFT; self.size])?;
        // Half as many steps as vertices, if all of them are covered. Otherwise it takes a step for everybody who is not.
        let mut wanted = self.size.div_ceil(2);
        loop {
            self.run(wanted, Phase::Sweep)?;
            let pairs = self.pairs()?;
            let mut is_covered = vec![false; self.size];
            let covering = pairs.iter().filter(|pair| pair[1] != NOBODY);
            covering.flatten().for_each(|&v| is_covered[v as usize] = true);
            let uncovered = pairs.iter().filter(|pair| pair[1] == NOBODY).count();
            wanted = self.size - is_covered.iter().filter(|&&covered| covered).count() - uncovered;
            if wanted == 0 {
                return Ok(is_covered);
            }
        }
    }

    /// Whom some maximum matching leaves alone, after the sweep.
    fn missed(&self) -> Result<Vec<bool>> {
        let flags = self.device.words(self.size as u64, "flags")?;
        let source = Source::new("matching missed", include_str!("missed.wgsl"), "missed")
            .constant("THREADS", COLUMNS)
            .reads("matrix", "u32")
            .reads("stamps", "u32")
            .atomics("missed_flags");
        let buffers = [self.entries.all(), self.stamps.all(), flags.all()];
        let mut commands = self.device.record();
        commands.clear(&flags, 4 * self.size as u64);
        let params = [self.size as u32, self.stride];
        commands.dispatch(&*self.device.kernel(&source)?, self.size as u64, &buffers, &params)?;
        commands.submit()?;
        Ok(self.download(&flags, self.size)?.into_iter().map(|flag| flag != 0).collect())
    }

    /// A perfect matching of those who are covered, after the sweep.
    fn extract(&self, is_covered: &[bool]) -> Result<Vec<u32>> {
        let stamps: Vec<u32> = is_covered.iter().map(|&covered| if covered { LEFT } else { 0 }).collect();
        self.start(&stamps)?;
        let covered = stamps.iter().filter(|&&stamp| stamp == LEFT).count();
        self.run(covered / 2, Phase::Extraction)?;
        let mut partners = vec![NOBODY; self.size];
        for [p, q] in self.pairs()? {
            if q != NOBODY {
                (partners[p as usize], partners[q as usize]) = (q, p);
            }
        }
        Ok(partners)
    }

    /// Begins a phase: nobody but those with these stamps is taken, and there was no step.
    fn start(&self, stamps: &[u32]) -> Result<()> {
        let mut journal = vec![NOBODY; journal_len(self.size)];
        // Steps count from 1, so that a stamp of 0 was taken before; vertices are looked for from 0 on.
        journal[..COUNTERS + 1].copy_from_slice(&[1, 1, 0]);
        self.upload(&self.stamps, stamps)?;
        self.upload(&self.journal, &journal)
    }

    /// At least so many steps of a phase.
    fn run(&self, wanted: usize, phase: Phase) -> Result<()> {
        let find = steps("matching find", include_str!("find.wgsl"), "find")
            .flag("EDGES", phase == Phase::Extraction)
            .reads("offsets", "u32")
            .reads("targets", "u32")
            .reads("matrix", "u32")
            .writes("rows", "u32")
            .reads("columns", "u32")
            .atomics("stamps")
            .atomics("journal");
        let to_find = [
            self.offsets.all(),
            self.targets.all(),
            self.entries.all(),
            self.rows.all(),
            self.columns.all(),
            self.stamps.all(),
            self.journal.all(),
        ];
        let pivot = steps("matching pivot", include_str!("pivot.wgsl"), "pivot")
            .reads("matrix", "u32")
            .writes("rows", "u32")
            .writes("columns", "u32")
            .atomics("stamps")
            .atomics("journal");
        let to_pivot = [self.entries.all(), self.rows.all(), self.columns.all(), self.stamps.all(), self.journal.all()];
        let flush = Source::new("matching flush", include_str!("flush.wgsl"), "flush")
            .include(include_str!("field.wgsl"))
            .flag("SKIP", phase == Phase::Extraction)
            .constant("WAITING", WAITING)
            .constant("STAGE", STAGE)
            .constant("TILE", TILE)
            .constant("QUADS", TILE / 4)
            .constant("STAGE_QUADS", STAGE * TILE / 4)
            .constant("LOADS", STAGE * TILE / 4 / 256)
            .constant("FOUR", 4)
            .reads("rows", "vec4<u32>")
            .reads("columns", "vec4<u32>")
            .reads("journal", "u32")
            .writes("matrix", "vec4<u32>");
        let [find, pivot, flush] = [&find, &pivot, &flush].map(|source| self.device.kernel(source));
        let (find, pivot, flush) = (find?, pivot?, flush?);
        let to_flush = [self.rows.all(), self.columns.all(), self.journal.all(), self.entries.all()];
        let (groups, tiles) = (u64::from(self.stride / COLUMNS), self.stride / TILE);
        let mut blocks = wanted.div_ceil(PIVOTS as usize);
        while blocks > 0 {
            let now = blocks.min(BLOCKS as usize);
            blocks -= now;
            let mut commands = self.device.record();
            let params = [self.size as u32, self.stride];
            let find = commands.prepare(&find, groups, &to_find, &params)?;
            let pivot = commands.prepare(&pivot, groups, &to_pivot, &params)?;
            let tiled = u64::from(tiles * tiles);
            let flush = commands.prepare(&flush, tiled, &to_flush, &[self.stride / 4, tiles])?;
            let steps = repeat_n([&find, &pivot], PIVOTS as usize).flatten();
            let block: Vec<&Prepared> = steps.chain([&flush]).collect();
            commands.run(repeat_n(block, now).flatten());
            commands.submit()?;
        }
        Ok(())
    }

    /// What the steps so far did: the first vertex of each, and the second one or [`NOBODY`]. Steps that found no first vertex
    /// are left out.
    fn pairs(&self) -> Result<Vec<[u32; 2]>> {
        let journal = self.download(&self.journal, journal_len(self.size))?;
        let steps = journal[COUNTERS + 2..].chunks_exact(2).take(journal[0] as usize - 1);
        let is_step = |next: u32| next as usize <= self.size;
        Ok(steps.filter(|step| is_step(step[0])).map(|step| [step[0] - 1, step[1]]).collect())
    }

    fn upload(&self, buffer: &Buffer, words: &[u32]) -> Result<()> {
        transfer::upload_bytes(self.device, buffer, 0, bytemuck::cast_slice(words))
    }

    fn download(&self, buffer: &Buffer, words: usize) -> Result<Vec<u32>> {
        let mut out = vec![0; words];
        transfer::read_words(self.device, buffer, 0, &mut out)?;
        Ok(out)
    }
}

/// Words of a journal: there are no more steps than vertices and, as a flush has all its steps, some more. A step has two words,
/// and so has the one before the first.
fn journal_len(size: usize) -> usize {
    COUNTERS + 2 * (size.next_multiple_of(PIVOTS as usize) + 2 * PIVOTS as usize)
}

/// A kernel of a step.
fn steps(name: &'static str, text: &'static str, entry: &'static str) -> Source {
    Source::new(name, text, entry)
        .constant("THREADS", COLUMNS * SLICES)
        .constant("COLUMNS", COLUMNS)
        .constant("SLICES", SLICES)
        .constant("PIVOTS", PIVOTS)
        .constant("WAITING", WAITING)
        .include(include_str!("field.wgsl"))
        .include(include_str!("steps.wgsl"))
}
