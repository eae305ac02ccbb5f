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

pub use thalweg_arrays::{ansv, rmq};
#[doc(inline)]
pub use thalweg_arrays::{
    ansv::{Ansv, ansv},
    rmq::Rmq,
};
pub use thalweg_core::{
    Error, Key, Order, Pairs, Position, Positions, PositionsMut, Rank, Result, engine_names, for_each_key, primitives,
    simd_level,
};
#[cfg(feature = "text")]
pub use thalweg_text as text;
pub use thalweg_trees::{list, tree};

/// Keeps the README's example running.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
