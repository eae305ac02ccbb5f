//! Range minimum queries (RMQ) on the device.
//!
//! [`Builder`] chooses order, engine and options, and builds a [`GpuRmq`] from a slice or from an array that is on the
//! device already. Batches come from the host, in tiles that go up, run and come back beside each other, or lie on the
//! device. As an engine of [`thalweg_core::Rmq`] it answers like those on the CPU: bit for bit, the leftmost position on ties.
//!
//! | engine | idea | extra memory | query | source |
//! |---|---|---|---|---|
//! | `lines` (default) | minima of lines, opened only where they can matter, under a small table | 5 to 23 % | O(1), mostly from cache | this project |
//! | `hierarchy` | minima of chunks of c, of those again, down to t chunks | n/(c-1) keys and positions | O(c log n + ct) | GPU-RMQ, Kreis et al. 2026 |
//! | `padded_tree` | codes of the Cartesian trees of blocks, packed tables over them | 4.1 bits an element | O(1), mostly from cache | Soman et al. 2012 |
//! | `inlabel` | lowest common ancestors in the Cartesian tree | 24 bytes an element | O(1), 2 to 4 random reads | Schieber, Vishkin 1988, Ryssel 2025 |
//! | `scan` | scans the range | none | O(n) | the oracle |

mod batch;
mod hierarchy;
mod inlabel;
mod lines;
mod naive;
mod padded_tree;
mod sparse_table;

use std::borrow::Cow;

use rayon::prelude::*;
use thalweg_arrays::rmq::{ArgminBatch, PaddedTreeOptions, Queries, Position, RmqEngine};
use thalweg_core::{Error, Key, Order, Position, Result, Rmq, engine_names};

use self::batch::{Batch, Form};
use self::hierarchy::Hierarchy;
pub use self::hierarchy::{Assignment, Load};
use self::inlabel::Inlabel;
use self::lines::Lines;
#[doc(hidden)]
pub use self::lines::Shape;
use self::naive::Scan;
use self::padded_tree::PaddedTree;
use crate::array::DeviceArray;
use crate::coding::{self, Coding};
use crate::device::Device;
use crate::memory::Buffer;
use crate::recorder::{Recorder, Timing};
use crate::stream::stream;
use crate::transfer::{self, read_word};

/// Queries of one tile of a batch that streams. An H200 takes 28.5, 25.6 and 24.1 ms for 2^26 queries in tiles of 2^21,
/// 2^22 and 2^23; the tiles under way take 400 MB with 2^22.
const TILE: usize = 1 << 22;
/// Queries of one dispatch at most: their rows fit 32 bits, and so do the numbers of threads rounded up.
const PART: u64 = 1 << 30;

engine_names! {
    /// The RMQ engines of this crate. See the [module's table](self).
    "rmq on the device": Engine {
        /// Minima of lines, opened only where they can matter. The default.
        Lines = "lines",
        /// Layers of minima: GPU-RMQ's structure, with its four kernels. Options [`Builder::chunk`], [`Builder::group`],
        /// [`Builder::threshold`], [`Builder::load`] and [`Builder::assignment`].
        Hierarchy = "hierarchy",
        /// Codes of the Cartesian trees of blocks and packed tables over them: 4.1 bits an element. Options
        /// [`Builder::block`], [`Builder::superblock`] and [`Builder::dictionary`].
        PaddedTree = "padded_tree",
        /// Lowest common ancestors in the Cartesian tree, of at most 2^31 - 1 elements.
        Inlabel = "inlabel",
        /// Scans the range. The oracle of the tests.
        Scan = "scan",
    }
}

/// Chooses order, engine and options of a range-minimum index on the device.
///
/// ```no_run
/// use thalweg_core::Order;
/// use thalweg_gpu::{Choice, Device, rmq::Builder};
/// let device = Device::open(&Choice::Auto)?;
/// let highest = Builder::new().order(Order::Max).build(&device, &[2.0, 9.0, 9.0, 4.0])?;
/// let mut positions = [0u32; 2];
/// highest.argmin_batch(&[[0, 3], [2, 3]], &mut positions)?;
/// assert_eq!(positions, [1, 2]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Builder {
    order: Order,
    engine: Option<Engine>,
    compact: bool,
    shape: Option<Shape>,
    hierarchy: hierarchy::Options,
    padded_tree: PaddedTreeOptions,
}

impl Builder {
    /// Minimum, default engine.
    pub fn new() -> Self {
        Self::default()
    }

    /// Minimum or maximum.
    pub fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// Chooses the engine; `None` leaves the choice to the library.
    pub fn engine(mut self, engine: impl Into<Option<Engine>>) -> Self {
        self.engine = engine.into();
        self
    }

    /// Lets [`Engine::Lines`] choose less memory (some 6 %) over speed. Other engines ignore it.
    pub fn compact(mut self, compact: bool) -> Self {
        self.compact = compact;
        self
    }

    /// Entries of a chunk in the layers of [`Engine::Hierarchy`], a power of two from 4 to 1024; `None` leaves the choice
    /// to the library. Other engines ignore it.
    pub fn chunk(mut self, chunk: impl Into<Option<u32>>) -> Self {
        self.hierarchy.chunk = chunk.into();
        self
    }

    /// Threads that share a query in [`Engine::Hierarchy`], a power of two up to the size of a subgroup.
    pub fn group(mut self, group: impl Into<Option<u32>>) -> Self {
        self.hierarchy.group = group.into();
        self
    }

    /// Chunks of the top layer of [`Engine::Hierarchy`] at most, at least 1.
    pub fn threshold(mut self, threshold: impl Into<Option<u32>>) -> Self {
        self.hierarchy.threshold = threshold.into();
        self
    }

    /// How threads read the layers of [`Engine::Hierarchy`].
    pub fn load(mut self, load: impl Into<Option<Load>>) -> Self {
        self.hierarchy.load = load.into();
        self
    }

    /// How threads come by their query in [`Engine::Hierarchy`].
    pub fn assignment(mut self, assignment: impl Into<Option<Assignment>>) -> Self {
        self.hierarchy.assignment = assignment.into();
        self
    }

    /// Elements of a block of [`Engine::PaddedTree`]: 4, 8 or 16; `None` leaves the choice to the library, which is 16.
    pub fn block(mut self, elements: impl Into<Option<usize>>) -> Self {
        self.padded_tree.block = elements.into();
        self
    }

    /// Blocks of a superblock of [`Engine::PaddedTree`]: 16, 32 or 64; `None` leaves the choice to the library, which is
    /// 64.
    pub fn superblock(mut self, blocks: impl Into<Option<usize>>) -> Self {
        self.padded_tree.superblock = blocks.into();
        self
    }

    /// Bits of the strings that the dictionary of [`Engine::PaddedTree`] knows: 2, 4 or 8; `None` leaves the choice to the
    /// library, which is 8.
    pub fn dictionary(mut self, bits: impl Into<Option<usize>>) -> Self {
        self.padded_tree.dictionary = bits.into();
        self
    }

    /// Sizes of [`Engine::Lines`], for measurements and tests.
    #[doc(hidden)]
    pub fn shape(mut self, shape: impl Into<Option<Shape>>) -> Self {
        self.shape = shape.into();
        self
    }

    /// The engine that would be built.
    pub fn chosen(&self) -> Engine {
        self.engine.unwrap_or(Engine::Lines)
    }

    /// Copies a slice to the device and builds the index over it. The slice, borrowed or owned, is kept: single queries
    /// are answered from it should the device fail.
    pub fn build<'a, K: Key>(&self, device: &Device, array: impl Into<Cow<'a, [K]>>) -> Result<GpuRmq<'a, K>> {
        let array = array.into();
        let mut rmq = self.build_on_device(device.upload(&array)?)?;
        rmq.host = Some(array);
        Ok(rmq)
    }

    /// Builds the index over an array on the device, which it shares.
    pub fn build_on_device<K: Key>(&self, values: DeviceArray<K>) -> Result<GpuRmq<'static, K>> {
        let device = values.device().clone();
        // Whether a rank does not tell its key's bits, and two counts of the engine's.
        let flags = device.words(3, "flags")?;
        let mut commands = device.record();
        commands.clear(&flags, 12);
        commands.submit()?;
        let coding = Coding::of::<K>(self.order);
        // Whether the build looks at all keys, so that the flag tells.
        let mut inspected = true;
        let (structure, timing) = if values.is_empty() {
            (None, Timing::default())
        } else {
            match self.chosen() {
                Engine::Lines => {
                    let shape =
                        self.shape.unwrap_or_else(|| Shape::of(values.len(), coding::words::<K>(), self.compact));
                    let (lines, timing) = Lines::new(&values, self.order, shape, &flags)?;
                    (Some(Structure::Lines(lines)), timing)
                }
                Engine::Hierarchy => {
                    let (hierarchy, timing) = Hierarchy::new(&values, self.order, self.hierarchy, &flags)?;
                    inspected = hierarchy.inspected();
                    (Some(Structure::Hierarchy(hierarchy)), timing)
                }
                Engine::PaddedTree => {
                    let (tree, timing) = PaddedTree::new(&values, self.order, self.padded_tree, &flags)?;
                    (Some(Structure::PaddedTree(tree)), timing)
                }
                Engine::Inlabel => {
                    inspected = false;
                    let (inlabel, timing) = Inlabel::new(&values, self.order)?;
                    (Some(Structure::Inlabel(inlabel)), timing)
                }
                Engine::Scan => {
                    inspected = false;
                    (Some(Structure::Scan(Scan::new(&values, coding)?)), Timing::default())
                }
            }
        };
        let faithful = !coding.float || (inspected && read_word(&device, &flags, 0)? == 0);
        Ok(GpuRmq {
            values,
            structure,
            faithful,
            order: self.order,
            engine: self.chosen(),
            host: None,
            timing,
            tile: TILE,
        })
    }
}

#[derive(Debug)]
enum Structure {
    Lines(Lines),
    Hierarchy(Hierarchy),
    PaddedTree(PaddedTree),
    Inlabel(Inlabel),
    Scan(Scan),
}

/// A range-minimum index on the device.
///
/// With [`Order::Max`] read "largest" for "smallest" everywhere. Ties go to the leftmost position.
#[derive(Debug)]
pub struct GpuRmq<'a, K: Key> {
    values: DeviceArray<K>,
    /// `None` for an empty array.
    structure: Option<Structure>,
    /// The rank of every element tells its bits. Else values are fetched by position.
    faithful: bool,
    order: Order,
    engine: Engine,
    host: Option<Cow<'a, [K]>>,
    timing: Timing,
    /// Queries of a tile of a batch from the host.
    tile: usize,
}

/// The error for the first query that is not inside an array of `len` elements, if there is one.
fn first_bad_query<P: Position>(queries: &[[P; 2]], len: usize) -> Result<()> {
    match queries.par_iter().position_first(|&[l, r]| l > r || r.get() >= len) {
        None => Ok(()),
        Some(row) => {
            let [l, r] = queries[row];
            Err(Error::Query { row, left: l.get() as u64, right: r.get() as u64, len })
        }
    }
}

/// Positions that a query is made of, as bytes for the device.
trait Bound: Position + bytemuck::Pod {
    const WIDE: bool;
}
impl Bound for u32 {
    const WIDE: bool = false;
}
impl Bound for u64 {
    const WIDE: bool = true;
}

impl<'a, K: Key> GpuRmq<'a, K> {
    /// Length of the array.
    pub fn len(&self) -> u64 {
        self.values.len()
    }

    /// Whether the array is empty. Then every query is out of range.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The engine in use.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// Whether minima or maxima are answered.
    pub fn order(&self) -> Order {
        self.order
    }

    /// The array on the device.
    pub fn values(&self) -> &DeviceArray<K> {
        &self.values
    }

    /// How long the device took to build the index.
    pub fn build_time(&self) -> Timing {
        self.timing
    }

    /// Bytes that the device holds in addition to the array.
    pub fn device_bytes(&self) -> u64 {
        self.structure.as_ref().map_or(0, |s| match s {
            Structure::Lines(lines) => lines.bytes(),
            Structure::Hierarchy(hierarchy) => hierarchy.bytes(),
            Structure::PaddedTree(tree) => tree.bytes(),
            Structure::Inlabel(inlabel) => inlabel.bytes(),
            Structure::Scan(_) => 0,
        })
    }

    /// Queries that go to the device at a time, for measurements and tests.
    #[doc(hidden)]
    pub fn set_tile(&mut self, tile: usize) {
        self.tile = tile.clamp(1, TILE << 4);
    }

    /// Turns it into an index of the main crate, with this one as its engine.
    ///
    /// ```no_run
    /// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
    /// let rmq = thalweg_gpu::rmq::Builder::new().build(&device, &[3, 1, 2])?.into_rmq();
    /// assert_eq!(rmq.argmin(..), Some(1));
    /// # Ok::<(), thalweg_core::Error>(())
    /// ```
    pub fn into_rmq(self) -> Rmq<'a, K> {
        let (len, order) = (self.len() as usize, self.order);
        Rmq::from_engine(Box::new(self), len, order)
    }

    /// Positions of the minima of a batch of ranges `[left, right]`, both inclusive; the error names the first bad one.
    pub fn argmin_batch<P: Position>(&self, queries: &[[P; 2]], out: &mut [P]) -> Result<()> {
        same_len(queries.len() as u64, out.len() as u64)?;
        RmqEngine::argmin_batch(self, P::argmin_batch(queries, out))
    }

    /// The minima of a batch of ranges.
    pub fn min_batch<P: Position>(&self, queries: &[[P; 2]], out: &mut [K]) -> Result<()> {
        same_len(queries.len() as u64, out.len() as u64)?;
        RmqEngine::min_batch(self, P::queries(queries), out)
    }

    /// Positions of the minima of a batch on the device: `queries` holds left and right bounds in turn. Both are `u32` or
    /// both `u64`.
    ///
    /// ```no_run
    /// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
    /// let rmq = thalweg_gpu::rmq::Builder::new().build(&device, &[3, 1, 2])?;
    /// let (queries, out) = (device.upload(&[0u32, 2, 2, 2])?, device.allocate::<u32>(2)?);
    /// rmq.argmin_on_device(&queries, &out)?;
    /// assert_eq!(out.to_vec()?, [1, 2]);
    /// # Ok::<(), thalweg_core::Error>(())
    /// ```
    pub fn argmin_on_device<P: Position + Key>(
        &self,
        queries: &DeviceArray<P>,
        out: &DeviceArray<P>,
    ) -> Result<Timing> {
        if !P::fits(self.len() as usize) {
            return Err(Error::Width { len: self.len() as usize, got: P::NAME });
        }
        self.on_device(queries, out, Form::Position)
    }

    /// The minima of a batch on the device.
    pub fn min_on_device<P: Position + Key>(
        &self,
        queries: &DeviceArray<P>,
        out: &DeviceArray<K>,
    ) -> Result<Timing> {
        self.on_device(queries, out, self.value_form())
    }

    fn value_form(&self) -> Form {
        if self.faithful { Form::Rank } else { Form::Fetched }
    }

    fn on_device<P: Key, O: Key>(&self, queries: &DeviceArray<P>, out: &DeviceArray<O>, form: Form) -> Result<Timing> {
        let device = self.values.device();
        let count = queries.len() / 2;
        same_len(count, out.len())?;
        if count == 0 {
            return Ok(Timing::default());
        }
        // The array's own words are the width: u32 or u64.
        let wide = coding::words::<P>() == 2;
        let (query, result) = (2 * coding::bytes::<P>(), coding::bytes::<O>());
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
                    wide,
                    queries: input.part(input_at * query / 2, part * query),
                    out: output.part(output_at * result, part * result),
                    bad_row: &bad_row,
                    count: part as u32,
                    row: 0,
                    single_reads: false,
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
                return Err(Error::Query { row: (start + row) as usize, left, right, len: self.len() as usize });
            }
            start += part;
        }
        Ok(total)
    }

    /// Records the minima of ranges that are known to be good, `count` pairs of 32-bit positions.
    pub(crate) fn record_minima(
        &self,
        commands: &mut Recorder<'_>,
        ranges: &Buffer,
        out: &Buffer,
        bad_row: &Buffer,
        count: u32,
    ) -> Result<()> {
        let (queries, out) = (ranges.all(), out.all());
        let form = self.value_form();
        self.record(commands, &Batch { form, wide: false, queries, out, bad_row, count, row: 0, single_reads: false })
    }

    fn record(&self, commands: &mut Recorder<'_>, batch: &Batch<'_>) -> Result<()> {
        match &self.structure {
            None => Ok(()),
            Some(Structure::Lines(lines)) => lines.dispatch(&self.values, commands, batch),
            Some(Structure::Hierarchy(hierarchy)) => hierarchy.dispatch(&self.values, commands, batch),
            Some(Structure::PaddedTree(tree)) => tree.dispatch(&self.values, commands, batch),
            Some(Structure::Inlabel(inlabel)) => inlabel.dispatch(&self.values, commands, batch),
            Some(Structure::Scan(scan)) => scan.dispatch(&self.values, commands, batch),
        }
    }

    /// Answers a batch from the host with answers of type `O`.
    fn streamed<P: Bound, O: bytemuck::Pod + Send>(&self, queries: &[[P; 2]], out: &mut [O], form: Form) -> Result<()> {
        let len = self.len() as usize;
        if self.structure.is_none() {
            return first_bad_query(queries, len);
        }
        let device = self.values.device();
        let bad_row = device.words(1, "bad rows")?;
        let part = PART as usize;
        for (part, (queries, out)) in queries.chunks(part).zip(out.chunks_mut(part)).enumerate() {
            let mut commands = device.record();
            commands.clear(&bad_row, 4);
            commands.submit()?;
            let mut row = 0;
            stream(device, queries, out, self.tile, |commands, input, output, count| {
                let batch = Batch {
                    form,
                    wide: P::WIDE,
                    queries: input.all(),
                    out: output.all(),
                    bad_row: &bad_row,
                    count: count as u32,
                    row,
                    single_reads: false,
                };
                row += count as u32;
                self.record(commands, &batch)
            })?;
            let bad = read_word(device, &bad_row, 0)?;
            if bad != 0 {
                let [left, right] = queries[!bad as usize].map(|bound| bound.get() as u64);
                return Err(Error::Query { row: part * PART as usize + !bad as usize, left, right, len });
            }
        }
        Ok(())
    }

    fn argmins<P: Bound>(&self, queries: &[[P; 2]], out: &mut [P]) -> Result<()> {
        if !P::fits(self.len() as usize) {
            return Err(Error::Width { len: self.len() as usize, got: P::NAME });
        }
        self.streamed(queries, out, Form::Position)
    }

    fn minima<P: Bound>(&self, queries: &[[P; 2]], out: &mut [K]) -> Result<()> {
        let form = self.value_form();
        match coding::as_bytes_mut(out) {
            Some(bytes) if size_of::<K>() == 4 => {
                self.streamed(queries, bytemuck::cast_slice_mut::<u8, u32>(bytes), form)
            }
            Some(bytes) => self.streamed(queries, bytemuck::cast_slice_mut::<u8, u64>(bytes), form),
            None => {
                let mut words = Vec::new();
                let bytes = 4 * out.len();
                words.try_reserve_exact(out.len()).map_err(|_| Error::OutOfMemory { bytes, what: "minima" })?;
                words.resize(out.len(), 0u32);
                self.streamed(queries, &mut words, form)?;
                out.par_iter_mut()
                    .with_min_len(1 << 16)
                    .zip(words)
                    .for_each(|(key, word)| *key = K::from_low_bits(word.into()));
                Ok(())
            }
        }
    }

    /// The leftmost best position of a range of the slice that the index was built from.
    fn scan(&self, left: usize, right: usize) -> Option<usize> {
        let slice = &self.host.as_ref()?[left..=right];
        // The first one of several least elements is returned.
        slice.iter().enumerate().min_by_key(|(_, key)| key.rank(self.order)).map(|(i, _)| left + i)
    }
}

fn same_len(queries: u64, out: u64) -> Result<()> {
    if queries == out {
        return Ok(());
    }
    Err(Error::Length { what: "output of queries", expected: queries as usize, got: out as usize })
}

/// The buffer that holds element `i` of an array, where in it, and how many elements it holds from there on.
fn place<P: Key>(array: &DeviceArray<P>, i: u64) -> (&Buffer, u64, u64) {
    let (start, end, buffer) =
        array.pieces().find(|&(start, end, _)| (start..end).contains(&i)).expect("the element is inside the array");
    (buffer, i - start, end - i)
}

impl<K: Key> RmqEngine<K> for GpuRmq<'_, K> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn extra_bytes(&self) -> usize {
        self.device_bytes() as usize
    }

    fn argmin(&self, left: usize, right: usize) -> usize {
        let mut out = [0u64];
        match self.argmins(&[[left as u64, right as u64]], &mut out) {
            Ok(()) => out[0] as usize,
            Err(e) => self.scan(left, right).unwrap_or_else(|| panic!("{e}")),
        }
    }

    fn min(&self, left: usize, right: usize) -> Option<K> {
        let mut out = [K::default()];
        match self.minima(&[[left as u64, right as u64]], &mut out) {
            Ok(()) => Some(out[0]),
            Err(e) => match (self.scan(left, right), &self.host) {
                (Some(i), Some(host)) => Some(host[i]),
                _ => panic!("{e}"),
            },
        }
    }

    fn argmin_batch(&self, batch: ArgminBatch<'_>) -> Result<()> {
        match batch {
            ArgminBatch::U32(queries, out) => self.argmins(queries, out),
            ArgminBatch::U64(queries, out) => self.argmins(queries, out),
        }
    }

    fn min_batch(&self, queries: Queries<'_>, out: &mut [K]) -> Result<()> {
        match queries {
            Queries::U32(queries) => self.minima(queries, out),
            Queries::U64(queries) => self.minima(queries, out),
        }
    }
}
