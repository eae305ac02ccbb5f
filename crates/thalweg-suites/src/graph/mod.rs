//! Graphs.

pub mod matching;
