//! Graphs: maximum matchings, each with its proof.

pub mod matching;

pub use thalweg_graph::{Graph, Rows, components};
