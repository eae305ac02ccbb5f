//! A* over jump points, for grids without costs.
//!
//! D. Harabor, A. Grastien, "Online graph pruning for pathfinding on grid maps", 2011, and "Improving jump point search",
//! 2014: of paths that differ only in the order of their steps one is looked at, that with diagonal steps first (with four
//! neighbours, horizontal ones). So a search jumps from one cell where a wall forces a turn to the next. How far is told by
//! [`tables`], made once for a grid, and after many queries [`landmarks`] help.
//!
//! Here all shortest paths of that order are found, not one of them: cells with an f of up to the length are visited, and
//! arrivals at the same distance from other directions are kept. So the path of the [rule](super::rule) is among them.
//!
//! Distances are exact; the order of the visits is that of floating-point numbers in buckets, and a cell to which a shorter
//! path turns up is visited again. Memory: 16 bytes a cell, and 16 for every thread.

mod distance;
mod landmarks;
mod queue;
mod successors;
mod tables;
mod walk;

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use thalweg_core::memory::filled;
use thalweg_core::simd::prefetch;
use thalweg_core::{Error, Result};

use self::distance::Distance;
use self::landmarks::{Landmarks, Marks};
use self::queue::Queue;
use self::successors::{possible, successors};
use self::tables::{Cell, cells};
use super::rule::STEPS;
use super::search::{Pool, Search, Searcher, Taken};
use super::{Grid, Length, Moves};

/// How far two floating-point sums of equal lengths may be apart, at most, relatively.
const ROUNDING: f64 = 1e-14;
/// Cells that are taken from the queue together. One after the other, with smaller tables too, took twice the time; 8 and 32
/// were not faster than 16.
const TOGETHER: usize = 16;
/// After so many queries landmarks are set: where walls are scattered they save a third to a half of a search, which pays for
/// them after some 100 to 250 queries; in rooms they save little.
const MANY: usize = 256;
const MANY_IN_ROOMS: usize = 4096;
/// Not on larger grids, where 32 bits might not hold 41 times a distance.
const MAX_CELLS: usize = 1 << 26;

/// A* over jump points.
#[derive(Debug)]
struct Jump {
    moves: Moves,
    cells: Vec<Cell>,
    width: usize,
    asked: AtomicUsize,
    /// `None` if there was no memory for them.
    landmarks: OnceLock<Option<Landmarks>>,
    pool: Pool<State>,
}

/// The engine for these moves.
pub(super) fn prepare(grid: &Grid, moves: Moves) -> Result<Box<dyn Search>> {
    let width = grid.cols() + 2;
    if width * (grid.rows() + 2) > u32::MAX as usize {
        let reason =
            format!("jump numbers cells and a margin with 32 bits, and {grid:?} has too many; dijkstra does not");
        return Err(Error::BadOption { option: "engine", reason });
    }
    let (asked, landmarks) = (AtomicUsize::new(0), OnceLock::new());
    Ok(Box::new(Jump { moves, cells: cells(grid, moves)?, width, asked, landmarks, pool: Pool::new() }))
}

impl Jump {
    fn with_margin(&self, cell: u32, cols: usize) -> u32 {
        let (row, column) = (cell as usize / cols, cell as usize % cols);
        ((row + 1) * self.width + column + 1) as u32
    }
}

impl Search for Jump {
    fn expect(&self, grid: &Grid, queries: usize, cell: u32) {
        let asked = self.asked.fetch_add(queries, Relaxed).saturating_add(queries);
        let many = if grid.is_scattered() { MANY } else { MANY_IN_ROOMS };
        if asked >= many && self.cells.len() <= MAX_CELLS {
            self.landmarks.get_or_init(|| {
                let cell = self.with_margin(cell, grid.cols()) as usize;
                Landmarks::set(&self.cells, self.width, self.moves, cell).ok()
            });
        }
    }

    fn searcher<'a>(&'a self, grid: &'a Grid) -> Result<Box<dyn Searcher + 'a>> {
        let state = self.pool.take(|| {
            Ok(State {
                nodes: filled(self.cells.len(), Node::default(), "search")?,
                epoch: 0,
                queue: Queue::new(),
                arrivals: Vec::new(),
            })
        })?;
        let run = Run {
            engine: self,
            landmarks: self.landmarks.get().copied().flatten(),
            cols: grid.cols(),
            state,
            goal: 0,
            goal_place: [0; 2],
            goal_marks: Marks::default(),
            limit: f64::INFINITY,
        };
        Ok(match self.moves {
            Moves::Four => Box::new(ByMoves::<false>(run)),
            Moves::Eight => Box::new(ByMoves::<true>(run)),
        })
    }
}

/// What a thread needs.
#[derive(Debug)]
struct State {
    nodes: Vec<Node>,
    epoch: u32,
    queue: Queue,
    arrivals: Vec<Arrival>,
}

/// A cell that a search came to.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    distance: Distance,
    /// The query's number.
    stamp: u32,
    /// Directions in which shortest paths arrive.
    arrivals: u8,
    /// Those of them from which the search has gone on.
    done: u8,
}

struct ByMoves<'a, const EIGHT: bool>(Run<'a>);

impl<const EIGHT: bool> Searcher for ByMoves<'_, EIGHT> {
    fn find(&mut self, start: u32, goal: u32, path: Option<&mut Vec<u32>>) -> Result<Length> {
        let run = &mut self.0;
        let [start, goal] = [start, goal].map(|cell| run.engine.with_margin(cell, run.cols));
        run.search::<EIGHT>(start, goal);
        if let Some(path) = path {
            run.walk(start, path);
        }
        Ok(run.state.nodes[goal as usize].distance.length())
    }
}

struct Run<'a> {
    engine: &'a Jump,
    landmarks: Option<Landmarks>,
    cols: usize,
    state: Taken<'a, State>,
    goal: u32,
    goal_place: [i32; 2],
    goal_marks: Marks,
    /// The length of the shortest path to the goal so far, and a little more.
    limit: f64,
}

impl Run<'_> {
    /// Row and column.
    #[inline(always)]
    fn place(&self, cell: u32) -> [i32; 2] {
        let width = self.engine.width as u32;
        [(cell / width) as i32, (cell % width) as i32]
    }

    /// What is left to the goal, at least.
    #[inline(always)]
    fn left<const EIGHT: bool>(&self, cell: usize, [row, column]: [i32; 2]) -> f64 {
        let [rows, columns] = [row.abs_diff(self.goal_place[0]), column.abs_diff(self.goal_place[1])];
        let left = if EIGHT {
            let (least, most) = (rows.min(columns), rows.max(columns));
            f64::from(most - least) + f64::from(least) * std::f64::consts::SQRT_2
        } else {
            f64::from(rows) + f64::from(columns)
        };
        match self.landmarks {
            Some(landmarks) => {
                let marks = self.engine.cells[cell].marks.load(Relaxed);
                left.max(landmarks.apart(marks, self.goal_marks))
            }
            None => left,
        }
    }

    fn search<const EIGHT: bool>(&mut self, start: u32, goal: u32) {
        (self.goal, self.goal_place, self.limit) = (goal, self.place(goal), f64::INFINITY);
        self.goal_marks = self.engine.cells[goal as usize].marks.load(Relaxed);
        let left = self.left::<EIGHT>(start as usize, self.place(start));
        let state = &mut *self.state;
        if state.epoch == u32::MAX {
            state.nodes.iter_mut().for_each(|node| node.stamp = 0);
            state.epoch = 0;
        }
        state.epoch += 1;
        state.queue.clear(left);
        state.nodes[start as usize] = Node { stamp: state.epoch, ..Node::default() };
        self.go_on::<EIGHT>(start, Distance::default(), if EIGHT { 0xff } else { 0x0f });
        self.arrive_all::<EIGHT>();
        let mut some = [0; TOGETHER];
        loop {
            // Memory is asked for several cells before the first is looked at, and for all cells that they jump to. In what
            // order cells of a bucket come does not matter.
            let count = self.state.queue.pop_some(self.limit, &mut some);
            if count == 0 {
                break;
            }
            for &cell in &some[..count] {
                prefetch(&self.state.nodes, cell as usize);
                prefetch(&self.engine.cells, cell as usize);
            }
            for &cell in &some[..count] {
                let node = &mut self.state.nodes[cell as usize];
                let (fresh, old) = (node.arrivals & !node.done, node.done);
                if fresh == 0 || cell == goal {
                    continue;
                }
                node.done |= fresh;
                let distance = node.distance;
                let possible = possible(&self.engine.cells[cell as usize].jumps);
                let directions = successors::<EIGHT>(fresh, possible) & !successors::<EIGHT>(old, possible);
                self.go_on::<EIGHT>(cell, distance, directions & possible);
            }
            self.arrive_all::<EIGHT>();
        }
    }

    /// Jumps from a cell in these directions.
    #[inline(always)]
    fn go_on<const EIGHT: bool>(&mut self, cell: u32, distance: Distance, mut directions: u8) {
        let (place, jumps) = (self.place(cell), self.engine.cells[cell as usize].jumps);
        let state = &mut *self.state;
        while directions != 0 {
            let direction = directions.trailing_zeros() as usize;
            directions &= directions - 1;
            let steps = steps::<EIGHT>(self.goal_place, place, direction, jumps[direction]);
            if steps > 0 {
                let (down, right) = STEPS[direction];
                let next = (cell as isize + (down * self.engine.width as isize + right) * steps as isize) as u32;
                prefetch(&state.nodes, next as usize);
                prefetch(&self.engine.cells, next as usize);
                state.arrivals.push(Arrival {
                    cell: next,
                    direction: direction as u8,
                    place: [place[0] + down as i32 * steps, place[1] + right as i32 * steps],
                    distance: distance.plus(steps as u32, direction >= 4),
                });
            }
        }
    }

    #[inline(always)]
    fn arrive_all<const EIGHT: bool>(&mut self) {
        for at in 0..self.state.arrivals.len() {
            let arrival = self.state.arrivals[at];
            self.arrive::<EIGHT>(arrival);
        }
        self.state.arrivals.clear();
    }

    #[inline(always)]
    fn arrive<const EIGHT: bool>(&mut self, Arrival { cell, direction, place, distance }: Arrival) {
        let next = cell as usize;
        let (node, epoch) = (self.state.nodes[next], self.state.epoch);
        let is_new = node.stamp != epoch || distance.is_less(node.distance);
        if !is_new && distance != node.distance {
            return;
        }
        let approximate = distance.approximate();
        let f = approximate + self.left::<EIGHT>(next, place);
        if f > self.limit {
            return;
        }
        let (arrivals, done) = if is_new { (0, 0) } else { (node.arrivals, node.done) };
        self.state.nodes[next] = Node { distance, stamp: epoch, arrivals: arrivals | 1 << direction, done };
        // If it waits already, it is in the queue.
        if arrivals & !done == 0 {
            self.state.queue.push(f, cell);
        }
        if cell == self.goal {
            self.limit = approximate * (1.0 + ROUNDING);
        }
    }
}

/// Where a jump ends.
#[derive(Clone, Copy, Debug)]
struct Arrival {
    cell: u32,
    direction: u8,
    place: [i32; 2],
    distance: Distance,
}

/// How far to jump; 0 for not at all. Jumps stop at the goal, and primary ones where a secondary one may lead to it.
#[inline(always)]
fn steps<const EIGHT: bool>(goal: [i32; 2], place: [i32; 2], direction: usize, jump: i8) -> i32 {
    let (down, right) = STEPS[direction];
    let rows = (goal[0] - place[0]) * down as i32;
    let columns = (goal[1] - place[1]) * right as i32;
    // How many steps to a place of interest; none if that is not above 0.
    let stop = match (down != 0, right != 0) {
        (true, true) => rows.min(columns),
        (true, false) if goal[1] == place[1] => rows,
        (false, true) if !EIGHT || goal[0] == place[0] => columns,
        _ => 0,
    };
    let jump = i32::from(jump);
    if stop > 0 && stop <= jump.abs() { stop } else { jump.max(0) }
}
