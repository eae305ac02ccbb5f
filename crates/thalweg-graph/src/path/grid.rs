//! Grids: walls as bits, or a cost a cell.

use std::fmt;
use std::str::FromStr;

use thalweg_core::error::expect_len;
use thalweg_core::memory::{computed, filled};
use thalweg_core::parallel::for_each_chunk_mut;
use thalweg_core::{Error, Result};

/// Words of bits that a task makes.
const GRAIN: usize = 1 << 10;

/// A map of rows and columns whose cells are walls, or free, or have costs.
///
/// Cells have flat numbers, `row * cols + column`, of 32 bits.
///
/// ```
/// # mod thalweg { pub use thalweg_graph as graph; pub use thalweg_graph::*; }
/// use thalweg::graph::path::Grid;
/// let grid = Grid::from_walls(2, 3, &[0, 1, 0, 0, 0, 0])?;
/// assert!(!grid.is_free(0, 1) && grid.is_free(1, 1));
/// assert!(!grid.is_free(2, 0), "outside there are walls");
/// let hills = Grid::from_costs(1, 3, vec![1, 0, 7])?;
/// assert_eq!((hills.cost(0, 2), hills.is_free(0, 1)), (7, false));
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Grid {
    rows: usize,
    cols: usize,
    /// Whether cells are free, a row after the other, each in whole words.
    free: Vec<u64>,
    costs: Option<Vec<u32>>,
}

impl Grid {
    /// At most so many cells: they have 32-bit numbers, of which the last stands for none.
    pub const MAX_CELLS: usize = u32::MAX as usize;

    /// A grid whose cells are walls where `is_wall(row, column)` says so. Work O(cells), on all threads.
    ///
    /// # Errors
    /// [`Error::BadOption`] for more than [`Grid::MAX_CELLS`] cells; [`Error::OutOfMemory`].
    pub fn from_fn(rows: usize, cols: usize, is_wall: impl Fn(usize, usize) -> bool + Sync) -> Result<Self> {
        check_size(rows, cols)?;
        let words = cols.div_ceil(64);
        let free = computed(rows * words, GRAIN, "walls", |at| {
            let (row, first) = (at / words, at % words * 64);
            (first..cols.min(first + 64)).rev().fold(0, |bits, column| bits << 1 | u64::from(!is_wall(row, column)))
        })?;
        Ok(Self { rows, cols, free, costs: None })
    }

    /// A grid whose nonzero cells are walls.
    ///
    /// # Errors
    /// [`Error::Length`] if there are not `rows * cols` cells, and as [`Grid::from_fn`].
    pub fn from_walls(rows: usize, cols: usize, walls: &[u8]) -> Result<Self> {
        check_size(rows, cols)?;
        expect_len("grid", walls.len(), rows * cols)?;
        Self::from_fn(rows, cols, |row, column| walls[row * cols + column] != 0)
    }

    /// A grid with costs: a step costs what the cell entered costs, a diagonal one that times √2. Cost 0 is a wall.
    ///
    /// # Errors
    /// As [`Grid::from_walls`].
    pub fn from_costs(rows: usize, cols: usize, costs: Vec<u32>) -> Result<Self> {
        check_size(rows, cols)?;
        expect_len("grid", costs.len(), rows * cols)?;
        let grid = Self::from_fn(rows, cols, |row, column| costs[row * cols + column] == 0)?;
        Ok(Self { costs: Some(costs), ..grid })
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many columns there are.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// How many cells there are.
    pub fn len(&self) -> usize {
        self.rows * self.cols
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a cell is inside and no wall.
    #[inline]
    pub fn is_free(&self, row: usize, column: usize) -> bool {
        row < self.rows
            && column < self.cols
            && self.free[row * self.cols.div_ceil(64) + column / 64] >> (column % 64) & 1 == 1
    }

    /// What it costs to enter a cell: 0 for walls and outside, 1 where nothing else is said.
    #[inline]
    pub fn cost(&self, row: usize, column: usize) -> u32 {
        match &self.costs {
            Some(costs) if row < self.rows && column < self.cols => costs[row * self.cols + column],
            _ => u32::from(self.is_free(row, column)),
        }
    }

    /// Whether the grid was made with costs.
    pub fn has_costs(&self) -> bool {
        self.costs.is_some()
    }

    /// All costs, if the grid was made with costs.
    pub fn costs(&self) -> Option<&[u32]> {
        self.costs.as_deref()
    }

    /// The free cells of a row as bits: column c is bit c % 64 of word c / 64. Bits beyond the last column are 0.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn free_row(&self, row: usize) -> &[u64] {
        let words = self.cols.div_ceil(64);
        &self.free[row * words..(row + 1) * words]
    }

    /// The free cells of all rows, each in `cols.div_ceil(64)` words.
    pub fn free_words(&self) -> &[u64] {
        &self.free
    }

    /// How many cells are no walls.
    pub fn free_cells(&self) -> usize {
        self.free.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether rows are broken into runs of less than ten cells on average: walls are here and there, not few and long as in
    /// rooms. Work O(cells / 64).
    pub fn is_scattered(&self) -> bool {
        // Runs that go on in the next word count twice; that is a run of 64 cells.
        let runs: u64 = self.free_words().iter().map(|&free| u64::from((free & !(free << 1)).count_ones())).sum();
        10 * runs > self.len() as u64
    }

    /// Row and column of a flat number.
    pub fn place(&self, cell: u32) -> [usize; 2] {
        [cell as usize / self.cols, cell as usize % self.cols]
    }

    /// What `of` says of all cells, with a margin of one `wall` all around, so that neighbours need no bounds.
    pub(super) fn padded<T: Copy + Send + Sync>(
        &self,
        wall: T,
        of: impl Fn(usize, usize) -> T + Sync,
    ) -> Result<Vec<T>> {
        let width = self.cols + 2;
        let mut cells = filled(width * (self.rows + 2), wall, "grid")?;
        let inside = width..width * (self.rows + 1);
        for_each_chunk_mut(&mut cells[inside], width, &|start, cells| {
            for (column, cell) in cells[1..=self.cols].iter_mut().enumerate() {
                *cell = of(start / width, column);
            }
        });
        Ok(cells)
    }
}

impl fmt::Debug for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let costs = if self.has_costs() { ", with costs" } else { "" };
        write!(f, "Grid({} x {}{costs})", self.rows, self.cols)
    }
}

fn check_size(rows: usize, cols: usize) -> Result<()> {
    if rows.checked_mul(cols).is_none_or(|cells| cells > Grid::MAX_CELLS) {
        let reason = format!("{rows} x {cols} are more than {} cells, which 32 bits can number", Grid::MAX_CELLS);
        return Err(Error::BadOption { option: "grid", reason });
    }
    Ok(())
}

/// Which neighbours a step leads to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Moves {
    /// Up, down, left, right.
    Four,
    /// Those and the diagonals. Corners are not cut: a diagonal step needs both cells beside it free.
    #[default]
    Eight,
}

impl Moves {
    /// How many neighbours: 4 or 8.
    pub const fn count(self) -> usize {
        match self {
            Self::Four => 4,
            Self::Eight => 8,
        }
    }
}

impl fmt::Display for Moves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.count())
    }
}

impl FromStr for Moves {
    type Err = Error;
    fn from_str(text: &str) -> Result<Self> {
        match text {
            "4" => Ok(Self::Four),
            "8" => Ok(Self::Eight),
            _ => Err(Error::BadOption { option: "moves", reason: format!("'{text}' is neither 4 nor 8") }),
        }
    }
}

/// A question: from where to where, as rows and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Query {
    /// Row and column of the first cell.
    pub start: [u32; 2],
    /// Row and column of the last cell.
    pub goal: [u32; 2],
}

impl Query {
    /// From one cell to another.
    pub const fn new(start: [u32; 2], goal: [u32; 2]) -> Self {
        Self { start, goal }
    }
}
