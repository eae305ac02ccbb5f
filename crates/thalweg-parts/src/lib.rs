//! [Thalweg](https://docs.rs/thalweg)'s problems over an array in parts: parts of a file that does not fit the memory, taken
//! one after the other, or parts on several machines, one each.
//!
//! What a part tells the others is small, mostly: its minima for range minima, what is open at its ends for nearest smaller
//! values, a total for scans, some splitters for sorts. Each module has the summary of a part, how summaries combine, and the
//! whole problem over [`Ranks`]: a group of processes, each of which owns the part [`part_of`] of the array. Answers are the
//! bits that one process gives, whatever the number of parts.
//!
//! - [`ranks`]: what is asked of a transport, and what is built on it; [`inside`]: ranks that are threads of this process.
//! - [`ansv`]: all nearest smaller values.
//! - [`rmq`]: range minima.
//! - [`scan`], [`mod@sort`]: running totals, and a stable sort.
//! - [`mod@list`], [`forest`]: list ranking; roots and depths.
#![forbid(unsafe_code)]
#![warn(missing_debug_implementations)]

pub mod ansv;
pub mod forest;
pub mod inside;
pub mod list;
pub mod ranks;
pub mod rmq;
pub mod scan;
pub mod sort;

pub use ranks::{Ranks, part_of};
pub use thalweg_core::{Error, Result};

/// The chapter of the guide, whose example is run.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/parts.md")]
pub mod guide {}
