//! Graphs: shortest paths on maps, and maximum matchings, each with its proof.

pub mod matching;
pub mod path;

pub use thalweg_graph::{Graph, Rows, components};
