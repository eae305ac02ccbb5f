//! Which of equally short paths is told.
//!
//! Walking back from the goal, every step goes to the first neighbour in the order of [`STEPS`] from which a shortest path
//! leads on: straight steps first, up and down before left and right, then diagonal ones. So the path depends on the grid
//! alone, not on the engine, the order of its work or the number of threads.
//!
//! Seen from the start, diagonal steps come as early as they can, and of straight ones alone, horizontal steps. That is the
//! order in which jump points look for paths, so the engine `jump` meets the path among those that it looks at: if a
//! straight step, then a diagonal one, could be exchanged, walking back would have taken the straight one first.

use super::{Grid, Length, Moves};

/// All steps, rows and columns, in the order of the rule when they are walked *back*. The first four are straight.
pub(super) const STEPS: [(isize, isize); 8] = [(-1, 0), (1, 0), (0, -1), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)];

/// The neighbour in a direction of [`STEPS`], if the step is allowed.
pub(super) fn neighbour(grid: &Grid, row: usize, column: usize, step: usize) -> Option<[usize; 2]> {
    let (down, right) = STEPS[step];
    let (r, c) = (row.wrapping_add_signed(down), column.wrapping_add_signed(right));
    let cuts_no_corner = step < 4 || grid.is_free(row, c) && grid.is_free(r, column);
    (grid.is_free(r, c) && cuts_no_corner).then_some([r, c])
}

/// The path by the rule, from the start to the goal, where `distance` tells how far from the start cells on shortest paths
/// are, and for all others nothing or more.
pub(super) fn walk_back(
    grid: &Grid,
    moves: Moves,
    start: u32,
    goal: u32,
    path: &mut Vec<u32>,
    distance: impl Fn(u32) -> Option<Length>,
) {
    let begin = path.len();
    path.push(goal);
    let mut cell = goal;
    while cell != start {
        let [row, column] = grid.place(cell);
        let (cost, here) = (u64::from(grid.cost(row, column)), distance(cell));
        let before = (0..moves.count()).find_map(|step| {
            let [r, c] = neighbour(grid, row, column, step)?;
            let before = (r * grid.cols() + c) as u32;
            let entered = if step < 4 { Length::new(cost, 0) } else { Length::new(0, cost) };
            (distance(before).map(|far| far + entered) == here).then_some(before)
        });
        cell = before.expect("a cell before");
        path.push(cell);
    }
    path[begin..].reverse();
}

/// The path that would be taken if there were no walls, if there are none on it: by the rule, it is the one.
/// For grids without costs.
pub(super) fn open_path(
    grid: &Grid,
    moves: Moves,
    start: u32,
    goal: u32,
    mut path: Option<&mut Vec<u32>>,
) -> Option<Length> {
    let ([mut row, mut column], [r, c]) = (grid.place(start), grid.place(goal));
    let (down, right) = ((r as isize - row as isize).signum(), (c as isize - column as isize).signum());
    let begin = path.as_ref().map_or(0, |path| path.len());
    let mut length = Length::ZERO;
    if let Some(path) = &mut path {
        path.push(start);
    }
    while [row, column] != [r, c] {
        let is_diagonal = row != r && column != c && moves == Moves::Eight;
        let (before_row, before_column) = (row, column);
        if column != c {
            column = column.wrapping_add_signed(right);
        }
        if is_diagonal || column == before_column {
            row = row.wrapping_add_signed(down);
        }
        let is_open = grid.is_free(row, column)
            && (!is_diagonal || grid.is_free(before_row, column) && grid.is_free(row, before_column));
        if !is_open {
            if let Some(path) = path {
                path.truncate(begin);
            }
            return None;
        }
        length += if is_diagonal { Length::new(0, 1) } else { Length::new(1, 0) };
        if let Some(path) = &mut path {
            path.push((row * grid.cols() + column) as u32);
        }
    }
    Some(length)
}
