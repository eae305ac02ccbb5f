//! Parallel primitives on the device: the set of BSGP (Hou, Zhou, Guo 2008), and the building blocks of the engines.
//!
//! | primitive | what it does | work | file |
//! |---|---|---|---|
//! | [`reduce`] | combines all elements | O(n) | `reduce/` |
//! | [`inclusive_scan`], [`exclusive_scan`] | all running totals | O(n) | `scan/` |
//! | [`compact`], [`compact_by`] | keeps the elements whose flag is set or that pass a comparison | O(n) | `compact/` |
//! | [`survivors`] | the positions of the flags that are set | O(n) | `compact/` |
//! | [`split`], [`split_indices`] | stable partition in two, the false ones first | O(n) | `split.rs` |
//! | [`fork`] | every parent gets its children | O(n + children · log) | `fork/` |
//! | [`sort()`](fn@sort), [`sort_idx`], [`sort_by_key`] | stable sort by keys: [engines](mod@sort) | O(n · digits) | `sort/` |
//!
//! [`host_slices`] has the same for slices of the host. They answer as the CPU's do, with an [`Op`]
//! in place of a closure and an array of flags in place of a test.

pub(crate) mod combine;
mod compact;
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
pub use compact::{Keep, compact, compact_by, survivors};
pub use fork::{Fork, fork};
pub use reduce::reduce;
pub use scan::{exclusive_scan, exclusive_scan_into, inclusive_scan, inclusive_scan_into};
#[doc(inline)]
pub use sort::{sort, sort_by_key, sort_idx, sort_pairs};
pub use split::{Split, split, split_indices};
