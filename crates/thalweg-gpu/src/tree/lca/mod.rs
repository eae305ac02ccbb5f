//! Lowest common ancestors (LCA) on the device.
//!
//! [`Lca::new`] builds an index with the default engine, [`Lca::with_engine`] with one of these; [`Lca::of_cartesian`] that
//! of a [`Cartesian`] tree. Batches lie on the device, or come from the host in tiles that go up, run and come back beside
//! each other. As an engine of the host's [`Lca`](thalweg_trees::tree::Lca) ([`Lca::with_parents`]) it answers like those on
//! the CPU. Nodes of different trees have no common ancestor: the answer is `u32::MAX`.
//!
//! | engine | idea | memory a node | query | source |
//! |---|---|---|---|---|
//! | `inlabel` (default) | labels of paths that tell where two ways up meet | 16 bytes | 2 to 4 random reads | Schieber, Vishkin 1988 |
//! | `euler_rmq` | range minimum over the parents' places in preorder | 12 bytes and the index | a range minimum and 3 random reads | Bender, Farach-Colton 2000 |
//!
//! The CPU's `naive` is [`Error::NotOnDevice`].

mod batch;
mod euler_rmq;
mod inlabel;
mod with_parents;

use thalweg_core::error::expect_len;
use thalweg_core::{Error, Position, Result};
pub use thalweg_trees::tree::lca::{Engine, EulerRmqOptions};

use self::batch::Batch;
use self::euler_rmq::EulerRmq;
use super::tour::EulerTour;
use crate::array::DeviceArray;
use crate::bad_row::BadRow;
use crate::cartesian::Cartesian;
use crate::device::Device;
use crate::inlabel::Inlabel;
use crate::recorder::{Recorder, Timing};
use crate::stream::{Looks, stream_pairs};
use crate::transfer::read_word;

/// Queries of one tile of a batch that streams.
const TILE: usize = 1 << 20;
/// Queries of one dispatch at most.
const PART: usize = 1 << 30;

#[derive(Debug)]
enum Structure {
    Inlabel(Inlabel),
    EulerRmq(Box<EulerRmq>),
}

/// An index for lowest common ancestors on the device.
///
/// ```no_run
/// use thalweg_gpu::{Choice, Device, tree::Lca};
/// let device = Device::open(&Choice::Auto)?;
/// // 2 is the root of 0, 3 and 4, 0 that of 1; 5 is alone.
/// let lca = Lca::new(&device.upload(&[2, 0, 2, 2, 2, u32::MAX])?)?;
/// let mut out = [0; 3];
/// lca.batch_of_slice(&[[1, 3], [1, 0], [4, 5]], &mut out)?;
/// assert_eq!(out, [2, 0, u32::MAX]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Lca {
    device: Device,
    len: u64,
    structure: Structure,
    /// Queries of a tile of a batch from the host.
    tile: usize,
}

impl Lca {
    /// The index of a forest, given by its parents, with the default engine. A root is its own parent or has none.
    ///
    /// # Errors
    /// Those of [`EulerTour::new`].
    pub fn new(parents: &DeviceArray<u32>) -> Result<Self> {
        Self::with_engine(parents, Engine::default())
    }

    /// The same with an engine of the caller's choice.
    ///
    /// # Errors
    /// As [`Lca::new`]; [`Error::NotOnDevice`] for an engine that GPUs do not have.
    pub fn with_engine(parents: &DeviceArray<u32>, engine: Engine) -> Result<Self> {
        expect_on_gpu(engine)?;
        if engine != Engine::Inlabel {
            return Self::of_tour(&EulerTour::new(parents)?, engine);
        }
        let structure = Structure::Inlabel(inlabel::of_parents(parents)?);
        Ok(Self { device: parents.device().clone(), len: parents.count(), structure, tile: TILE })
    }

    /// The index of a forest from a tour that is there already.
    ///
    /// # Errors
    /// [`Error::NotOnDevice`] for an engine that GPUs do not have; those of the device.
    pub fn of_tour(tour: &EulerTour, engine: Engine) -> Result<Self> {
        expect_on_gpu(engine)?;
        let structure = match engine {
            Engine::EulerRmq(options) => Structure::EulerRmq(Box::new(EulerRmq::new(tour, options)?)),
            _ => Structure::Inlabel(inlabel::of_tour(tour)?),
        };
        Ok(Self { device: tour.device().clone(), len: tour.count(), structure, tile: TILE })
    }

    /// The index of a Cartesian tree: the lowest common ancestor of two elements is the leftmost best one of the
    /// range between them. [`Engine::Inlabel`] needs no Euler tour for it.
    ///
    /// # Errors
    /// As [`Lca::of_tour`].
    pub fn of_cartesian(tree: &Cartesian, engine: Engine) -> Result<Self> {
        if engine != Engine::Inlabel {
            return Self::with_engine(&tree.parents()?, engine);
        }
        let device = tree.device();
        let mut commands = device.record();
        let inlabel = tree.record_inlabel(&mut commands)?;
        commands.submit()?;
        let (device, structure) = (device.clone(), Structure::Inlabel(inlabel));
        Ok(Self { device, len: tree.len() as u64, structure, tile: TILE })
    }

    /// The same index, with other tiles for batches from the host, of so many queries: for measurements.
    pub fn with_tile(mut self, queries: usize) -> Self {
        self.tile = queries.clamp(1, TILE << 4);
        self
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether there are none. Then every query is out of range.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Name of the engine in use.
    pub fn engine(&self) -> &'static str {
        match self.structure {
            Structure::Inlabel(_) => Engine::Inlabel.name(),
            Structure::EulerRmq(_) => Engine::EulerRmq(EulerRmqOptions::DEFAULT).name(),
        }
    }

    /// Bytes that the device holds for the index.
    pub fn device_bytes(&self) -> usize {
        match &self.structure {
            Structure::Inlabel(inlabel) => inlabel.bytes() as usize,
            Structure::EulerRmq(euler) => euler.bytes(),
        }
    }

    fn record(&self, commands: &mut Recorder<'_>, batch: &Batch<'_>) -> Result<()> {
        match &self.structure {
            Structure::Inlabel(labels) => inlabel::record(commands, &self.device, labels, batch),
            Structure::EulerRmq(euler) => euler.record(commands, batch),
        }
    }

    fn bad_query<P: Position>(&self, row: usize, query: [P; 2]) -> Error {
        let [x, y] = query.map(|node| node.get() as u64);
        Error::Node { row, node: if x < self.len { y } else { x }, len: self.len() }
    }

    /// The lowest common ancestors of a batch on the device: `queries` holds the two nodes of every query in turn.
    /// At most 2^30 queries. How long the device took.
    ///
    /// # Errors
    /// [`Error::Node`] names the first node that does not exist; then the output is unspecified. Those of the device.
    pub fn batch(&self, queries: &DeviceArray<u32>, out: &DeviceArray<u32>) -> Result<Timing> {
        let count = queries.count() / 2;
        expect_len("output of the batch", out.len(), count as usize)?;
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
        let bad_row = self.device.words(1, "bad rows")?;
        let mut commands = self.device.record();
        commands.clear(&bad_row, 4);
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

    /// [`Lca::batch`] of queries from the host.
    pub fn batch_of_slice(&self, queries: &[[u32; 2]], out: &mut [u32]) -> Result<()> {
        self.streamed(queries, out)
    }

    /// The same of queries of 32 or 64 bits.
    fn streamed<P: Position>(&self, queries: &[[P; 2]], out: &mut [P]) -> Result<()> {
        expect_len("output of the batch", out.len(), queries.len())?;
        if self.is_empty() {
            return queries.first().map_or(Ok(()), |&query| Err(self.bad_query(0, query)));
        }
        for (part, (queries, out)) in queries.chunks(PART).zip(out.chunks_mut(PART)).enumerate() {
            let (bad_row, mut rows) = (BadRow::new(&self.device)?, 0..0);
            stream_pairs(&self.device, queries, out, (self.tile, Looks::Once), |commands, input, output, count| {
                rows = rows.end..rows.end + count as u32;
                bad_row.watch(commands, rows.clone(), queries.len(), |commands, bad_row| {
                    let batch = Batch {
                        queries: vec![input],
                        queries_sharding: None,
                        out: vec![output],
                        out_sharding: None,
                        bad_row,
                        count: count as u32,
                        row: rows.start,
                        nodes: self.len as u32,
                    };
                    self.record(commands, &batch)
                })
            })?;
            if let Some(row) = bad_row.first(&self.device)? {
                return Err(self.bad_query(part * PART + row, queries[row]));
            }
        }
        Ok(())
    }
}

/// The error for an engine that GPUs do not have.
fn expect_on_gpu(engine: Engine) -> Result<()> {
    if engine.is_on_gpu() { Ok(()) } else { Err(crate::not_on_gpu("lca", engine.name(), "inlabel and euler_rmq")) }
}
