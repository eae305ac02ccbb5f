//! [Thalweg](https://docs.rs/thalweg)'s engines for points and segments in the plane. Users add the crate `thalweg`, which
//! chooses engines and devices.
//!
//! - [`hull`]: convex hulls of points.
//! - [`envelope`]: lower and upper envelopes of segments.
//!
//! Answers are exact for every input: coordinates become one of two [number types](coordinates) at the door, exact integers
//! or doubles, and decisions that doubles cannot make are made in wider arithmetic.
#![deny(unsafe_code)]
#![warn(missing_debug_implementations)]

pub mod coordinates;
pub mod envelope;
pub mod hull;
mod number;

pub use coordinates::{Coordinate, Rows, Stored};
pub use thalweg_core::{Error, Positions, Result};
