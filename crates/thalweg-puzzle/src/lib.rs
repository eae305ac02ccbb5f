//! [Thalweg](https://docs.rs/thalweg)'s engines for puzzles. Users add the crate `thalweg`, which chooses engines and
//! devices.
//!
//! - [`sudoku`]: millions of Sudokus, counted and solved.
#![deny(unsafe_code)]
#![warn(missing_debug_implementations)]

pub mod sudoku;

pub use thalweg_core::{Error, Result};
