//! An index whose keys have no type any more: what it is made of, and how batches are asked of it.

use std::sync::OnceLock;

use rayon::prelude::*;
use thalweg_arrays::rmq::{Engine, LinesOptions, expect_positions, expect_values};
use thalweg_core::bits::BitsMut;
use thalweg_core::error::try_filled;
use thalweg_core::{Coding, Error, Pairs, Position, PositionsMut, Rank, Result};

use super::batch::{Batch, Form};
use super::hierarchy::Hierarchy;
use super::in_order::Levels;
use super::inlabel::Inlabel;
use super::lines::{Changes, Lines, Shape};
use super::naive::Naive;
use super::padded_tree::PaddedTree;
use super::ray::Ray;
use crate::array::Keys;
use crate::bad_row::BadRow;
use crate::coding::KeyCode;
use crate::memory::Buffer;
use crate::recorder::{Recorder, Timing};
use crate::stream::{Looks, stream};
use crate::transfer::{self, read_word};

/// Queries of one tile of a batch that streams. An H200 takes 28.6, 21.9, 17.8 and 16.8 ms for 2^26 queries in tiles of 2^20, 2^21, 2^22 and 2^23;
/// the first time, when the host's memory for four tiles has to be found, 49 to 57, 46, 66 to 86 and 73.
const TILE: usize = 1 << 22;
/// The same where few batches are expected.
const SMALL_TILE: usize = TILE / 2;
/// Queries that are worth the memory of large tiles: five batches like those above.
const MANY: usize = 5 << 26;
/// Queries of one dispatch at most: their rows fit 32 bits, and so do the numbers of threads rounded up.
const PART: u64 = 1 << 30;

/// A range-minimum index on the device that knows no key type: see [`build`](fn@super::build).
#[derive(Debug)]
pub struct Index {
    values: Keys,
    coding: Coding,
    engine: Engine,
    /// `None` for an empty array.
    structure: Option<Structure>,
    /// The rank of every element tells its bits. Else values are fetched by position.
    faithful: bool,
    timing: Timing,
    /// Queries of a tile of a batch from the host.
    tile: usize,
    /// For elements in order, once they are asked for.
    levels: OnceLock<Levels>,
}

#[derive(Debug)]
enum Structure {
    Lines(Lines),
    Hierarchy(Hierarchy),
    PaddedTree(PaddedTree),
    Inlabel(Inlabel),
    Ray(Ray),
    Naive(Naive),
}

/// The error for an engine that GPUs do not have.
pub(super) fn expect_on_gpu(engine: Engine) -> Result<()> {
    match engine {
        Engine::Lines(_)
        | Engine::Hierarchy(_)
        | Engine::PaddedTree(_)
        | Engine::Inlabel
        | Engine::Ray(_)
        | Engine::Naive => Ok(()),
        other => Err(crate::not_on_gpu("rmq", other.name(), "lines, hierarchy, padded_tree, inlabel, ray and naive")),
    }
}

impl Index {
    /// The index over keys on the device, which it shares.
    pub(crate) fn over(values: Keys, coding: Coding, engine: Engine) -> Result<Self> {
        let shape = match engine {
            Engine::Lines(options) => Some(Shape::of(values.len(), values.words(), options.compact)),
            _ => None,
        };
        Self::with_shape(values, coding, engine, shape)
    }

    /// The index with the engine `lines` over an array that has room for so many elements.
    pub(super) fn with_room(values: Keys, room: u64, coding: Coding) -> Result<Self> {
        let engine = Engine::Lines(LinesOptions::DEFAULT);
        let shape = Shape::of(room, values.words(), false);
        Self::new(values, room, coding, engine, Some(shape))
    }

    /// The same, with sizes of the caller's for the engine `lines`.
    pub(super) fn with_shape(values: Keys, coding: Coding, engine: Engine, shape: Option<Shape>) -> Result<Self> {
        let room = values.len();
        Self::new(values, room, coding, engine, shape)
    }

    fn new(values: Keys, room: u64, coding: Coding, engine: Engine, shape: Option<Shape>) -> Result<Self> {
        expect_on_gpu(engine)?;
        let device = values.device().clone();
        // Whether a rank does not tell its key's bits, and two counts of the engine's.
        let flags = device.words(3, "flags")?;
        let mut commands = device.record();
        commands.clear(&flags, 12);
        commands.submit()?;
        let code = coding.into();
        // Whether the build looks at all keys, so that the flag tells.
        let mut inspected = true;
        let (structure, timing) = match (engine, shape) {
            _ if values.is_empty() => (None, Timing::default()),
            (Engine::Hierarchy(options), _) => {
                let (hierarchy, timing) = Hierarchy::new(&values, code, options, &flags)?;
                inspected = hierarchy.inspected();
                (Some(Structure::Hierarchy(hierarchy)), timing)
            }
            (Engine::PaddedTree(options), _) => {
                let (tree, timing) = PaddedTree::new(&values, code, options, &flags)?;
                (Some(Structure::PaddedTree(tree)), timing)
            }
            (Engine::Inlabel, _) => {
                inspected = false;
                let (inlabel, timing) = Inlabel::new(&values, coding)?;
                (Some(Structure::Inlabel(inlabel)), timing)
            }
            (Engine::Ray(options), _) => {
                let (ray, timing) = Ray::new(&values, code, options, &flags)?;
                inspected = ray.inspected();
                (Some(Structure::Ray(ray)), timing)
            }
            (_, Some(shape)) => {
                let (lines, timing) = Lines::new(&values, room, code, shape, &flags)?;
                (Some(Structure::Lines(lines)), timing)
            }
            (_, None) => {
                inspected = false;
                (Some(Structure::Naive(Naive::new(&values, code)?)), Timing::default())
            }
        };
        let faithful = !coding.is_float() || (inspected && read_word(&device, &flags, 0)? == 0);
        Ok(Self { values, coding, engine, structure, faithful, timing, tile: TILE, levels: OnceLock::new() })
    }

    /// Length of the array.
    pub fn len(&self) -> usize {
        usize::try_from(self.values.len()).unwrap_or(usize::MAX)
    }

    /// Whether the array is empty. Then every query is out of range.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Name of the engine in use.
    pub fn engine(&self) -> &'static str {
        self.engine.name()
    }

    /// What its users should know of how it answers, if anything.
    pub fn remark(&self) -> Option<&'static str> {
        match &self.structure {
            Some(Structure::Ray(ray)) if !ray.traces() => Some("no rays on this device: a tree is walked instead"),
            _ => None,
        }
    }

    /// How long the device took to build the index.
    pub fn build_time(&self) -> Timing {
        self.timing
    }

    /// Bytes that the device holds in addition to the array.
    pub fn device_bytes(&self) -> usize {
        let levels = self.levels.get().map_or(0, Levels::bytes);
        let structure = self.structure.as_ref().map_or(0, |structure| match structure {
            Structure::Lines(lines) => lines.bytes(),
            Structure::Hierarchy(hierarchy) => hierarchy.bytes(),
            Structure::PaddedTree(tree) => tree.bytes(),
            Structure::Inlabel(inlabel) => inlabel.bytes(),
            Structure::Ray(ray) => ray.bytes(),
            Structure::Naive(_) => 0,
        });
        (structure + levels) as usize
    }

    pub(super) fn coding(&self) -> Coding {
        self.coding
    }

    pub(super) fn keys(&self) -> &Keys {
        &self.values
    }

    /// Sets elements, which are inside the array, of an index with the engine `lines`. `faithful`: the ranks of the new ones
    /// tell their bits. `beside` is done once the device is at work.
    pub(super) fn set(&mut self, changes: &Changes<'_>, faithful: bool, beside: impl FnOnce()) -> Result<Timing> {
        self.faithful &= faithful;
        self.levels = OnceLock::new();
        let Some(Structure::Lines(lines)) = &mut self.structure else { return Ok(Timing::default()) };
        lines.set(&self.values, changes, beside)
    }

    /// Follows elements that were appended, for which there is room: the array with them.
    pub(super) fn append(&mut self, values: Keys, faithful: bool) -> Result<Timing> {
        let old = std::mem::replace(&mut self.values, values).len();
        self.faithful &= faithful;
        self.levels = OnceLock::new();
        let Some(Structure::Lines(lines)) = &mut self.structure else { return Ok(Timing::default()) };
        lines.append(&self.values, old)
    }

    /// What kernels must know of the coding.
    pub(super) fn code(&self) -> KeyCode {
        self.coding.into()
    }

    /// The layers for elements in order, which are made when they are first asked for.
    pub(super) fn levels(&self) -> Result<&Levels> {
        if self.levels.get().is_none() {
            let made = Levels::new(&self.values, self.code())?;
            // Whoever comes second drops what he made.
            let _ = self.levels.set(made);
        }
        Ok(self.levels.get().expect("they have been made"))
    }

    /// Ranges that are walked together, where elements are told in order.
    pub(super) fn in_order_room(&self) -> usize {
        // Lists of them, and of the nodes over them, are a buffer each.
        let most = self.values.device().limits().binding_bytes / 16;
        self.tile.min(usize::try_from(most).unwrap_or(usize::MAX)).max(1)
    }

    /// Queries of a tile of a batch from the host.
    pub(super) fn tile(&self) -> usize {
        self.tile
    }

    /// The same index for so many queries in all, 0 if that is not known: where these are few, their tiles are smaller, and take less memory of the host.
    pub fn expecting(mut self, queries: usize) -> Self {
        if (1..MANY).contains(&queries) {
            self.tile = SMALL_TILE;
        }
        self
    }

    pub(super) fn set_tile(&mut self, queries: usize) {
        self.tile = queries.clamp(1, TILE << 4);
    }

    /// Positions of the best elements of ranges from the host, both bounds inclusive.
    pub(super) fn positions(&self, queries: Pairs<'_>, out: PositionsMut<'_>) -> Result<()> {
        expect_positions(queries, &out)?;
        match (queries, out) {
            (Pairs::U32(queries), PositionsMut::U32(out)) => {
                self.expect_width::<u32>()?;
                self.streamed(queries, out, Form::Position)
            }
            (Pairs::U64(queries), PositionsMut::U64(out)) => self.streamed(queries, out, Form::Position),
            _ => unreachable!("queries and positions have one width"),
        }
    }

    /// The bits of the best elements of ranges from the host.
    pub(super) fn values(&self, queries: Pairs<'_>, out: BitsMut<'_>) -> Result<()> {
        expect_values(queries, &out, self.coding.bytes())?;
        match out {
            BitsMut::U8(out) => self.narrow_values(queries, out),
            BitsMut::U16(out) => self.narrow_values(queries, out),
            BitsMut::U32(out) => self.streamed_values(queries, out),
            BitsMut::U64(out) => self.streamed_values(queries, out),
        }
    }

    /// Keys that take a word on the device and less than that here.
    fn narrow_values<R: Rank>(&self, queries: Pairs<'_>, out: &mut [R]) -> Result<()> {
        let mut words = try_filled(out.len(), 0u32, "values")?;
        self.streamed_values(queries, &mut words)?;
        let pairs = out.par_iter_mut().with_min_len(1 << 16).zip(words);
        pairs.for_each(|(out, word)| *out = R::from_u64(word.into()));
        Ok(())
    }

    fn streamed_values<O: bytemuck::Pod + Send>(&self, queries: Pairs<'_>, out: &mut [O]) -> Result<()> {
        match queries {
            Pairs::U32(queries) => self.streamed(queries, out, self.value_form()),
            Pairs::U64(queries) => self.streamed(queries, out, self.value_form()),
        }
    }

    /// Whether positions of this type can number the elements.
    pub(super) fn expect_width<P: Position>(&self) -> Result<()> {
        if P::fits(self.len()) { Ok(()) } else { Err(Error::Width { len: self.len(), got: P::NAME }) }
    }

    /// Whether all ranges are inside the array, and their positions leave a number for "none".
    pub(super) fn expect_ranges(&self, queries: Pairs<'_>) -> Result<()> {
        match queries {
            Pairs::U32(queries) => {
                self.expect_width::<u32>()?;
                first_bad_query(queries, self.len())
            }
            Pairs::U64(queries) => first_bad_query(queries, self.len()),
        }
    }

    fn value_form(&self) -> Form {
        if self.faithful { Form::Rank } else { Form::Fetched }
    }

    /// Answers a batch from the host with answers of type `O`.
    fn streamed<P: Position, O: bytemuck::Pod + Send>(
        &self,
        queries: &[[P; 2]],
        out: &mut [O],
        form: Form,
    ) -> Result<()> {
        let len = self.len();
        if self.structure.is_none() {
            return first_bad_query(queries, len);
        }
        let device = self.values.device();
        let part = PART as usize;
        for (part, (queries, out)) in queries.chunks(part).zip(out.chunks_mut(part)).enumerate() {
            let (bad_row, mut rows) = (BadRow::new(device)?, 0..0);
            stream(device, queries, out, (self.tile, Looks::Once), |commands, input, output, count| {
                rows = rows.end..rows.end + count as u32;
                bad_row.watch(commands, rows.clone(), queries.len(), |commands, bad_row| {
                    let batch = Batch {
                        form,
                        wide: size_of::<P>() == 8,
                        queries: input,
                        out: output,
                        bad_row,
                        count: count as u32,
                        row: rows.start,
                        single_reads: false,
                        pairs: false,
                    };
                    self.record(commands, &batch)
                })
            })?;
            if let Some(row) = bad_row.first(device)? {
                let [left, right] = queries[row].map(|bound| bound.get() as u64);
                return Err(Error::Query { row: part * PART as usize + row, left, right, len });
            }
        }
        Ok(())
    }

    /// Positions for a batch on the device: left and right bounds in turn, of the positions' width.
    pub(crate) fn positions_on_device(&self, queries: &Keys, out: &Keys) -> Result<Timing> {
        self.on_device(queries, out, Form::Position)
    }

    /// Values for a batch on the device.
    pub(crate) fn values_on_device(&self, queries: &Keys, out: &Keys) -> Result<Timing> {
        self.on_device(queries, out, self.value_form())
    }

    fn on_device(&self, queries: &Keys, out: &Keys, form: Form) -> Result<Timing> {
        let device = self.values.device();
        let count = queries.len() / 2;
        if out.len() != count {
            let (expected, got) = (count as usize, out.len() as usize);
            return Err(Error::Length { what: "output of the batch", expected, got });
        }
        if count == 0 {
            return Ok(Timing::default());
        }
        let (query, result) = (2 * queries.bytes(), out.bytes());
        let bad_row = device.words(1, "bad rows")?;
        let mut total = Timing::default();
        // Parts that lie in one buffer of either array.
        let mut start = 0;
        while start < count {
            let (input, input_at, input_left) = place(queries, 2 * start);
            let (output, output_at, output_left) = place(out, start);
            let part = (input_left / 2).min(output_left).min(PART).min(count - start);
            let mut commands = device.record();
            commands.clear(&bad_row, 4);
            commands.start_clock();
            self.record(
                &mut commands,
                &Batch {
                    form,
                    wide: queries.words() == 2,
                    queries: input.part(input_at * query / 2, part * query),
                    out: output.part(output_at * result, part * result),
                    bad_row: &bad_row,
                    count: part as u32,
                    row: 0,
                    single_reads: false,
                    pairs: false,
                },
            )?;
            total.device += commands.submit_timed()?.device;
            let bad = read_word(device, &bad_row, 0)?;
            if bad != 0 || self.structure.is_none() {
                let row = if bad == 0 { 0 } else { u64::from(!bad) };
                let mut bounds = [0u64; 2];
                transfer::download(device, input, input_at * query / 2 + row * query, query, |_, bytes| {
                    for (bound, bytes) in bounds.iter_mut().zip(bytes.chunks_exact(query as usize / 2)) {
                        *bound = bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte));
                    }
                })?;
                let [left, right] = bounds;
                return Err(Error::Query { row: (start + row) as usize, left, right, len: self.len() });
            }
            start += part;
        }
        Ok(total)
    }

    /// Records the values of ranges that are known to be good, `count` pairs of 32-bit positions.
    pub(crate) fn record_values(
        &self,
        commands: &mut Recorder<'_>,
        ranges: &Buffer,
        out: &Buffer,
        bad_row: &Buffer,
        count: u32,
    ) -> Result<()> {
        let (queries, out) = (ranges.all(), out.all());
        let form = self.value_form();
        self.record(
            commands,
            &Batch { form, wide: false, queries, out, bad_row, count, row: 0, single_reads: false, pairs: false },
        )
    }

    fn record(&self, commands: &mut Recorder<'_>, batch: &Batch<'_>) -> Result<()> {
        match &self.structure {
            None => Ok(()),
            Some(Structure::Lines(lines)) => lines.dispatch(&self.values, commands, batch),
            Some(Structure::Hierarchy(hierarchy)) => hierarchy.dispatch(&self.values, commands, batch),
            Some(Structure::PaddedTree(tree)) => tree.dispatch(&self.values, commands, batch),
            Some(Structure::Inlabel(inlabel)) => inlabel.dispatch(&self.values, commands, batch),
            Some(Structure::Ray(ray)) => ray.dispatch(&self.values, commands, batch),
            Some(Structure::Naive(naive)) => naive.dispatch(&self.values, commands, batch),
        }
    }
}

/// The error for the first query that is not inside an array of `len` elements, if there is one.
fn first_bad_query<P: Position>(queries: &[[P; 2]], len: usize) -> Result<()> {
    match queries.par_iter().position_first(|&[l, r]| l > r || r.get() >= len) {
        None => Ok(()),
        Some(row) => {
            let [left, right] = queries[row].map(|bound| bound.get() as u64);
            Err(Error::Query { row, left, right, len })
        }
    }
}

/// The buffer that holds element `i` of an array, where in it, and how many elements it holds from there on.
fn place(array: &Keys, i: u64) -> (&Buffer, u64, u64) {
    let (start, end, buffer) =
        array.pieces().find(|&(start, end, _)| (start..end).contains(&i)).expect("the element is inside the array");
    (buffer, i - start, end - i)
}
