//! Answers, proved: whether a path is one, and whether there is none shorter.
//!
//! A potential π is a number a cell, 0 at the goal, such that no step u -> v gains more than it costs:
//! π(u) - π(v) <= w(u, v). Summed up along any path from the start to the goal, that path is at least π(start) long; a path
//! of exactly this length is a shortest one. Every step is checked, so nothing depends on how the potential was found. (It is
//! the distance to the goal, cut off at the length that was told: beyond, it is constant and there is nothing to check.)
//!
//! That there is no path is proved by a set of cells which has the start and not the goal, and which no step leaves.
//!
//! Nothing here is shared with the engines, not even the steps. Work O(n log n) a query in the cells that are nearer to the
//! goal than the start is; memory 16 bytes a cell and thread.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::sync::Mutex;

use thalweg_core::Error;
use thalweg_core::error::{expect_len, try_filled};
use thalweg_core::parallel::find_first;

use super::{Grid, Length, Moves, Paths, Query};

/// What is wrong with an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Complaint {
    /// The query is not on the grid.
    Outside,
    /// It is told that there is no path, but the cells that can be reached from the start are not closed without the goal.
    Connected,
    /// A path is told, but the start or the goal is a wall.
    OnWall,
    /// The path does not lead from the start to the goal.
    Ends,
    /// The step from this cell of the path, counted from 0, is none that is allowed.
    Step(usize),
    /// The path does not have the length that is told.
    Length {
        /// What is told.
        told: Length,
        /// What the path has.
        walked: Length,
    },
    /// There is no path of the length that is told.
    TooShort(Length),
    /// The length is not proved to be the shortest: there is no potential that is so high at the start.
    NotShortest {
        /// What is told.
        told: Length,
        /// How high the potential is.
        bound: Length,
    },
    /// It could not be checked.
    Unchecked(Error),
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Outside => write!(f, "the query is not on the grid"),
            Self::Connected => write!(f, "no path is told, but start and goal are connected"),
            Self::OnWall => write!(f, "a path is told, but it would begin or end on a wall"),
            Self::Ends => write!(f, "the path does not lead from the start to the goal"),
            Self::Step(at) => write!(f, "step {at} of the path is not allowed"),
            Self::Length { told, walked } => write!(f, "the path has length {walked}, not {told}"),
            Self::TooShort(told) => write!(f, "there is no path of length {told}"),
            Self::NotShortest { told, bound } => write!(f, "length {told} is told, but it is proved for {bound} only"),
            Self::Unchecked(error) => write!(f, "{error}"),
        }
    }
}

impl std::error::Error for Complaint {}

impl From<Error> for Complaint {
    fn from(error: Error) -> Self {
        Self::Unchecked(error)
    }
}

/// Proves one answer: the length, or that there is no path; and the path, if it is given.
///
/// ```
/// # mod thalweg { pub use thalweg_graph as graph; pub use thalweg_graph::*; }
/// use thalweg::graph::path::{Complaint, Grid, Length, Moves, Query, verify};
/// let grid = Grid::from_walls(2, 3, &[0, 1, 0, 0, 0, 0])?;
/// let query = Query::new([0, 0], [0, 2]);
/// let (length, path) = (Length::new(4, 0), [0, 3, 4, 5, 2]);
/// assert_eq!(verify(&grid, Moves::Eight, query, Some(length), Some(&path)), Ok(()));
/// // Around the corner, not over it.
/// assert_eq!(verify(&grid, Moves::Eight, query, Some(Length::new(0, 2)), Some(&[0, 4, 2])), Err(Complaint::Step(0)));
/// assert_eq!(verify(&grid, Moves::Eight, query, None, None), Err(Complaint::Connected));
/// # Ok::<(), thalweg::Error>(())
/// ```
///
/// # Errors
/// What is wrong.
pub fn verify(
    grid: &Grid,
    moves: Moves,
    query: Query,
    length: Option<Length>,
    path: Option<&[u32]>,
) -> Result<(), Complaint> {
    Verifier::new(grid, moves)?.check(query, length, path)
}

/// Proves a batch of answers, on all threads of the current rayon pool. Without paths, lengths alone.
///
/// # Errors
/// The first query whose answer is wrong, and what is wrong with it.
pub fn verify_all(
    grid: &Grid,
    moves: Moves,
    queries: &[Query],
    lengths: &[Option<Length>],
    paths: Option<&Paths>,
) -> Result<(), (usize, Complaint)> {
    let unfit = |error| (0, Complaint::Unchecked(error));
    expect_len("lengths", lengths.len(), queries.len()).map_err(unfit)?;
    if let Some(paths) = paths {
        expect_len("paths", paths.len(), queries.len()).map_err(unfit)?;
    }
    let idle = Mutex::new(Vec::new());
    let check = |row: usize| {
        let waiting = idle.lock().expect("nobody panics with the lock").pop();
        let mut verifier = match waiting {
            Some(verifier) => verifier,
            None => Verifier::new(grid, moves)?,
        };
        let result = verifier.check(queries[row], lengths[row], paths.map(|paths| paths.path(row)));
        idle.lock().expect("nobody panics with the lock").push(verifier);
        result
    };
    match find_first(queries.len(), 1, &|mut range| range.find(|&row| check(row).is_err())) {
        // Checked once more to tell what is wrong.
        Some(row) => Err((row, check(row).expect_err("it was wrong before"))),
        None => Ok(()),
    }
}

/// Stands for "as far as told, or further".
const FAR: Length = Length::new(u64::MAX, u64::MAX);

/// Proves answers, one after the other.
struct Verifier<'a> {
    grid: &'a Grid,
    moves: Moves,
    /// The potential, of cells that are nearer to the goal than told.
    potential: Vec<Length>,
    /// Those cells.
    near: Vec<u32>,
}

impl<'a> Verifier<'a> {
    fn new(grid: &'a Grid, moves: Moves) -> Result<Self, Error> {
        Ok(Self { grid, moves, potential: try_filled(grid.len(), FAR, "potentials")?, near: Vec::new() })
    }

    fn check(&mut self, query: Query, length: Option<Length>, path: Option<&[u32]>) -> Result<(), Complaint> {
        let [start, goal] = [query.start, query.goal].map(|[row, column]| [row as usize, column as usize]);
        if [start, goal].iter().any(|&[row, column]| row >= self.grid.rows() || column >= self.grid.cols()) {
            return Err(Complaint::Outside);
        }
        let [start, goal] = [start, goal].map(|[row, column]| (row * self.grid.cols() + column) as u32);
        let result = match length {
            None if path.is_some_and(|path| !path.is_empty()) => Err(Complaint::Ends),
            None => self.no_path(start, goal),
            Some(_) if self.cost_of(start) == 0 || self.cost_of(goal) == 0 => Err(Complaint::OnWall),
            Some(told) => self.shortest(start, goal, told, path),
        };
        for cell in self.near.drain(..) {
            self.potential[cell as usize] = FAR;
        }
        result
    }

    fn cost_of(&self, cell: u32) -> u64 {
        let cols = self.grid.cols();
        u64::from(self.grid.cost(cell as usize / cols, cell as usize % cols))
    }

    /// What a step costs, if it is one.
    fn step(&self, from: u32, to: u32) -> Option<Length> {
        let cols = self.grid.cols();
        let [(r, c), (s, d)] = [from, to].map(|cell| (cell as usize / cols, cell as usize % cols));
        let cost = self.grid.cost(s, d);
        if cost == 0 || self.grid.cost(r, c) == 0 {
            return None;
        }
        match (r.abs_diff(s), c.abs_diff(d)) {
            (0, 1) | (1, 0) => Some(Length::new(u64::from(cost), 0)),
            (1, 1) if self.moves == Moves::Eight && self.grid.cost(r, d) != 0 && self.grid.cost(s, c) != 0 => {
                Some(Length::new(0, u64::from(cost)))
            }
            _ => None,
        }
    }

    /// All cells around that are on the grid, whether a step leads there or not.
    fn around(&self, cell: u32) -> impl Iterator<Item = u32> + use<> {
        let (rows, cols) = (self.grid.rows(), self.grid.cols());
        let (row, column) = (cell as usize / cols, cell as usize % cols);
        let columns = column.saturating_sub(1)..(column + 2).min(cols);
        (row.saturating_sub(1)..(row + 2).min(rows))
            .flat_map(move |r| columns.clone().map(move |c| (r * cols + c) as u32))
            .filter(move |&other| other != cell)
    }

    fn shortest(&mut self, start: u32, goal: u32, told: Length, path: Option<&[u32]>) -> Result<(), Complaint> {
        if let Some(path) = path {
            self.walk(start, goal, told, path)?;
        }
        if start == goal {
            return if told == Length::ZERO {
                Ok(())
            } else {
                Err(Complaint::NotShortest { told, bound: Length::ZERO })
            };
        }
        self.make_potential(goal, told);
        self.check_potential(told);
        let bound = self.potential[start as usize].min(told);
        if bound != told {
            return Err(Complaint::NotShortest { told, bound });
        }
        if path.is_none() { self.descend(start, goal, told) } else { Ok(()) }
    }

    fn walk(&self, start: u32, goal: u32, told: Length, path: &[u32]) -> Result<(), Complaint> {
        if path.first() != Some(&start) || path.last() != Some(&goal) {
            return Err(Complaint::Ends);
        }
        let mut walked = Length::ZERO;
        for (at, step) in path.windows(2).enumerate() {
            let is_inside = (step[1] as usize) < self.grid.len();
            walked += is_inside.then(|| self.step(step[0], step[1])).flatten().ok_or(Complaint::Step(at))?;
        }
        if walked == told { Ok(()) } else { Err(Complaint::Length { told, walked }) }
    }

    /// Distances to the goal, up to what is told.
    fn make_potential(&mut self, goal: u32, told: Length) {
        let mut heap = BinaryHeap::from([(Reverse(Length::ZERO), goal)]);
        self.potential[goal as usize] = Length::ZERO;
        self.near.push(goal);
        while let Some((Reverse(height), cell)) = heap.pop() {
            if height != self.potential[cell as usize] {
                continue;
            }
            for before in self.around(cell) {
                let Some(cost) = self.step(before, cell) else { continue };
                let (next, old) = (height + cost, self.potential[before as usize]);
                if next < told && next < old {
                    if old == FAR {
                        self.near.push(before);
                    }
                    self.potential[before as usize] = next;
                    heap.push((Reverse(next), before));
                }
            }
        }
    }

    /// That no step gains more than it costs. Steps between cells as high as told gain nothing, so only those that end at
    /// lower cells are looked at.
    ///
    /// # Panics
    /// If it is not so: that would be a fault of this verifier, not of an answer.
    fn check_potential(&self, told: Length) {
        for &cell in &self.near {
            for before in self.around(cell) {
                if let Some(cost) = self.step(before, cell) {
                    let high = self.potential[before as usize].min(told);
                    assert!(
                        high <= self.potential[cell as usize] + cost,
                        "a step from {before} to {cell} gains too much"
                    );
                }
            }
        }
    }

    /// That there is a path of the length told, by one that loses height as fast as it can.
    fn descend(&self, start: u32, goal: u32, told: Length) -> Result<(), Complaint> {
        let (mut cell, mut height) = (start, told);
        while cell != goal {
            let lower = |&next: &u32| {
                let far = self.potential[next as usize];
                far != FAR && self.step(cell, next).is_some_and(|cost| far + cost == height)
            };
            cell = self.around(cell).find(lower).ok_or(Complaint::TooShort(told))?;
            height = self.potential[cell as usize];
        }
        Ok(())
    }

    /// That the cells which can be reached from the start are closed, and the goal is not among them.
    fn no_path(&mut self, start: u32, goal: u32) -> Result<(), Complaint> {
        if self.cost_of(start) == 0 || self.cost_of(goal) == 0 {
            return Ok(());
        }
        self.potential[start as usize] = Length::ZERO;
        self.near.push(start);
        let mut next = 0;
        while let Some(&cell) = self.near.get(next) {
            next += 1;
            for after in self.around(cell) {
                if self.potential[after as usize] == FAR && self.step(cell, after).is_some() {
                    self.potential[after as usize] = Length::ZERO;
                    self.near.push(after);
                }
            }
        }
        let is_reached = |cell: u32| self.potential[cell as usize] != FAR;
        let is_closed = self
            .near
            .iter()
            .all(|&cell| self.around(cell).all(|after| is_reached(after) || self.step(cell, after).is_none()));
        if is_reached(goal) || !is_closed { Err(Complaint::Connected) } else { Ok(()) }
    }
}
