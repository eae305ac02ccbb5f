//! How far a jump goes, from every cell in every direction.
//!
//! A *secondary* direction is scanned for cells with a forced neighbour: beside the way the cell is free, and behind that
//! there is a wall, so that the neighbour is not reached as well by another path. A *primary* direction is scanned for cells
//! from which a secondary one finds something. With eight neighbours the diagonal directions are primary and the straight
//! ones secondary; with four, left and right are primary, up and down secondary.
//!
//! A number above 0 is the distance of the next such cell, others are the number of free steps to a wall, negative.

use thalweg_core::Result;
use thalweg_core::error::try_with_capacity;
use thalweg_core::memory::computed;

use super::super::rule::STEPS;
use super::super::{Grid, Moves};

/// Numbers of the directions, as in [`STEPS`].
pub(super) const UP: usize = 0;
pub(super) const DOWN: usize = 1;
pub(super) const LEFT: usize = 2;
pub(super) const RIGHT: usize = 3;

/// The furthest jump. Longer ones stop on the way, as if something were there.
const FURTHEST: i16 = 1 << 14;

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
pub(super) type Jumps = [i16; 8];

/// The jumps of all cells, with a margin of walls.
pub(super) fn jumps(grid: &Grid, moves: Moves) -> Result<Vec<Jumps>> {
    let sweep = Sweep { width: grid.cols() + 2, free: grid.padded(false, |row, column| grid.is_free(row, column))? };
    // Directions are swept at the same time, first the secondary ones.
    let (secondary, primary) = match moves {
        Moves::Four => (&[UP, DOWN][..], &[LEFT, RIGHT][..]),
        Moves::Eight => (&[UP, DOWN, LEFT, RIGHT][..], &[4, 5, 6, 7][..]),
    };
    let seconds = computed(secondary.len(), 1, "jumps", |i| {
        sweep.all(secondary[i], |at| sweep.is_forced(at, secondary[i], moves))
    })?;
    let seconds = seconds.into_iter().collect::<Result<Vec<_>>>()?;
    let firsts = computed(primary.len(), 1, "jumps", |i| {
        let [a, b] = match moves {
            Moves::Four => [UP, DOWN],
            Moves::Eight => parts(primary[i]),
        };
        let [a, b] = [a, b].map(|direction| &seconds[direction]);
        sweep.all(primary[i], |at| a[at] > 0 || b[at] > 0)
    })?;
    let firsts = firsts.into_iter().collect::<Result<Vec<_>>>()?;
    computed(sweep.free.len(), 1 << 14, "jumps", |at| {
        let mut jumps = [0; 8];
        for (&direction, numbers) in secondary.iter().chain(primary).zip(seconds.iter().chain(&firsts)) {
            jumps[direction] = numbers[at];
        }
        if moves == Moves::Four && sweep.free[at] {
            (4..8).for_each(|direction| jumps[direction] = i16::from(sweep.is_step(at, direction)));
        }
        jumps
    })
}

struct Sweep {
    width: usize,
    free: Vec<bool>,
}

impl Sweep {
    fn step(&self, direction: usize) -> isize {
        let (down, right) = STEPS[direction];
        down * self.width as isize + right
    }

    /// Whether a step from a free cell inside is allowed.
    #[inline(always)]
    fn is_step(&self, at: usize, direction: usize) -> bool {
        let is_free = |direction: usize| self.free[at.wrapping_add_signed(self.step(direction))];
        is_free(direction) && (direction < 4 || parts(direction).into_iter().all(is_free))
    }

    /// Whether a free cell, reached in this straight direction from a free one, has a forced neighbour.
    #[inline(always)]
    fn is_forced(&self, at: usize, direction: usize, moves: Moves) -> bool {
        let back = self.step(direction);
        let sides = if direction < LEFT || moves == Moves::Four { [LEFT, RIGHT] } else { [UP, DOWN] };
        sides.into_iter().any(|side| {
            let beside = at.wrapping_add_signed(self.step(side));
            self.free[beside] && !self.free[beside.wrapping_add_signed(-back)]
        })
    }

    /// The jumps of all cells in a direction to the next cell that `is_wanted`.
    fn all(&self, direction: usize, is_wanted: impl Fn(usize) -> bool) -> Result<Vec<i16>> {
        let (len, width, step) = (self.free.len(), self.width, self.step(direction));
        let mut jumps = try_with_capacity(len, "jumps")?;
        jumps.resize(len, 0i16);
        let mut jump = |at: usize| {
            if self.free[at] && self.is_step(at, direction) {
                let next = at.wrapping_add_signed(step);
                jumps[at] = match jumps[next] {
                    _ if is_wanted(next) => 1,
                    n if n > 0 => (n + 1).min(FURTHEST),
                    n if n > 1 - FURTHEST => n - 1,
                    _ => FURTHEST,
                };
            }
        };
        // Where it leads to comes first.
        let inside = width..len.saturating_sub(width);
        if step < 0 {
            inside.for_each(&mut jump)
        } else {
            inside.rev().for_each(&mut jump)
        }
        Ok(jumps)
    }
}
