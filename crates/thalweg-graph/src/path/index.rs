//! A grid, prepared for batches of queries.

use std::ops::Range;

use thalweg_core::memory::{computed, try_with_large_capacity};
use thalweg_core::parallel::{chunk_range, find_first};
use thalweg_core::{Error, Result};

use super::regions::Regions;
use super::rule::{open_path, walk_back};
use super::search::{Search, Searcher};
use super::{Engine, Grid, Length, Moves, Query};

/// Queries of a task, at most; there are up to 256 tasks before tasks become larger.
const MAX_CHUNK: usize = 64;

/// A grid with what its engine prepared, for any number of batches of queries.
///
/// ```
/// # mod thalweg { pub use thalweg_graph as graph; pub use thalweg_graph::*; }
/// use thalweg::graph::path::{Grid, Index, Length, Moves, Query};
/// // A wall with a gap at its lower end.
/// let grid = Grid::from_walls(3, 4, &[0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0])?;
/// let index = Index::new(grid, Moves::Eight)?;
/// let queries = [Query::new([0, 0], [0, 3]), Query::new([0, 0], [0, 1])];
/// assert_eq!(index.lengths(&queries)?, [Some(Length::new(5, 1)), None]);
/// let paths = index.paths(&queries)?;
/// assert_eq!(paths.path(0), [0, 4, 8, 9, 10, 7, 3]);
/// assert!(paths.path(1).is_empty());
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Debug)]
pub struct Index {
    grid: Grid,
    moves: Moves,
    engine: Engine,
    regions: Regions,
    search: Box<dyn Search>,
}

impl Index {
    /// An index with the engine that is best for the grid: `jump`, or `buckets` for grids with costs.
    ///
    /// For 2048 x 2048 cells `jump` takes 0.14 to 0.25 s of one thread for its tables, and with the batch that reaches 256
    /// queries (4,096 if the map is not [scattered](Grid::is_scattered)) about 1 s more for landmarks, which halve what a search
    /// visits where walls are at random (measured on two busy cores of a Xeon).
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn new(grid: Grid, moves: Moves) -> Result<Self> {
        let engine = Engine::for_grid(&grid);
        Self::with(grid, moves, engine)
    }

    /// An index with a choice of the engine.
    ///
    /// # Errors
    /// [`Error::BadOption`] for `jump` on a grid with costs; [`Error::OutOfMemory`].
    pub fn with(grid: Grid, moves: Moves, engine: Engine) -> Result<Self> {
        let search = engine.prepare(&grid, moves)?;
        let regions = Regions::new(&grid)?;
        Ok(Self { grid, moves, engine, regions, search })
    }

    /// The grid.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Which neighbours a step leads to.
    pub fn moves(&self) -> Moves {
        self.moves
    }

    /// The engine.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// The grid, without the index.
    pub fn into_grid(self) -> Grid {
        self.grid
    }

    /// The lengths of shortest paths, `None` where there is no path. Queries are spread over all threads of the current
    /// rayon pool, each of which keeps the memory of its search for the next batch.
    ///
    /// # Errors
    /// [`Error::OffGrid`] of the first query that leaves the grid; [`Error::OutOfMemory`].
    pub fn lengths(&self, queries: &[Query]) -> Result<Vec<Option<Length>>> {
        let parts = self.answer(queries, false)?;
        let mut lengths = try_with_large_capacity(queries.len(), "lengths")?;
        for part in parts {
            lengths.extend(part?.lengths);
        }
        Ok(lengths)
    }

    /// Shortest paths and their lengths. Which path is told of several is said [above](super#which-path).
    ///
    /// # Errors
    /// As [`Index::lengths`].
    pub fn paths(&self, queries: &[Query]) -> Result<Paths> {
        let parts = self.answer(queries, true)?.into_iter().collect::<Result<Vec<Part>>>()?;
        let cells = parts.iter().map(|part| part.cells.len()).sum();
        let mut paths = Paths {
            lengths: try_with_large_capacity(queries.len(), "lengths")?,
            offsets: try_with_large_capacity(queries.len() + 1, "offsets of paths")?,
            cells: try_with_large_capacity(cells, "paths")?,
        };
        paths.offsets.push(0);
        for part in parts {
            let before = paths.cells.len();
            paths.lengths.extend(part.lengths);
            paths.offsets.extend(part.ends.iter().map(|end| before + end));
            paths.cells.extend(part.cells);
        }
        Ok(paths)
    }

    /// That the cells of all queries are inside.
    ///
    /// # Errors
    /// [`Error::OffGrid`] of the first query that leaves the grid.
    pub fn check(&self, queries: &[Query]) -> Result<()> {
        let (rows, cols) = (self.grid.rows(), self.grid.cols());
        let is_outside = |[row, column]: [u32; 2]| row as usize >= rows || column as usize >= cols;
        let is_bad = |row: &usize| is_outside(queries[*row].start) || is_outside(queries[*row].goal);
        if let Some(row) = find_first(queries.len(), 1 << 14, &|mut range| range.find(is_bad)) {
            let Query { start, goal } = queries[row];
            let cell = if is_outside(start) { start } else { goal };
            return Err(Error::OffGrid { row, cell: cell.map(u64::from), size: [rows, cols] });
        }
        Ok(())
    }

    /// The answer to a query whose cells are inside, if it takes no search: there is no path, or nothing is in its way. The
    /// path's cells are appended. For engines of other devices.
    pub fn without_search(&self, query: &Query, path: Option<&mut Vec<u32>>) -> Option<Option<Length>> {
        let [from, to] = [query.start, query.goal].map(|place| self.cell(place));
        if !self.is_to_be_searched(query) {
            let is_there = from == to && self.grid.is_free(query.start[0] as usize, query.start[1] as usize);
            path.filter(|_| is_there).into_iter().for_each(|path| path.push(from));
            return Some(is_there.then_some(Length::ZERO));
        }
        if self.grid.has_costs() {
            return None;
        }
        open_path(&self.grid, self.moves, from, to, path).map(Some)
    }

    /// The path of a query, if `distance` tells how far from the start the cells of shortest paths are, and for all others
    /// nothing or more. For engines of other devices.
    ///
    /// # Panics
    /// If the distances are others.
    pub fn walk_back(&self, query: &Query, distance: impl Fn(u32) -> Option<Length>) -> Vec<u32> {
        let mut path = Vec::new();
        let [from, to] = [query.start, query.goal].map(|place| self.cell(place));
        walk_back(&self.grid, self.moves, from, to, &mut path, distance);
        path
    }

    fn answer(&self, queries: &[Query], wants_paths: bool) -> Result<Vec<Result<Part>>> {
        self.check(queries)?;
        if let Some(query) = queries.iter().find(|query| self.is_to_be_searched(query)) {
            self.search.expect(&self.grid, queries.len(), self.cell(query.start));
        }
        let chunk = queries.len().div_ceil(256).clamp(1, MAX_CHUNK);
        computed(queries.len().div_ceil(chunk), 1, "answers", |index| {
            self.answer_some(queries, chunk_range(index, chunk, queries.len()), wants_paths)
        })
    }

    fn cell(&self, [row, column]: [u32; 2]) -> u32 {
        row * self.grid.cols() as u32 + column
    }

    /// Whether there is a path that is longer than 0.
    fn is_to_be_searched(&self, &Query { start, goal }: &Query) -> bool {
        let is_free = |[row, column]: [u32; 2]| self.grid.is_free(row as usize, column as usize);
        start != goal && is_free(start) && is_free(goal) && self.regions.of(start) == self.regions.of(goal)
    }

    fn answer_some(&self, queries: &[Query], range: Range<usize>, wants_paths: bool) -> Result<Part> {
        let mut part = Part::default();
        let mut searcher: Option<Box<dyn Searcher + '_>> = None;
        for query in &queries[range] {
            let mut cells = wants_paths.then_some(&mut part.cells);
            let length = match self.without_search(query, cells.as_deref_mut()) {
                Some(length) => length,
                None => {
                    let searcher = match &mut searcher {
                        Some(searcher) => searcher,
                        None => searcher.insert(self.search.searcher(&self.grid)?),
                    };
                    Some(searcher.find(self.cell(query.start), self.cell(query.goal), cells)?)
                }
            };
            part.lengths.push(length);
            part.ends.push(part.cells.len());
        }
        Ok(part)
    }
}

/// Answers of some queries.
#[derive(Default)]
struct Part {
    lengths: Vec<Option<Length>>,
    ends: Vec<usize>,
    cells: Vec<u32>,
}

/// Shortest paths of a batch of queries, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paths {
    lengths: Vec<Option<Length>>,
    offsets: Vec<usize>,
    cells: Vec<u32>,
}

impl Paths {
    /// Paths from their parts: a length a query, where paths begin and the last ends, and the cells of all.
    ///
    /// # Errors
    /// [`Error::Length`] if the parts do not fit each other.
    pub fn from_parts(lengths: Vec<Option<Length>>, offsets: Vec<usize>, cells: Vec<u32>) -> Result<Self> {
        thalweg_core::error::expect_len("offsets of paths", offsets.len(), lengths.len() + 1)?;
        let is_in_order = offsets[0] == 0 && offsets.is_sorted();
        thalweg_core::error::expect_len(
            "cells of paths",
            if is_in_order { cells.len() } else { usize::MAX },
            offsets[lengths.len()],
        )?;
        Ok(Self { lengths, offsets, cells })
    }

    /// How many queries were answered.
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// Whether there were none.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// The lengths, `None` where there is no path.
    pub fn lengths(&self) -> &[Option<Length>] {
        &self.lengths
    }

    /// The path of a query, from its start to its goal; empty if there is none.
    ///
    /// # Panics
    /// If there is no such query.
    pub fn path(&self, query: usize) -> &[u32] {
        &self.cells[self.offsets[query]..self.offsets[query + 1]]
    }

    /// Where every path begins among the cells, and where the last ends.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The cells of all paths, as `row * cols + column`.
    pub fn cells(&self) -> &[u32] {
        &self.cells
    }

    /// Lengths, offsets and cells.
    pub fn into_parts(self) -> (Vec<Option<Length>>, Vec<usize>, Vec<u32>) {
        (self.lengths, self.offsets, self.cells)
    }
}
