//! How far a jump goes, from every cell in every direction.
//!
//! A *secondary* direction is scanned for cells with a forced neighbour: beside the way the cell is free, and behind that
//! there is a wall, so that the neighbour is not reached as well by another path. A *primary* direction is scanned for cells
//! from which a secondary one finds something. With eight neighbours the diagonal directions are primary and the straight
//! ones secondary; with four, left and right are primary, up and down secondary.
//!
//! A number above 0 is the distance of the next such cell, others are the number of free steps to a wall, negative. They have
//! eight bits, so that those of a cell and its landmarks' distances are in one line of the cache: memory is what a search
//! waits for. Directions are swept at the same time, a row after the other; all but the horizontal ones look at other rows
//! only, so that the compiler makes vectors of them.

use std::sync::atomic::AtomicU64;

use thalweg_core::Result;
use thalweg_core::error::try_filled;
use thalweg_core::memory::computed;

use super::super::rule::STEPS;
use super::super::{Grid, Moves};

/// Numbers of the directions, as in [`STEPS`].
pub(super) const UP: usize = 0;
pub(super) const DOWN: usize = 1;
pub(super) const LEFT: usize = 2;
pub(super) const RIGHT: usize = 3;

/// The furthest jump. Longer ones stop on the way, as if something were there.
const FURTHEST: i8 = 100;

/// The diagonal direction with these two parts.
pub(super) const fn diagonal(vertical: usize, horizontal: usize) -> usize {
    4 + 2 * (vertical - UP) + (horizontal - LEFT)
}

/// The two straight directions of a diagonal one.
pub(super) const fn parts(diagonal: usize) -> [usize; 2] {
    [UP + (diagonal - 4) / 2, LEFT + (diagonal - 4) % 2]
}

/// Jumps in all directions from a cell; 0 if not even a step is possible. With four neighbours the diagonal ones tell only
/// whether a step would be.
pub(super) type Jumps = [i8; 8];

/// What is known of a cell.
#[derive(Debug)]
pub(super) struct Cell {
    pub(super) jumps: Jumps,
    /// Distances from landmarks, once there are any.
    pub(super) marks: AtomicU64,
}

/// All cells, with a margin of walls.
pub(super) fn cells(grid: &Grid, moves: Moves) -> Result<Vec<Cell>> {
    let free = grid.padded(0, |row, column| u8::from(grid.is_free(row, column)))?;
    let sweep = Sweep { width: grid.cols() + 2, rows: grid.rows(), free };
    let (secondary, primary) = match moves {
        Moves::Four => (&[UP, DOWN][..], &[LEFT, RIGHT][..]),
        Moves::Eight => (&[UP, DOWN, LEFT, RIGHT][..], &[4, 5, 6, 7][..]),
    };
    let seconds = computed(secondary.len(), 1, "jumps", |i| sweep.all(secondary[i], Wanted::Forced))?;
    let seconds = seconds.into_iter().collect::<Result<Vec<_>>>()?;
    let firsts = computed(primary.len(), 1, "jumps", |i| {
        let [a, b] = match moves {
            Moves::Four => [UP, DOWN],
            Moves::Eight => parts(primary[i]),
        };
        sweep.all(primary[i], Wanted::Either(&seconds[a], &seconds[b]))
    })?;
    let firsts = firsts.into_iter().collect::<Result<Vec<_>>>()?;
    let steps: Vec<Vec<i8>> = match moves {
        Moves::Four => {
            computed(4, 1, "jumps", |i| sweep.all(4 + i, Wanted::Nothing))?.into_iter().collect::<Result<_>>()?
        }
        Moves::Eight => Vec::new(),
    };
    let all: Vec<&[i8]> = seconds.iter().chain(&firsts).chain(&steps).map(Vec::as_slice).collect();
    computed(sweep.free.len(), 1 << 14, "jumps", |at| Cell {
        jumps: std::array::from_fn(|direction| all[direction][at]),
        marks: AtomicU64::new(0),
    })
}

/// What a jump looks for.
#[derive(Clone, Copy)]
enum Wanted<'a> {
    /// Nothing: it goes on to a wall.
    Nothing,
    /// A forced neighbour.
    Forced,
    /// Cells from which one of these finds something.
    Either(&'a [i8], &'a [i8]),
}

struct Sweep {
    width: usize,
    rows: usize,
    /// 1 for free cells.
    free: Vec<u8>,
}

impl Sweep {
    fn step(&self, direction: usize) -> isize {
        let (down, right) = STEPS[direction];
        down * self.width as isize + right
    }

    /// The jumps of all cells in a direction.
    fn all(&self, direction: usize, wanted: Wanted<'_>) -> Result<Vec<i8>> {
        let (width, (down, right)) = (self.width, STEPS[direction]);
        let mut jumps = try_filled(self.free.len(), 0i8, "jumps")?;
        let mut stops = try_filled(width, 0i8, "jumps")?;
        let mut opens = try_filled(width, 0i8, "jumps")?;
        for k in 0..self.rows {
            // Where it leads to comes first.
            let row = if down > 0 { self.rows - k } else { k + 1 };
            self.look(row, direction, wanted, &mut stops, &mut opens);
            let (first, cols) = (row * width + 1, width - 2);
            if down == 0 {
                let line = &mut jumps[first - 1..first + cols + 1];
                let mut jump = 0;
                for k in 0..cols {
                    let at = if right > 0 { cols - k } else { k + 1 };
                    jump = further(jump, stops[at], opens[at]);
                    line[at] = jump;
                }
            } else {
                let (before, after) =
                    jumps.split_at_mut(first.max(first.wrapping_add_signed(down * width as isize)) - 1);
                let (here, there) = if down > 0 {
                    (&mut before[first..first + cols], &after[(1 + right) as usize..])
                } else {
                    let start = (first - width).wrapping_add_signed(right);
                    (&mut after[1..=cols], &before[start..])
                };
                let (stops, opens) = (&stops[1..=cols], &opens[1..=cols]);
                for (((here, there), &stop), &open) in here.iter_mut().zip(&there[..cols]).zip(stops).zip(opens) {
                    *here = further(*there, stop, open);
                }
            }
        }
        Ok(jumps)
    }

    /// For every cell of a row whether a step is possible (`opens`), and whether it leads to what is wanted (`stops`): all
    /// bits or none.
    fn look(&self, row: usize, direction: usize, wanted: Wanted<'_>, stops: &mut [i8], opens: &mut [i8]) {
        let (first, cols) = (row * self.width + 1, self.width - 2);
        let line = |step: isize| &self.free[first.wrapping_add_signed(step)..][..cols];
        let step = self.step(direction);
        let [one, other] = if direction < 4 { [direction; 2] } else { parts(direction) }.map(|part| self.step(part));
        let (opens, stops) = (&mut opens[1..=cols], &mut stops[1..=cols]);
        let (here, there, one, other) = (line(0), line(step), line(one), line(other));
        for (i, open) in opens.iter_mut().enumerate() {
            *open = -((here[i] & there[i] & one[i] & other[i]) as i8);
        }
        match wanted {
            Wanted::Nothing => stops.fill(0),
            Wanted::Forced => {
                let side = if direction < LEFT { 1 } else { self.width as isize };
                // Beside where the step leads, and beside where it begins.
                let (a, b, c, d) = (line(step - side), line(-side), line(step + side), line(side));
                for (i, stop) in stops.iter_mut().enumerate() {
                    *stop = -((a[i] & (b[i] ^ 1) | c[i] & (d[i] ^ 1)) as i8);
                }
            }
            Wanted::Either(a, b) => {
                let there = first.wrapping_add_signed(step);
                let (a, b) = (&a[there..there + cols], &b[there..there + cols]);
                for (i, stop) in stops.iter_mut().enumerate() {
                    *stop = -i8::from((a[i] > 0) | (b[i] > 0));
                }
            }
        }
    }
}

/// The jump from a cell, given that from the next one: without a branch.
#[inline(always)]
fn further(next: i8, stop: i8, open: i8) -> i8 {
    let found = if next >= FURTHEST { FURTHEST } else { next + 1 };
    let nothing = if next <= -FURTHEST { FURTHEST } else { next - 1 };
    let jump = if next > 0 { found } else { nothing };
    (jump & !stop | 1 & stop) & open
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps, one after the other.
    fn walked(grid: &Grid, moves: Moves, place: [usize; 2], direction: usize) -> i8 {
        let (down, right) = STEPS[direction];
        let is_free = |r: usize, c: usize| grid.is_free(r, c);
        let [mut row, mut column] = place;
        let mut count = 0;
        loop {
            let (r, c) = (row.wrapping_add_signed(down), column.wrapping_add_signed(right));
            if !is_free(row, column) || !is_free(r, c) || !is_free(row, c) || !is_free(r, column) {
                return -count;
            }
            count += 1;
            let is_primary = direction >= 4 || moves == Moves::Four && direction >= LEFT;
            let is_wanted = if is_primary {
                let parts = if direction >= 4 { parts(direction) } else { [UP, DOWN] };
                parts.into_iter().any(|part| walked(grid, moves, [r, c], part) > 0)
            } else {
                let sides = if direction < LEFT { [(0, -1), (0, 1)] } else { [(-1, 0), (1, 0)] };
                sides.into_iter().any(|(a, b)| {
                    let beside =
                        |row: usize, column: usize| is_free(row.wrapping_add_signed(a), column.wrapping_add_signed(b));
                    beside(r, c) && !beside(row, column)
                })
            };
            if is_wanted {
                return count;
            }
            (row, column) = (r, c);
        }
    }

    #[test]
    fn jumps_are_as_far_as_steps_find_something() {
        for (rows, cols, share) in [(1, 1, 9), (1, 40, 9), (40, 1, 9), (13, 29, 5), (31, 17, 3), (20, 90, 12)] {
            let is_wall = |r: usize, c: usize| ((r * 7919 + c * 104_729 + r * c * 31) % 97).is_multiple_of(share);
            let grid = Grid::from_fn(rows, cols, is_wall).unwrap();
            for moves in [Moves::Four, Moves::Eight] {
                let cells = cells(&grid, moves).unwrap();
                for at in 0..rows * cols {
                    let [row, column] = [at / cols, at % cols];
                    let jumps = cells[(row + 1) * (cols + 2) + column + 1].jumps;
                    for (direction, &jump) in jumps[..moves.count()].iter().enumerate() {
                        let want = walked(&grid, moves, [row, column], direction);
                        assert_eq!(jump, want, "{rows} x {cols}, {moves} moves, {row} {column} {direction}");
                    }
                }
            }
        }
    }

    #[test]
    fn long_ways_have_stops() {
        let grid = Grid::from_fn(1, 1000, |_, _| false).unwrap();
        let cells = cells(&grid, Moves::Eight).unwrap();
        let right = |column: usize| cells[1002 + column + 1].jumps[RIGHT];
        assert_eq!((right(999), right(998), right(899), right(898), right(0)), (0, -1, -100, 100, 100));
    }
}
