//! The textbook's engines, each a page: short, exact, and something to compare the others with.

mod hierarchy;
mod inlabel;
mod naive;
mod prefix_suffix_tree;
mod sparse_table;

pub(super) use self::hierarchy::Hierarchy;
pub(super) use self::inlabel::ByInlabel;
pub(super) use self::naive::Naive;
pub(super) use self::prefix_suffix_tree::PrefixSuffixTree;
pub(super) use self::sparse_table::SparseTable;

use thalweg_core::coding::Ranking;
use thalweg_core::storage::Storage;
use thalweg_core::{Position, Rank};

/// Bytes of memory that the levels of a table hold.
fn levels_bytes<T>(levels: &[Storage<'_, T>]) -> usize {
    levels.iter().map(Storage::held_bytes).sum()
}

/// The position of the better one of two elements; on ties the first, which is the left one.
#[inline(always)]
fn better<R: Rank, P: Position>(array: &[R], order: Ranking<R>, left: P, right: P) -> P {
    let rank = |position: P| array[position.get()].ranked(order);
    if rank(right) < rank(left) { right } else { left }
}
