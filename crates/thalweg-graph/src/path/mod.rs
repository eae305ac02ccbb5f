//! Shortest paths: on grids with walls or costs, and in [general graphs](graph).
//!
//! An [`Index`] prepares a [`Grid`] and answers batches of [queries](Query) on all threads:
//!
//! | engine | idea | for | work | source |
//! |---|---|---|---|---|
//! | `jump` | A* over jump points, with tables of jumps | grids without costs (default) | a few of the cells near the path | Harabor, Grastien 2011, 2014 |
//! | `buckets` | A* with a bucket queue | all grids (default with costs) | cells that may be on a shorter path | Hart, Nilsson, Raphael 1968; Dial 1969 |
//! | `dijkstra` | Dijkstra's algorithm with a heap | the oracle | cells nearer than the goal | Dijkstra 1959 |
//!
//! # The contract
//! - A step leads to one of [four or eight neighbours](Moves). Corners are not cut: a diagonal step needs both cells beside
//!   it free. It costs what the cell entered costs, or 1 where there are no costs, and a diagonal step costs √2 times that.
//!   Outside of the grid there are walls, and a cost of 0 is a wall.
//! - [Lengths](Length) are exact, and shortest. [`verify`] proves that, and shares nothing with the engines.
//! - There is no path from or to a wall. From a free cell to itself the path is that cell, of length 0.
//!
//! # Which path
//! Of equally short paths the same one is told by all engines, on any number of threads: walking *back* from the goal, every
//! step goes to the first neighbour from which a shortest path leads on, in the order up, down, left, right, up left, up
//! right, down left, down right. (So, from the start, diagonal steps come first where there is a choice.)
//!
//! ```
//! # mod thalweg { pub use thalweg_graph as graph; pub use thalweg_graph::*; }
//! use thalweg::graph::path::{Grid, Index, Moves, Query, verify};
//! let grid = Grid::from_fn(100, 100, |row, column| row % 2 == 1 && column != (row + 1) / 2 % 2 * 99)?;
//! let index = Index::new(grid, Moves::Eight)?;
//! let query = Query::new([0, 0], [98, 99]);
//! let paths = index.paths(&[query])?;
//! assert_eq!(verify(index.grid(), index.moves(), query, paths.lengths()[0], Some(paths.path(0))), Ok(()));
//! # Ok::<(), thalweg::Error>(())
//! ```

mod buckets;
mod dijkstra;
pub mod graph;
mod grid;
mod index;
mod jump;
mod length;
pub mod moving_ai;
mod regions;
mod rule;
mod search;
mod verify;

use thalweg_core::{Error, Result, engine_names};

pub use self::grid::{Grid, Moves, Query};
pub use self::index::{Index, Paths};
pub use self::length::Length;
use self::search::Search;
pub use self::verify::{Complaint, verify, verify_all};

engine_names! {
    /// The engines of shortest paths on grids. See the [module's table](self).
    "path": Engine {
        /// A* over jump points. For grids without costs.
        Jump = "jump",
        /// A* with a bucket queue.
        Buckets = "buckets",
        /// Dijkstra's algorithm. The oracle of the tests.
        Dijkstra = "dijkstra",
    }
}

impl Engine {
    /// The engine that is best for a grid: `jump`, or `buckets` for grids with costs.
    pub fn for_grid(grid: &Grid) -> Self {
        if grid.has_costs() { Self::Buckets } else { Self::Jump }
    }

    fn prepare(self, grid: &Grid, moves: Moves) -> Result<Box<dyn Search>> {
        Ok(match self {
            Self::Jump if grid.has_costs() => {
                let reason = "jump takes grids without costs; buckets takes all".to_owned();
                return Err(Error::BadOption { option: "engine", reason });
            }
            Self::Jump => jump::prepare(grid, moves)?,
            Self::Buckets => buckets::prepare(grid, moves)?,
            Self::Dijkstra => Box::new(dijkstra::Dijkstra { moves }),
        })
    }
}
