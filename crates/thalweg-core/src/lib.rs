//! What all of [Thalweg](https://docs.rs/thalweg) stands on: keys and their order, positions, errors, memory, and the
//! parallel primitives. Users add the crate `thalweg`, which re-exports what they need of this one; it is a crate of its
//! own so that a change in one problem does not compile the others again.
//!
//! - [`Key`], [`Order`], [`Coding`] and [`bits`]: engines compare the bits of ranks and know no key type.
//! - [`Position`] and [`Positions`]: 32 bits where the array allows it, 64 bits otherwise.
//! - [`Answer`] and [`Chosen`]: which device and engine answered, and why.
//! - [`Error`]: what can go wrong, with the place in it.
//! - [`storage`] and [`memory`]: arrays that are lent, built or mapped; memory that may be refused.
//! - [`parallel`] and [`disjoint`]: work for all threads, and buffers that they fill together.
//! - [`simd`]: one algorithm, several instruction sets.
//! - [`primitives`]: reduce, scan, compact, split, sort, fork.
#![deny(unsafe_code)]
#![warn(missing_debug_implementations)]

mod answer;
pub mod atomic_set;
pub mod disjoint;
pub mod error;
mod key;
pub mod memory;
mod names;
pub mod parallel;
mod position;
pub mod primitives;
pub mod simd;
pub mod storage;

pub use answer::{Answer, Chosen};
pub use error::{DeviceError, DeviceErrorKind, Error, Result};
pub use key::coding::{self, Coding};
pub use key::{Key, Order, Rank, bits};
pub use position::{Pairs, Position, Positions, PositionsMut, PositionsRef};
pub use simd::simd_level;
