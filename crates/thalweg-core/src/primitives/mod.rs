//! Parallel primitives: the set of BSGP (Hou, Zhou, Guo 2008), on the threads of the current rayon pool.
//!
//! | primitive | what it does | work | file |
//! |---|---|---|---|
//! | [`reduce`] | combines all elements | O(n) | `reduce.rs` |
//! | [`inclusive_scan`], [`exclusive_scan`] | all running totals | O(n) | `scan.rs` |
//! | [`compact`], [`compact_where`], [`compact_indices`] | keeps the elements that pass a test, or their positions | O(n) | `compact.rs` |
//! | [`kill_in_place`], [`survivors`], [`survivor_ranks`] | removes the dead from arrays that belong together | O(n) | `kill.rs` |
//! | [`split`], [`split_where`], [`split_ranks`] | stable partition in two, the false ones first | O(n) | `split.rs` |
//! | [`sort()`](fn@sort), [`sort_idx`], [`sort_by_key`] | stable sort by keys: [engines](mod@sort) | O(n · digits) | `sort/` |
//! | [`fork`] | every parent gets its children | O(n + children) | `fork.rs` |
//!
//! Most come in three forms: one that allocates the result, `_into` a buffer of the caller's, and `_in_place`. All of
//! them keep the order of the elements, and their results do not depend on the number of threads, not even for sums of
//! floats. Memory that cannot be had and buffers of the wrong length are errors, not panics.
//!
//! Elements are `Copy`: blocks of them are moved through caches as they are.

mod chained;
mod compact;
mod fork;
mod kill;
mod pack;
mod reduce;
mod scan;
mod segments;
pub mod sort;
mod split;
mod stream;

pub use crate::disjoint;
pub use compact::positions_where;
pub use compact::{compact, compact_in_place, compact_indices, compact_indices_into, compact_into, compact_where};
pub use fork::{Fork, fork};
pub use kill::{kill_in_place, kill_in_place_by, survivor_ranks, survivors};
pub use reduce::{reduce, reduce_by};
pub use scan::{
    exclusive_scan, exclusive_scan_in_place, exclusive_scan_into, inclusive_scan, inclusive_scan_by,
    inclusive_scan_in_place, inclusive_scan_into,
};
#[doc(inline)]
pub use sort::{sort, sort_by_key, sort_by_key_in_place, sort_idx, sort_idx_into};
pub use split::{Split, SplitRanks, split, split_in_place, split_into, split_ranks, split_ranks_into, split_where};
