//! **Thalweg** answers range-minimum and nearest-smaller-value queries at the speed of memory.
//!
//! - [`rmq`]: range minimum queries. [`Rmq::new`] builds an index, [`Rmq::argmin`] and the batch forms ask it.
//!   [`Rmq::save`] and [`rmq::file`] keep it for later.
//! - [`ansv()`](fn@ansv): all nearest smaller values of an array.
//! - [`list`]: list ranking, the sum of weights to the end of linked lists.
//! - [`tree`]: forests given by parents: roots, depths, Euler tours, lowest common ancestors, subtrees, search trees.
//! - [`text`]: suffix and LCP arrays, longest common extensions, LZ77, string matching.
//! - [`primitives`]: reduce, scan, compact, split, sort, fork.
//!
//! Results are exact, for every [`Key`] type: bit-equal to a plain scan, the leftmost position on ties. Parallel work
//! runs on the current [rayon] thread pool, and its results do not depend on the number of threads.
//!
//! ```
//! use thalweg::Rmq;
//!
//! let heights = [5, 3, 8, 1, 9, 1, 7];
//! let rmq = Rmq::new(&heights)?;
//! assert_eq!(rmq.argmin(0..3), Some(1));
//! assert_eq!(rmq.argmin(2..=6), Some(3)); // the leftmost of two
//! assert_eq!(rmq.min(4..5), Some(9));
//! # Ok::<(), thalweg::Error>(())
//! ```
#![deny(unsafe_code)]

pub mod ansv;
mod bits;
mod coding;
mod compiled;
mod error;
mod key;
pub mod list;
mod memory;
mod names;
mod part;
mod position;
pub mod primitives;
pub mod rmq;
mod simd;
#[cfg(feature = "text")]
pub mod text;
pub mod tree;

#[doc(inline)]
pub use ansv::{Ansv, ansv};
pub use error::{DeviceError, DeviceErrorKind, Error, Result};
pub use key::{Key, Order, Rank};
pub use position::{Position, Positions, PositionsMut};
#[doc(inline)]
pub use rmq::Rmq;
pub use simd::simd_level;

/// Keeps the README's example running.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
