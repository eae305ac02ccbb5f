//! [Thalweg](https://docs.rs/thalweg)'s engines for graphs. Users add the crate `thalweg`, which chooses engines and devices.
//!
//! - [`matching`]: maximum matchings in general graphs, each with a proof that there is no larger one.
//! - [`path`]: shortest paths on grids and in graphs, exact, with an independent verifier.
//! - [`Graph`]: undirected graphs in [compressed rows](rows).
#![deny(unsafe_code)]
#![warn(missing_debug_implementations)]

pub mod components;
mod graph;
pub mod matching;
pub mod path;
pub mod rows;

pub use graph::Graph;
pub use rows::Rows;
pub use thalweg_core::{Error, Result};
