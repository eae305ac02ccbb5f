//! Lowest common ancestors (LCA) on the device.
//!
//! [`Builder`] chooses the engine and builds an [`Lca`] of a [`Forest`] or of a [`Cartesian`] tree. Batches lie on
//! the device, or come from the host in tiles that go up, run and come back beside each other. As an engine of
//! [`thalweg_trees::tree::Lca`] it answers like those on the CPU. Nodes of different trees have no common ancestor: the
//! answer is `u32::MAX`.
//!
//! | engine | idea | memory a node | query | source |
//! |---|---|---|---|---|
//! | `inlabel` (default) | labels of paths that tell where two ways up meet | 24 bytes | 2 to 4 random reads | Schieber, Vishkin 1988 |
//! | `euler_rmq` | range minimum over the parents' places in preorder | 12 bytes and the index | a range minimum and 3 random reads | Bender, Farach-Colton 2000 |

mod batch;
mod euler_rmq;
mod inlabel;

use thalweg_trees::tree::lca::LcaEngine;
use thalweg_core::{Error, Result, engine_names};

use self::batch::Batch;
use self::euler_rmq::EulerRmq;
use super::forest::Forest;
use super::tour::Tour;
use crate::array::DeviceArray;
use crate::cartesian::Cartesian;
use crate::device::Device;
use crate::inlabel::Inlabel;
use crate::memory::Buffer;
use crate::recorder::{Recorder, Timing};
use crate::rmq;
use crate::stream::stream;
use crate::transfer::read_word;

engine_names! {
    /// The LCA engines of this crate. See the [module's table](self).
    "lca on the device": Engine {
        /// Labels of paths. The default.
        Inlabel = "inlabel",
        /// Range minima over the Euler tour.
        EulerRmq = "euler_rmq",
    }
}

/// Queries of one tile of a batch that streams: as for range minima.
const TILE: usize = 1 << 22;
/// Queries of one dispatch at most.
const PART: usize = 1 << 30;

/// Chooses the engine of an LCA index.
///
/// ```no_run
/// use thalweg_gpu::{Choice, Device, tree::{Forest, lca}};
/// let device = Device::open(&Choice::Auto)?;
/// // 2 is the root of 0, 3 and 4, 0 that of 1; 5 is alone.
/// let forest = Forest::from_parents(device.upload(&[2, 0, 2, 2, 2, u32::MAX])?)?;
/// let lca = lca::Builder::new().build(&forest)?;
/// let mut out = [0; 3];
/// lca.batch(&[[1, 3], [1, 0], [4, 5]], &mut out)?;
/// assert_eq!(out, [2, 0, u32::MAX]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Builder {
    engine: Option<Engine>,
    rmq: rmq::Builder,
}

impl Builder {
    /// The default engine.
    pub fn new() -> Self {
        Self::default()
    }

    /// Chooses the engine; `None` leaves the choice to the library.
    pub fn engine(mut self, engine: impl Into<Option<Engine>>) -> Self {
        self.engine = engine.into();
        self
    }

    /// The range-minimum index of [`Engine::EulerRmq`].
    pub fn rmq(mut self, rmq: rmq::Builder) -> Self {
        self.rmq = rmq;
        self
    }

    /// The engine that would be built.
    pub fn chosen(&self) -> Engine {
        self.engine.unwrap_or(Engine::Inlabel)
    }

    /// The index of a forest, with its Euler tour.
    pub fn build(&self, forest: &Forest) -> Result<Lca> {
        self.build_with(forest, &forest.tour()?)
    }

    /// The index of a forest whose tour is known.
    pub fn build_with(&self, forest: &Forest, tour: &Tour) -> Result<Lca> {
        let (device, len) = (forest.device(), forest.len());
        if tour.preorder.len() != len {
            let got = tour.preorder.len() as usize;
            return Err(Error::Length { what: "tour", expected: len as usize, got });
        }
        let structure = match self.chosen() {
            Engine::Inlabel => Structure::Inlabel(inlabel::of_tour(forest, tour)?),
            Engine::EulerRmq => Structure::EulerRmq(Box::new(EulerRmq::new(forest, tour, self.rmq)?)),
        };
        Ok(Lca { device: device.clone(), len, structure, tile: TILE })
    }

    /// The index of a Cartesian tree: the lowest common ancestor of two elements is the leftmost best one of the
    /// range between them. [`Engine::Inlabel`] needs no Euler tour for it.
    pub fn build_cartesian(&self, tree: &Cartesian) -> Result<Lca> {
        let device = tree.device();
        match self.chosen() {
            Engine::Inlabel => {
                let mut commands = device.record();
                let inlabel = tree.record_inlabel(&mut commands)?;
                commands.submit()?;
                let (device, structure) = (device.clone(), Structure::Inlabel(inlabel));
                Ok(Lca { device, len: tree.len(), structure, tile: TILE })
            }
            Engine::EulerRmq => self.build(&tree.forest()?),
        }
    }
}

#[derive(Debug)]
enum Structure {
    Inlabel(Inlabel),
    EulerRmq(Box<EulerRmq>),
}

/// An index for lowest common ancestors on the device.
#[derive(Debug)]
pub struct Lca {
    device: Device,
    len: u64,
    structure: Structure,
    /// Queries of a tile of a batch from the host.
    tile: usize,
}

impl Lca {
    /// How many nodes there are.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there are none. Then every query is out of range.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The engine in use.
    pub fn engine(&self) -> Engine {
        match self.structure {
            Structure::Inlabel(_) => Engine::Inlabel,
            Structure::EulerRmq(_) => Engine::EulerRmq,
        }
    }

    /// Bytes that the device holds for the index.
    pub fn device_bytes(&self) -> u64 {
        match &self.structure {
            Structure::Inlabel(inlabel) => inlabel.bytes(),
            Structure::EulerRmq(euler) => euler.bytes(),
        }
    }

    /// Queries that go to the device at a time, for measurements and tests.
    #[doc(hidden)]
    pub fn set_tile(&mut self, tile: usize) {
        self.tile = tile.clamp(1, TILE << 4);
    }

    fn record(&self, commands: &mut Recorder<'_>, batch: &Batch<'_>) -> Result<()> {
        match &self.structure {
            Structure::Inlabel(labels) => inlabel::record(commands, &self.device, labels, batch),
            Structure::EulerRmq(euler) => euler.record(commands, batch),
        }
    }

    fn bad_row(&self) -> Result<Buffer> {
        let bad_row = self.device.words(1, "bad rows")?;
        let mut commands = self.device.record();
        commands.clear(&bad_row, 4);
        commands.submit()?;
        Ok(bad_row)
    }

    fn bad_query(&self, row: usize, [x, y]: [u32; 2]) -> Error {
        let node = u64::from(if u64::from(x) < self.len { y } else { x });
        Error::Node { row, node, len: self.len as usize }
    }

    /// Turns it into an index of the main crate, with this one as its engine.
    ///
    /// ```no_run
    /// use thalweg_gpu::tree::{Forest, lca};
    /// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
    /// let forest = Forest::from_parents(device.upload(&[0, 0, 0])?)?;
    /// assert_eq!(lca::Builder::new().build(&forest)?.into_lca().ask(1, 2), Some(0));
    /// # Ok::<(), thalweg_core::Error>(())
    /// ```
    pub fn into_lca(self) -> thalweg_trees::tree::Lca<'static, u32> {
        let len = self.len as usize;
        thalweg_trees::tree::Lca::from_engine(Box::new(self), len)
    }

    /// The lowest common ancestors of a batch on the device: `queries` holds the two nodes of every query in turn.
    /// The error names the first query with a number that is no node. At most 2^30 queries.
    pub fn batch_on_device(&self, queries: &DeviceArray<u32>, out: &DeviceArray<u32>) -> Result<Timing> {
        let count = queries.len() / 2;
        same_len(count, out.len())?;
        if count == 0 {
            return Ok(Timing::default());
        }
        let pair = |row: u64| -> Result<[u32; 2]> {
            Ok([crate::list::element_of(queries, 2 * row)?, crate::list::element_of(queries, 2 * row + 1)?])
        };
        if self.is_empty() {
            return Err(self.bad_query(0, pair(0)?));
        }
        if count > PART as u64 {
            return Err(Error::device_limit(format!("{count} queries on the device: more than {PART} in one batch")));
        }
        let bad_row = self.bad_row()?;
        let mut commands = self.device.record();
        commands.start_clock();
        let batch = Batch {
            queries: queries.bindings().collect(),
            queries_sharding: queries.sharding().map(|(shift, shards)| (shift - 1, shards)),
            out: out.bindings().collect(),
            out_sharding: out.sharding(),
            bad_row: &bad_row,
            count: count as u32,
            row: 0,
            nodes: self.len as u32,
        };
        self.record(&mut commands, &batch)?;
        let timing = commands.submit_timed()?;
        match read_word(&self.device, &bad_row, 0)? {
            0 => Ok(timing),
            bad => Err(self.bad_query(!bad as usize, pair((!bad).into())?)),
        }
    }

    /// The lowest common ancestors of a batch from the host.
    pub fn batch(&self, queries: &[[u32; 2]], out: &mut [u32]) -> Result<()> {
        same_len(queries.len() as u64, out.len() as u64)?;
        if self.is_empty() {
            return queries.first().map_or(Ok(()), |&query| Err(self.bad_query(0, query)));
        }
        for (part, (queries, out)) in queries.chunks(PART).zip(out.chunks_mut(PART)).enumerate() {
            let bad_row = self.bad_row()?;
            let mut row = 0;
            stream(&self.device, queries, out, self.tile, |commands, input, output, count| {
                let batch = Batch {
                    queries: vec![input.all()],
                    queries_sharding: None,
                    out: vec![output.all()],
                    out_sharding: None,
                    bad_row: &bad_row,
                    count: count as u32,
                    row,
                    nodes: self.len as u32,
                };
                row += count as u32;
                self.record(commands, &batch)
            })?;
            let bad = read_word(&self.device, &bad_row, 0)?;
            if bad != 0 {
                let row = !bad as usize;
                return Err(self.bad_query(part * PART + row, queries[row]));
            }
        }
        Ok(())
    }
}

fn same_len(queries: u64, out: u64) -> Result<()> {
    if queries == out {
        return Ok(());
    }
    Err(Error::Length { what: "output of queries", expected: queries as usize, got: out as usize })
}

impl LcaEngine<u32> for Lca {
    fn name(&self) -> &'static str {
        self.engine().name()
    }

    fn extra_bytes(&self) -> usize {
        self.device_bytes() as usize
    }

    /// # Panics
    /// If the device fails: a batch returns the error.
    fn ask(&self, x: usize, y: usize) -> u32 {
        let mut out = [0];
        self.batch(&[[x as u32, y as u32]], &mut out).unwrap_or_else(|e| panic!("{e}"));
        out[0]
    }

    fn batch(&self, queries: &[[u32; 2]], out: &mut [u32]) -> Result<()> {
        Lca::batch(self, queries, out)
    }
}
