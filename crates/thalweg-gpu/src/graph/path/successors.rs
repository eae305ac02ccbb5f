//! Which steps are worth taking from a cell, by the way it was entered and by which of its neighbours are free.
//!
//! Directions are numbered clockwise from the row before: north, north-east, east and so on; the even ones are straight.
//! A step is left out if the cell that the search came from reaches its end for strictly less without this cell: then no
//! shortest path takes both steps (the pruning of jump points, but for ties, which are all kept).

use thalweg_graph::path::Moves;

/// Directions, and one more for none: the start.
pub(super) const WAYS: usize = 9;

/// A byte for every way of entering and every set of free neighbours: the set of directions to go on.
pub(super) fn table(moves: Moves, uniform: bool) -> Vec<u8> {
    (0..WAYS).flat_map(|way| (0..256).map(move |free| steps(moves, uniform, way, free as u8))).collect()
}

fn steps(moves: Moves, uniform: bool, way: usize, free: u8) -> u8 {
    let is_free = |direction: usize| free >> (direction % 8) & 1 == 1;
    let straight = |direction: usize| direction.is_multiple_of(2);
    let mut set = 0;
    for direction in 0..8 {
        let allowed = match moves {
            Moves::Four => straight(direction) && is_free(direction),
            Moves::Eight => {
                is_free(direction) && (straight(direction) || is_free(direction + 1) && is_free(direction + 7))
            }
        };
        if allowed && !(way < 8 && is_dominated(moves, uniform, way, direction, is_free)) {
            set |= 1 << direction;
        }
    }
    set
}

/// Whether the end of a step is nearer without the step `way` before.
fn is_dominated(moves: Moves, uniform: bool, way: usize, direction: usize, is_free: impl Fn(usize) -> bool) -> bool {
    let turn = (direction + 8 - way) % 8;
    // Back to where it came from; and with costs, or without diagonals, nothing else is sure.
    if turn == 4 || !uniform || moves == Moves::Four {
        return turn == 4;
    }
    match turn {
        0 | 1 | 7 => false,
        // Diagonally back: straight ahead from there, once or twice.
        3 | 5 => true,
        // To the side: of a diagonal step, one straight step after the other; else a diagonal step around nothing.
        _ if way % 2 == 1 => true,
        _ => is_free(if turn == 2 { way + 3 } else { way + 5 }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_in_the_open() {
        let at = |moves, uniform, way: usize, free: u8| table(moves, uniform)[way * 256 + usize::from(free)];
        assert_eq!(at(Moves::Eight, true, 8, 255), 255);
        assert_eq!(at(Moves::Four, true, 8, 255), 0b0101_0101);
        // Going east: north-east, east, south-east. Going north-east: north, north-east, east.
        assert_eq!(at(Moves::Eight, true, 2, 255), 0b0000_1110);
        assert_eq!(at(Moves::Eight, true, 1, 255), 0b0000_0111);
        assert_eq!(at(Moves::Eight, false, 2, 255), 0b1011_1111);
        // A wall in the north-west behind it: now the north can only be reached from here.
        assert_eq!(at(Moves::Eight, true, 2, 0b0111_1111), 0b0000_1111);
        // A wall in the north: no corner is cut.
        assert_eq!(at(Moves::Eight, true, 8, 0b1111_1110), 0b0111_1100);
    }
}
