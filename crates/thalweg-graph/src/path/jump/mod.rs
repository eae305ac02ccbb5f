//! A* over jump points, for grids without costs.
//!
//! D. Harabor, A. Grastien, "Online graph pruning for pathfinding on grid maps", 2011, and "Improving jump point search",
//! 2014: of paths that differ only in the order of their steps one is looked at, that with diagonal steps first (with four
//! neighbours, horizontal ones). So a search jumps from one cell where a wall forces a turn to the next. How far is told by
//! [tables](tables), made once for a grid.
//!
//! Here all shortest paths of that order are found, not one of them: cells with an f of up to the length are visited, and
//! arrivals at the same distance from other directions are kept. So the path of the [rule](super::rule) is among them.
//!
//! Distances are exact; the order of the visits is that of floating-point numbers in buckets, and a cell to which a shorter
//! path turns up is visited again. Memory: 16 bytes a cell, and 16 for every thread.

mod distance;
mod queue;
mod tables;
mod walk;

use thalweg_core::memory::filled;
use thalweg_core::{Error, Result};

use self::distance::Distance;
use self::queue::Queue;
use self::tables::{DOWN, Jumps, LEFT, RIGHT, UP, diagonal, jumps, parts};
use super::rule::STEPS;
use super::search::{Pool, Search, Searcher, Taken};
use super::{Grid, Length, Moves};

/// How far two floating-point sums of equal lengths may be apart, at most, relatively.
const ROUNDING: f64 = 1e-14;

/// A* over jump points.
#[derive(Debug)]
struct Jump {
    moves: Moves,
    jumps: Vec<Jumps>,
    width: usize,
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
    Ok(Box::new(Jump { moves, jumps: jumps(grid, moves)?, width, pool: Pool::new() }))
}

impl Search for Jump {
    fn searcher<'a>(&'a self, grid: &'a Grid) -> Result<Box<dyn Searcher + 'a>> {
        let state = self.pool.take(|| {
            Ok(State { nodes: filled(self.jumps.len(), Node::default(), "search")?, epoch: 0, queue: Queue::new() })
        })?;
        let run = Run { engine: self, cols: grid.cols(), state, goal: 0, goal_place: [0; 2], limit: f64::INFINITY };
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
}

/// A cell that a search came to.
#[derive(Clone, Copy, Debug, Default)]
struct Node {
    distance: Distance,
    /// The query's number.
    stamp: u32,
    /// Directions in which shortest paths arrive.
    arrivals: u8,
    /// Directions in which to go on.
    waiting: u8,
    /// Directions in which the search has gone on.
    done: u8,
}

struct ByMoves<'a, const EIGHT: bool>(Run<'a>);

impl<const EIGHT: bool> Searcher for ByMoves<'_, EIGHT> {
    fn find(&mut self, start: u32, goal: u32, path: Option<&mut Vec<u32>>) -> Result<Length> {
        let run = &mut self.0;
        let [start, goal] = [start, goal].map(|cell| run.with_margin(cell));
        run.begin::<EIGHT>(start, goal);
        run.search::<EIGHT>();
        if let Some(path) = path {
            run.walk(start, path);
        }
        Ok(run.state.nodes[goal as usize].distance.length())
    }
}

struct Run<'a> {
    engine: &'a Jump,
    cols: usize,
    state: Taken<'a, State>,
    goal: u32,
    goal_place: [i32; 2],
    /// The length of the shortest path to the goal so far, and a little more.
    limit: f64,
}

impl Run<'_> {
    fn with_margin(&self, cell: u32) -> u32 {
        let (row, column) = (cell as usize / self.cols, cell as usize % self.cols);
        ((row + 1) * self.engine.width + column + 1) as u32
    }

    /// Row and column.
    #[inline(always)]
    fn place(&self, cell: u32) -> [i32; 2] {
        let width = self.engine.width as u32;
        [(cell / width) as i32, (cell % width) as i32]
    }

    /// What is left to the goal, at least.
    #[inline(always)]
    fn left<const EIGHT: bool>(&self, [row, column]: [i32; 2]) -> f64 {
        let [rows, columns] = [row.abs_diff(self.goal_place[0]), column.abs_diff(self.goal_place[1])];
        if EIGHT {
            let (least, most) = (rows.min(columns), rows.max(columns));
            f64::from(most - least) + f64::from(least) * std::f64::consts::SQRT_2
        } else {
            f64::from(rows) + f64::from(columns)
        }
    }

    fn begin<const EIGHT: bool>(&mut self, start: u32, goal: u32) {
        (self.goal, self.goal_place, self.limit) = (goal, self.place(goal), f64::INFINITY);
        let left = self.left::<EIGHT>(self.place(start));
        let state = &mut *self.state;
        if state.epoch == u32::MAX {
            state.nodes.iter_mut().for_each(|node| node.stamp = 0);
            state.epoch = 0;
        }
        state.epoch += 1;
        state.queue.clear(left);
        let waiting = if EIGHT { 0xff } else { 0x0f };
        state.nodes[start as usize] =
            Node { distance: Distance::default(), stamp: state.epoch, arrivals: 0, waiting, done: 0 };
        state.queue.push(left, start);
    }

    fn search<const EIGHT: bool>(&mut self) {
        while let Some(cell) = self.state.queue.pop(self.limit) {
            let node = &mut self.state.nodes[cell as usize];
            let (distance, mut waiting) = (node.distance, node.waiting);
            if waiting == 0 {
                continue;
            }
            node.done |= waiting;
            node.waiting = 0;
            let place = self.place(cell);
            if distance.approximate() + self.left::<EIGHT>(place) > self.limit || cell == self.goal {
                continue;
            }
            let jumps = self.engine.jumps[cell as usize];
            while waiting != 0 {
                let direction = waiting.trailing_zeros() as usize;
                waiting &= waiting - 1;
                let steps = self.steps::<EIGHT>(place, direction, jumps[direction]);
                if steps > 0 {
                    self.arrive::<EIGHT>(cell, place, direction, steps, distance);
                }
            }
        }
    }

    /// How far to jump; 0 for not at all. Jumps stop at the goal, and primary ones where a secondary one may lead to it.
    #[inline(always)]
    fn steps<const EIGHT: bool>(&self, place: [i32; 2], direction: usize, jump: i16) -> i32 {
        let (down, right) = STEPS[direction];
        let rows = (self.goal_place[0] - place[0]) * down as i32;
        let columns = (self.goal_place[1] - place[1]) * right as i32;
        // How many steps to a place of interest; 0 if there is none in this direction.
        let stop = match (down != 0, right != 0) {
            (true, true) => rows.min(columns),
            (true, false) if self.goal_place[1] == place[1] => rows,
            (false, true) if !EIGHT || self.goal_place[0] == place[0] => columns,
            _ => 0,
        };
        let jump = i32::from(jump);
        if stop > 0 && stop <= jump.abs() { stop } else { jump.max(0) }
    }

    #[inline(always)]
    fn arrive<const EIGHT: bool>(
        &mut self,
        cell: u32,
        place: [i32; 2],
        direction: usize,
        steps: i32,
        distance: Distance,
    ) {
        let (down, right) = STEPS[direction];
        let place = [place[0] + down as i32 * steps, place[1] + right as i32 * steps];
        let next = (cell as isize + (down * self.engine.width as isize + right) * steps as isize) as usize;
        let distance = distance.plus(steps as u32, direction >= 4);
        let epoch = self.state.epoch;
        let node = &mut self.state.nodes[next];
        let (done, arrivals) = if node.stamp != epoch || distance.is_less(node.distance) {
            (0, 0)
        } else if distance == node.distance {
            (node.done | node.waiting, node.arrivals)
        } else {
            return;
        };
        let approximate = distance.approximate();
        let f = approximate + {
            let [rows, columns] = [place[0].abs_diff(self.goal_place[0]), place[1].abs_diff(self.goal_place[1])];
            let (least, most) = (rows.min(columns), rows.max(columns));
            if EIGHT {
                f64::from(most - least) + f64::from(least) * std::f64::consts::SQRT_2
            } else {
                f64::from(rows) + f64::from(columns)
            }
        };
        if f > self.limit {
            return;
        }
        let wanted = successors::<EIGHT>(direction, &self.engine.jumps[next]);
        let new = wanted & !done;
        let was_waiting = if done == 0 { 0 } else { node.waiting };
        *node = Node {
            distance,
            stamp: epoch,
            arrivals: arrivals | 1 << direction,
            waiting: was_waiting | new,
            done: if arrivals == 0 { 0 } else { node.done },
        };
        if new != 0 {
            self.state.queue.push(f, next as u32);
        }
        if next == self.goal as usize {
            self.limit = approximate * (1.0 + ROUNDING);
        }
    }
}

/// The directions in which shortest paths go on that arrive in a direction, unless there is another one as short that has
/// its primary steps earlier.
#[inline(always)]
fn successors<const EIGHT: bool>(direction: usize, jumps: &Jumps) -> u8 {
    let is_primary = if EIGHT { direction >= 4 } else { direction >= LEFT };
    if is_primary {
        let [a, b] = if EIGHT { parts(direction) } else { [UP, DOWN] };
        return 1 << direction | 1 << a | 1 << b;
    }
    let mut successors = 1 << direction;
    let sides = if direction < LEFT { [LEFT, RIGHT] } else { [UP, DOWN] };
    for side in sides {
        // Beside the way it is free, and behind that there is a wall.
        let behind = if direction < LEFT { diagonal(direction ^ 1, side) } else { diagonal(side, direction ^ 1) };
        if jumps[side] != 0 && jumps[behind] == 0 {
            successors |= 1 << side;
            if EIGHT {
                successors |= 1 << if direction < LEFT { diagonal(direction, side) } else { diagonal(side, direction) };
            }
        }
    }
    successors
}
