//! Puzzles that are known by name.

use super::Grid;

/// A puzzle, who made it, and its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Example {
    /// What it is called.
    pub name: &'static str,
    /// Its cells.
    pub puzzle: Grid,
}

/// Puzzles with one solution each, from easy ones to some that were called the hardest.
pub const EXAMPLES: [Example; 8] = [
    named(
        "an easy one (Wikipedia)",
        b"53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
    ),
    named(
        "17 clues, the fewest there can be (Royle)",
        b".......1.4.........2...........5.4.7..8...3....1.9....3..4..2...5.1........8.6...",
    ),
    named(
        "17 clues, and a bad order for those who try digits in order",
        b"..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9",
    ),
    named(
        "Platinum Blonde (coloin, 2005)",
        b".......12........3..23..4....18....5.6..7.8.......9.....85.....9...4.5..47...6...",
    ),
    named(
        "AI Escargot (Inkala, 2006)",
        b"1....7.9..3..2...8..96..5....53..9...1..8...26....4...3......1..4......7..7...3..",
    ),
    named(
        "Easter Monster (champagne, 2007)",
        b"1.......2.9.4...5...6...7...5.9.3.......7.......85..4.7.....6...3...9.8...2.....1",
    ),
    named(
        "Golden Nugget (tarek, 2007)",
        b".......39.....1..5..3.5.8....8.9...6.7...2...1..4.......9.8..5..2....6..4..7.....",
    ),
    named(
        "Everest (Inkala, 2012)",
        b"8..........36......7..9.2...5...7.......457.....1...3...1....68..85...1..9....4..",
    ),
];

const fn named(name: &'static str, cells: &[u8; 81]) -> Example {
    let mut puzzle = [0; 81];
    let mut i = 0;
    while i < 81 {
        puzzle[i] = if cells[i] == b'.' { 0 } else { cells[i] - b'0' };
        i += 1;
    }
    Example { name, puzzle }
}
