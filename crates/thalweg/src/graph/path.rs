//! Shortest paths on maps, on any device.
//!
//! A [`Grid`] of walls or costs is prepared once, and answers batches of [queries](Query). [`Index::new`] serves the common
//! case on the CPU, [`Builder`] chooses engine and device:
//!
//! | engine | idea | for | where |
//! |---|---|---|---|
//! | `jump` | A* over jump points | maps without costs (default) | CPU, all threads |
//! | `buckets` | A* with a bucket queue | all maps (default with costs, and on a GPU) | CPU, all threads; GPU |
//! | `dijkstra` | Dijkstra's algorithm | the oracle | CPU, all threads |
//!
//! Lengths are exact ([`Length`]), paths are the same whichever engine finds them, and [`verify`] proves that both are right.
//! See the [library's page](thalweg_graph::path) for the rules of the map and of equally short paths. [`graph`]
//! finds paths in general graphs with weights, on the CPU.

pub use thalweg_graph::path::{
    Complaint, Engine, Grid, Index, Length, Moves, Paths, Query, graph, moving_ai, verify, verify_all,
};

use thalweg_core::{Chosen, Result};

use crate::Device;
use crate::costs::Costs;
use crate::device::{Question, on_device, threads};
use crate::setters::setters;

/// What it costs to prepare a map of so many cells and to answer so many queries: on the CPU 20 ns a cell, and for every query
/// 0.5 ns a cell, over the threads. On a GPU 25 ns a cell for landmarks, and for every query 8 ps a cell (an H200: 30 us for
/// 2048 x 2048).
pub fn costs(cells: usize, queries: usize, threads: usize) -> Costs {
    let (cells, queries) = (cells as f64, queries as f64);
    let cpu = cells * (20e-9 + 0.5e-9 * queries) / threads as f64;
    Costs {
        cpu,
        bytes_up: cells / 8.0 + 16.0 * queries,
        bytes_down: 8.0 * queries,
        device: cells * (25e-9 + 8e-12 * queries),
    }
}

/// Chooses moves, engine and device of paths on a map.
///
/// ```
/// use thalweg::graph::path::{Builder, Grid, Length, Moves, Query};
/// let grid = Grid::from_walls(3, 4, &[0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0])?;
/// let map = Builder::new().moves(Moves::Four).build(grid)?;
/// let query = Query::new([0, 0], [0, 3]);
/// assert_eq!(map.lengths(&[query])?, [Some(Length::new(7, 0))]);
/// assert_eq!(map.paths(&[query])?.path(0), [0, 4, 8, 9, 10, 11, 7, 3]);
/// assert_eq!(map.chosen().engine(), "jump");
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Builder {
    moves: Moves,
    engine: Option<Engine>,
    device: Device,
    queries: usize,
}

impl Builder {
    /// Eight moves, the engine that is best for the map, [`Device::Auto`].
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Chooses the engine; `None` leaves the choice to the library.
        engine: Option<Engine>,
        /// Chooses the device.
        device: Device,
    }

    /// Chooses which neighbours a step leads to.
    pub fn moves(mut self, moves: Moves) -> Self {
        self.moves = moves;
        self
    }

    /// How many queries are going to be asked, for [`Device::Auto`].
    pub fn expected_queries(mut self, queries: usize) -> Self {
        self.queries = queries;
        self
    }

    /// Prepares a map.
    ///
    /// # Errors
    /// [`Error::BadOption`](crate::Error::BadOption) for `jump` on a map with costs;
    /// [`Error::NotOnDevice`](crate::Error::NotOnDevice) for what a GPU cannot do;
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn build(&self, grid: Grid) -> Result<Map> {
        let engine = self.engine.unwrap_or_else(|| Engine::for_grid(&grid));
        #[cfg(feature = "gpu")]
        let is_small_enough = thalweg_gpu::graph::path::takes(&grid, self.moves);
        #[cfg(not(feature = "gpu"))]
        let is_small_enough = false;
        let question = Question {
            engine: engine.name(),
            gpu_engine: Engine::Buckets.name(),
            asked: self.engine.is_some(),
            on_cpu: true,
            on_gpu: is_small_enough && self.engine.is_none_or(|engine| engine == Engine::Buckets),
            costs: costs(grid.len(), self.queries, threads()),
        };
        let built = on_device!(
            self.device,
            question,
            |gpu| match self.engine {
                None | Some(Engine::Buckets) => {
                    thalweg_gpu::graph::path::GridPaths::new(gpu, grid.clone(), self.moves)
                        .map(Box::new)
                        .map(Inner::OnGpu)
                }
                Some(other) => {
                    let reason = format!("GPUs have buckets; the CPU has '{other}'");
                    Err(thalweg_core::Error::NotOnDevice { problem: "path", engine: other.name(), reason })
                }
            },
            || Index::with(grid.clone(), self.moves, engine).map(Inner::OnCpu)
        );
        let (inner, chosen) = built?.into_parts();
        Ok(Map { inner, chosen })
    }
}

/// A map that is ready for queries.
#[derive(Debug)]
pub struct Map {
    inner: Inner,
    chosen: Chosen,
}

#[derive(Debug)]
enum Inner {
    OnCpu(Index),
    #[cfg(feature = "gpu")]
    OnGpu(Box<thalweg_gpu::graph::path::GridPaths>),
}

impl Map {
    fn index(&self) -> &Index {
        match &self.inner {
            Inner::OnCpu(index) => index,
            #[cfg(feature = "gpu")]
            Inner::OnGpu(map) => map.index(),
        }
    }

    /// The map's cells.
    pub fn grid(&self) -> &Grid {
        self.index().grid()
    }

    /// Which neighbours a step leads to.
    pub fn moves(&self) -> Moves {
        self.index().moves()
    }

    /// The engine and the device, and why.
    pub fn chosen(&self) -> &Chosen {
        &self.chosen
    }

    /// The lengths of shortest paths, `None` where there is no path.
    ///
    /// # Errors
    /// [`Error::OffGrid`](crate::Error::OffGrid) of the first query that leaves the map;
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn lengths(&self, queries: &[Query]) -> Result<Vec<Option<Length>>> {
        match &self.inner {
            Inner::OnCpu(index) => index.lengths(queries),
            #[cfg(feature = "gpu")]
            Inner::OnGpu(map) => map.lengths(queries),
        }
    }

    /// Shortest paths and their lengths.
    ///
    /// # Errors
    /// As [`Map::lengths`].
    pub fn paths(&self, queries: &[Query]) -> Result<Paths> {
        match &self.inner {
            Inner::OnCpu(index) => index.paths(queries),
            #[cfg(feature = "gpu")]
            Inner::OnGpu(map) => map.paths(queries),
        }
    }
}
