//! Graphs.

pub mod matching;
pub mod path;
