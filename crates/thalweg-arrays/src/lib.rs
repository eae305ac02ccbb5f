//! [Thalweg](https://docs.rs/thalweg)'s engines over arrays: range minima, nearest smaller values, Cartesian trees.
//! Users add the crate `thalweg`, which chooses engines and devices.
//!
//! - [`rmq`]: range minimum queries.
//! - [`ansv`]: all nearest smaller values.
//! - [`window`]: minima of sliding windows.
//! - [`cartesian`]: the Cartesian tree of an array.
//! - [`inlabel`]: lowest common ancestors by Schieber and Vishkin, for every numbering in which subtrees are intervals.
#![deny(unsafe_code)]

pub mod ansv;
pub mod cartesian;
pub mod inlabel;
mod least;
pub mod rmq;
mod scratch;
mod width;
pub mod window;

pub use cartesian::Cartesian;
pub use rmq::Rmq;
pub use thalweg_core::{
    Coding, Error, Key, Order, Position, Positions, PositionsMut, Rank, Result, bits, for_each_key,
};
