//! [Thalweg](https://docs.rs/thalweg)'s engines for linked lists and forests. Users add the crate `thalweg`, which
//! chooses engines and devices.
//!
//! - [`list`]: list ranking, the sum of weights to the end of linked lists.
//! - [`tree`]: forests given by parents: roots, depths, Euler tours, lowest common ancestors, subtrees, search trees.
#![deny(unsafe_code)]

mod links;
pub mod list;
pub mod tree;
mod widths;

pub use thalweg_arrays::rmq;
pub use thalweg_core::{Error, Key, Order, Position, Positions, Result};
