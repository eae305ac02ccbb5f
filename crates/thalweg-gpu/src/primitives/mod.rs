//! Parallel primitives on the device: the set of BSGP (Hou, Zhou, Guo 2008), and the building blocks of the engines.
//!
//! | primitive | what it does | work | file |
//! |---|---|---|---|
//! | [`reduce`] | combines all elements | O(n) | `reduce/` |
//! | [`inclusive_scan`], [`exclusive_scan`] | all running totals | O(n) | `scan/` |
//! | [`compact`], [`compact_by`], [`compact_indices`] | keeps the elements whose flag is set or that pass a comparison, or their positions | O(n) | `compact/` |
//! | [`split`], [`split_indices`] | stable partition in two | O(n) | `split.rs` |
//! | [`fork`] | every parent gets its children | O(n + children · log) | `fork/` |
//! | [`sort()`](fn@sort), [`sort_idx`], [`sort_by_key`] | stable sort by keys: [engines](mod@sort) | O(n · digits) | `sort/` |
//!
//! [`host_slices`] has the same for slices of the host. They answer as the ones of the `thalweg` crate do, with an [`Op`]
//! in place of a closure and an array of flags in place of a test.

pub(crate) mod combine;
mod compact;
#[doc(hidden)]
pub mod custom_sizes;
pub(crate) mod elementwise;
mod fork;
pub mod host_slices;
mod lookback;
mod reduce;
mod scan;
mod sizes;
pub mod sort;
mod split;

pub use combine::Op;
pub use compact::{Keep, compact, compact_by, compact_indices};
pub use fork::{Fork, fork};
pub use reduce::reduce;
pub use scan::{exclusive_scan, exclusive_scan_into, inclusive_scan, inclusive_scan_into};
#[doc(inline)]
pub use sort::{sort, sort_by_key, sort_idx};
pub use split::{split, split_indices};
