//! Puzzles on the device.

pub mod sudoku;
