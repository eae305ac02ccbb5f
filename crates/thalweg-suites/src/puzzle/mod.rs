//! Puzzles.

pub mod sudoku;
