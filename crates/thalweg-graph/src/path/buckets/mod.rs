//! A* with a bucket queue, for all grids.
//!
//! P. E. Hart, N. J. Nilsson, B. Raphael, "A formal basis for the heuristic determination of minimum cost paths", 1968: cells
//! are taken in the order of f, the distance from the start plus what is left at least, which is the distance in a grid
//! without walls where every cell has the least cost. Distances are exact; the order is that of floating-point numbers, so
//! a cell may be taken a rounding error too early, and is taken again if a shorter path to it turns up.
//!
//! Cells that a query has seen are told by the query's number in them, so that nothing is ever cleared. Work: O(log b) for
//! every cell with a smaller f than the length, of which b are in the current bucket. Cells whose f *equals* the length are
//! many where there are few walls, and are visited only if the path's rule asks for one of them. Memory: 4 bytes a cell, and
//! 16 (24 with eight neighbours) for every thread.

mod measure;
mod queue;

use thalweg_core::memory::filled;
use thalweg_core::{Error, Result};

use self::measure::Measure;
use self::queue::Queue;
use super::rule::STEPS;
use super::search::{Pool, Search, Searcher, Taken};
use super::{Grid, Length, Moves};

/// How far two floating-point sums of equal lengths may be apart, at most, relatively.
const ROUNDING: f64 = 1e-14;

/// A* with a bucket queue.
#[derive(Debug)]
struct Buckets<M> {
    moves: Moves,
    /// Costs with a margin of walls.
    costs: Vec<u32>,
    width: usize,
    least: u32,
    most: u32,
    pool: Pool<State<M>>,
}

/// The engine for these moves.
pub(super) fn prepare(grid: &Grid, moves: Moves) -> Result<Box<dyn Search>> {
    Ok(match moves {
        Moves::Four => Box::new(Buckets::<u64>::new(grid, moves)?),
        Moves::Eight => Box::new(Buckets::<Length>::new(grid, moves)?),
    })
}

impl<M: Measure> Buckets<M> {
    fn new(grid: &Grid, moves: Moves) -> Result<Self> {
        let width = grid.cols() + 2;
        if width * (grid.rows() + 2) > u32::MAX as usize {
            let reason = format!(
                "buckets numbers cells and a margin with 32 bits, and {grid:?} has too many; dijkstra does not"
            );
            return Err(Error::BadOption { option: "engine", reason });
        }
        let costs = grid.padded(0, |row, column| grid.cost(row, column))?;
        let free = || costs.iter().copied().filter(|&cost| cost > 0);
        let (least, most) = (free().min().unwrap_or(1), free().max().unwrap_or(1));
        Ok(Self { moves, costs, width, least, most, pool: Pool::new() })
    }
}

impl<M: Measure> Search for Buckets<M> {
    fn searcher<'a>(&'a self, grid: &'a Grid) -> Result<Box<dyn Searcher + 'a>> {
        let state = self.pool.take(|| {
            let seen = filled(self.costs.len(), Seen { distance: M::ZERO, stamp: 0 }, "search")?;
            Ok(State { seen, epoch: 0, queue: Queue::new(self.least, self.most) })
        })?;
        Ok(Box::new(Run { engine: self, cols: grid.cols(), state, goal: 0, goal_place: [0; 2] }))
    }
}

/// What a thread needs.
#[derive(Debug)]
struct State<M> {
    seen: Vec<Seen<M>>,
    /// The stamp of this query's open cells; one more is that of closed ones.
    epoch: u32,
    queue: Queue,
}

#[derive(Clone, Copy, Debug)]
struct Seen<M> {
    distance: M,
    stamp: u32,
}

struct Run<'a, M: Measure> {
    engine: &'a Buckets<M>,
    cols: usize,
    state: Taken<'a, State<M>>,
    goal: u32,
    goal_place: [i64; 2],
}

impl<M: Measure> Searcher for Run<'_, M> {
    fn find(&mut self, start: u32, goal: u32, path: Option<&mut Vec<u32>>) -> Result<Length> {
        let [start, goal] = [start, goal].map(|cell| self.with_margin(cell));
        self.begin(start, goal);
        self.until(f64::INFINITY);
        let length = self.state.seen[goal as usize].distance;
        let high = length.approximate();
        if !length.is_told_apart() {
            // There may be a shorter one by less than floating-point numbers see.
            self.until(high * (1.0 + ROUNDING));
        }
        if let Some(path) = path {
            self.walk(start, high * (1.0 + ROUNDING), path);
        }
        Ok(self.state.seen[goal as usize].distance.length())
    }
}

impl<M: Measure> Run<'_, M> {
    fn with_margin(&self, cell: u32) -> u32 {
        let (row, column) = (cell as usize / self.cols, cell as usize % self.cols);
        ((row + 1) * self.engine.width + column + 1) as u32
    }

    fn place(&self, cell: u32) -> [i64; 2] {
        [(cell as usize / self.engine.width) as i64, (cell as usize % self.engine.width) as i64]
    }

    /// What is left from a cell to the goal, at least.
    #[inline(always)]
    fn left(&self, cell: u32) -> f64 {
        let [[row, column], [r, c]] = [self.place(cell), self.goal_place];
        M::without_walls((row - r).unsigned_abs(), (column - c).unsigned_abs()) * f64::from(self.engine.least)
    }

    fn begin(&mut self, start: u32, goal: u32) {
        (self.goal, self.goal_place) = (goal, self.place(goal));
        let left = self.left(start);
        let state = &mut *self.state;
        if state.epoch > u32::MAX - 4 {
            state.seen.iter_mut().for_each(|seen| seen.stamp = 0);
            state.epoch = 0;
        }
        state.epoch += 2;
        state.queue.clear(left);
        state.seen[start as usize] = Seen { distance: M::ZERO, stamp: state.epoch };
        state.queue.push(left, left as f32, start);
    }

    /// Takes cells with an f of up to `limit`; without a limit, until the goal is taken.
    fn until(&mut self, limit: f64) {
        while let Some((f, cell)) = self.state.queue.pop(limit) {
            let state = &mut *self.state;
            let seen = &mut state.seen[cell as usize];
            if seen.stamp != state.epoch {
                continue;
            }
            seen.stamp = state.epoch + 1;
            if cell != self.goal {
                self.expand(cell);
            } else if limit == f64::INFINITY {
                // It may have to be passed once more, if rounding made it too early.
                debug_assert!(f.is_finite());
                return;
            }
        }
    }

    fn expand(&mut self, cell: u32) {
        let (width, epoch) = (self.engine.width as isize, self.state.epoch);
        let distance = self.state.seen[cell as usize].distance;
        for (step, &(down, right)) in STEPS[..self.engine.moves.count()].iter().enumerate() {
            let next = (cell as usize).wrapping_add_signed(down * width + right);
            let cost = self.engine.costs[next];
            if cost == 0 || step >= 4 && self.cuts_corner(cell as usize, down * width, right) {
                continue;
            }
            let distance = distance.plus(cost, step >= 4);
            let seen = &mut self.state.seen[next];
            if seen.stamp & !1 != epoch || distance.is_less(seen.distance) {
                *seen = Seen { distance, stamp: epoch };
                let left = self.left(next as u32);
                self.state.queue.push(distance.approximate() + left, left as f32, next as u32);
            }
        }
    }

    #[inline(always)]
    fn cuts_corner(&self, cell: usize, down: isize, right: isize) -> bool {
        let is_wall = |step: isize| self.engine.costs[cell.wrapping_add_signed(step)] == 0;
        is_wall(down) || is_wall(right)
    }

    /// The path by the rule. A cell that was not reached may be on a shortest path if its f could be the length: then all of
    /// those are taken, once.
    fn walk(&mut self, start: u32, limit: f64, path: &mut Vec<u32>) {
        let (begin, width, cols) = (path.len(), self.engine.width as isize, self.cols);
        let mut cell = self.goal as usize;
        let flat = |cell: usize| ((cell / width as usize - 1) * cols + cell % width as usize - 1) as u32;
        path.push(flat(cell));
        let mut is_finished = false;
        while cell != start as usize {
            let here = self.state.seen[cell].distance;
            let cost = self.engine.costs[cell];
            let mut before = None;
            for (step, &(down, right)) in STEPS[..self.engine.moves.count()].iter().enumerate() {
                let next = cell.wrapping_add_signed(down * width + right);
                if self.engine.costs[next] == 0 || step >= 4 && self.cuts_corner(cell, down * width, right) {
                    continue;
                }
                let Some(wanted) = here.minus(cost, step >= 4) else { continue };
                let is_reached = |state: &State<M>| {
                    let seen = &state.seen[next];
                    seen.stamp & !1 == state.epoch && seen.distance == wanted
                };
                if !is_reached(&self.state) && !is_finished && self.is_undecided(next, wanted, limit) {
                    self.until(limit);
                    is_finished = true;
                }
                if is_reached(&self.state) {
                    before = Some(next);
                    break;
                }
            }
            cell = before.expect("a cell before");
            path.push(flat(cell));
        }
        path[begin..].reverse();
    }

    /// Whether a cell that has another distance than wanted, or none, may still get it.
    fn is_undecided(&self, cell: usize, wanted: M, limit: f64) -> bool {
        self.state.seen[cell].stamp != self.state.epoch + 1 && wanted.approximate() + self.left(cell as u32) <= limit
    }
}
