//! **Thalweg** answers range-minimum, nearest-smaller-value, tree and text queries at the speed of memory, on CPUs and GPUs.
//!
//! - [`rmq`]: range minimum queries. [`Rmq::new`] builds an index, [`Rmq::position`] and the batch forms ask it.
//!   [`Rmq::save`] and [`rmq::file`] keep it for later.
//! - [`ansv()`](fn@ansv): all nearest smaller values of an array.
//! - [`window`]: minima and maxima of sliding windows.
//! - [`list`]: list ranking, the sum of weights to the end of linked lists.
//! - [`tree`]: forests given by parents: roots, depths, Euler tours, lowest common ancestors, subtrees, search trees.
//! - `text` (feature `text`): suffix and LCP arrays, longest common extensions, LZ77, string matching.
//! - `graph` (feature `graph`): shortest paths on maps, maximum matchings, each with its proof.
//! - `fourier` (feature `fourier`): Fourier transforms, convolutions, exact ones of integers, blurred pictures.
//! - `geometry` (feature `geometry`): convex hulls of points, envelopes of segments.
//! - `puzzle` (feature `puzzle`): batches of Sudokus.
//! - [`primitives`]: reduce, scan, compact, split, sort, fork.
//!
//! Results are exact, for every [`Key`] type: bit-equal to a plain scan, the leftmost position on ties. Parallel work
//! runs on the current [rayon](https://docs.rs/rayon) thread pool, and its results do not depend on the number of threads.
//!
//! ```
//! use thalweg::Rmq;
//!
//! let heights = [5, 3, 8, 1, 9, 1, 7];
//! let rmq = Rmq::new(&heights)?;
//! assert_eq!(rmq.position(0..3), Some(1));
//! assert_eq!(rmq.position(2..=6), Some(3)); // the leftmost of two
//! assert_eq!(rmq.value(4..5), Some(9));
//! # Ok::<(), thalweg::Error>(())
//! ```
//!
//! # Devices
//! The plain functions above run on the CPU. Every problem has a builder that takes a [`Device`]: the CPU, a GPU that was
//! opened (feature `gpu`), or [`Device::Auto`], which compares what the work [costs](Costs) on either. Results are the same
//! bit for bit, and tell [where they are from](Chosen).
//!
//! ```
//! use thalweg::{Device, rmq};
//! let rmq = rmq::Builder::new().device(Device::Auto).expected_queries(1000).build(&[5, 3, 8])?;
//! println!("{}", rmq.chosen()); // lines on the CPU: ...
//! # Ok::<(), thalweg::Error>(())
//! ```
//!
//! # Features
//! - `file` (default): saving and opening range-minimum indexes.
//! - `text`: suffix arrays and what stands on them; needs a C compiler for libsais.
//! - `fourier`: transforms and convolutions.
//! - `geometry`: convex hulls and envelopes, exact.
//! - `graph`: shortest paths, maximum matchings.
//! - `puzzle`: batches of Sudokus.
//! - `gpu`: engines on any GPU, through wgpu.
#![deny(unsafe_code)]
#![warn(missing_debug_implementations)]

pub mod ansv;
mod costs;
mod device;
#[cfg(feature = "fourier")]
pub mod fourier;
#[cfg(feature = "geometry")]
pub mod geometry;
#[cfg(feature = "graph")]
pub mod graph;
#[cfg(doctest)]
mod guide;
pub mod list;
#[cfg(feature = "gpu")]
mod numbers;
pub mod primitives;
#[cfg(feature = "puzzle")]
pub mod puzzle;
pub mod rmq;
mod setters;
#[cfg(feature = "text")]
pub mod text;
pub mod tree;
pub mod window;

#[doc(inline)]
pub use ansv::{Ansv, ansv};
pub use costs::Costs;
pub use device::Device;
#[doc(inline)]
pub use rmq::Rmq;
pub use thalweg_core::{
    Answer, Chosen, Coding, DeviceError, DeviceErrorKind, Error, Key, Order, Pairs, Position, Positions, PositionsRef,
    Rank, Result, bits, for_each_key, simd, simd_level,
};
/// Arrays that stay on a GPU, and everything that can be done with them there.
#[cfg(feature = "gpu")]
pub use thalweg_gpu as gpu;
