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

/// What it costs to prepare a map and to answer so many queries.
///
/// A search visits a share of the cells that depends on the walls: on the CPU it takes 1 ns a cell of the map where walls are
/// scattered, 0.03 ns where they are few and long (rooms), and 100 ns with costs, over the threads. A GPU takes 7.5 ns for a
/// search, whatever the walls, but has up to 1,000 of them at a time, fewer on maps of more than 2^22 cells, whose searches fill
/// its memory; and its first batch begins with 0.4 s for memory and landmarks. (2048 x 2048 and 8192 x 8192 cells on an H200 and
/// 16 cores. What costs take on a GPU was not measured: as much more as on the CPU is assumed.)
pub fn costs(grid: &Grid, queries: usize, threads: usize) -> Costs {
    let (cells, queries) = (grid.len() as f64, queries as f64);
    let (on_cpu, on_gpu) = match (grid.has_costs(), grid.is_scattered()) {
        (true, _) => (100e-9, 750e-9),
        (false, true) => (1e-9, 7.5e-9),
        (false, false) => (0.03e-9, 7.5e-9),
    };
    let together = (4e9 / cells).clamp(1.0, 1000.0).min(queries.max(1.0));
    Costs {
        cpu: cells * (20e-9 + on_cpu * queries) / threads as f64,
        bytes_up: cells / 8.0 + 16.0 * queries,
        bytes_down: 8.0 * queries,
        device: 0.4 + cells * on_gpu * queries / together,
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
            costs: costs(&grid, self.queries, threads()),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gpus_are_for_large_batches_among_scattered_walls() {
        let wins = |is_wall: fn(usize, usize) -> bool, side, queries, threads| {
            let grid = Grid::from_fn(side, side, is_wall).unwrap();
            costs(&grid, queries, threads).gpu_wins(false)
        };
        let scattered = |row: usize, column: usize| (row * 31 + column * 17).is_multiple_of(5);
        let rooms = |row: usize, column: usize| row % 32 == 31 || column % 32 == 31;
        // As measured on an H200 and 16 cores: 306 against 31, and 8 against 32 microseconds a query.
        assert!(wins(scattered, 2048, 1 << 14, 16));
        assert!(!wins(rooms, 2048, 1 << 14, 16));
        assert!(!wins(|_, _| false, 2048, 1 << 14, 16));
        assert!(!wins(scattered, 2048, 16, 16));
        assert!(!wins(scattered, 64, 1 << 12, 1));
    }
}
