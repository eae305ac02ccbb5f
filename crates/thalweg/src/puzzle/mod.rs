//! Puzzles, on any device: batches of Sudokus.

pub mod sudoku;
