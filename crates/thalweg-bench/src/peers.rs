//! The peers, called as their authors would: their own types, conversions made beforehand and not timed.

use std::any::Any;

use range_minimum_query::Rmq as Succinct;
use rayon::prelude::*;
use thalweg::{Key, Order, Rank};
use vers_vecs::{BinaryRmq, FastRmq};

/// RMQ structures of other crates. All are built by one thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RmqPeer {
    /// `range_minimum_query`: the Cartesian tree's parentheses, a little over 2 bits per element.
    Succinct,
    /// `vers-vecs`, `FastRmq`: blocks of 128 under a table.
    Fast,
    /// `vers-vecs`, `BinaryRmq`: the table for every power of two.
    Binary,
}

impl RmqPeer {
    pub const ALL: &'static [Self] = &[Self::Succinct, Self::Fast, Self::Binary];

    pub fn name(self) -> &'static str {
        match self {
            Self::Succinct => "range_minimum_query",
            Self::Fast => "vers FastRmq",
            Self::Binary => "vers BinaryRmq",
        }
    }

    /// About how many bytes it will hold, its copy of the array included.
    pub fn predicted_bytes(self, n: usize) -> usize {
        let table = |n: usize| 4 * n * (n.next_power_of_two().ilog2() as usize + 1);
        match self {
            Self::Succinct => n / 2,
            Self::Fast => 8 * n + (n / 128 + 1) * 41 + table(n / 128 + 1),
            Self::Binary => 8 * n + table(n),
        }
    }

    /// The array as this peer wants it: 64-bit integers to keep, or nothing where it takes any iterator.
    pub fn input<K: Key>(self, array: &[K]) -> Vec<u64> {
        match self {
            Self::Succinct => Vec::new(),
            Self::Fast | Self::Binary => array.par_iter().map(|key| key.rank(Order::Min).to_u64()).collect(),
        }
    }

    /// Builds the index from what [`RmqPeer::input`] has made.
    pub fn build<K: Key>(self, array: &[K], input: Vec<u64>) -> PeerIndex {
        match self {
            Self::Succinct => PeerIndex::Succinct(array.iter().map(|key| key.rank(Order::Min)).collect()),
            Self::Fast => PeerIndex::Fast(FastRmq::from_vec(input)),
            Self::Binary => PeerIndex::Binary(BinaryRmq::from_vec(input)),
        }
    }
}

/// An index of a peer.
pub enum PeerIndex {
    Succinct(Succinct),
    Fast(FastRmq),
    Binary(BinaryRmq),
}

impl PeerIndex {
    /// Bytes beside the array, of which the two structures of `vers-vecs` hold a copy. `range_minimum_query` does
    /// not tell.
    pub fn extra_bytes(&self) -> Option<usize> {
        match self {
            Self::Succinct(_) => None,
            Self::Fast(index) => Some(index.heap_size() - 8 * index.len()),
            Self::Binary(index) => Some(index.heap_size() - 8 * index.len()),
        }
    }

    /// Answers a batch on all threads of the current pool.
    pub fn batch(&self, queries: &[[u32; 2]], out: &mut [u32]) {
        match self {
            Self::Succinct(index) => spread(queries, out, |l, r| succinct(index, l, r)),
            Self::Fast(index) => spread(queries, out, |l, r| index.range_min(l, r)),
            Self::Binary(index) => spread(queries, out, |l, r| index.range_min(l, r)),
        }
    }

    /// Answers one query after the other and adds up the positions.
    pub fn one_by_one(&self, queries: &[[u32; 2]]) -> u64 {
        match self {
            Self::Succinct(index) => one_by_one(queries, |l, r| succinct(index, l, r)),
            Self::Fast(index) => one_by_one(queries, |l, r| index.range_min(l, r)),
            Self::Binary(index) => one_by_one(queries, |l, r| index.range_min(l, r)),
        }
    }
}

/// The crate's answer; a missing one becomes a position that the checker refuses.
#[inline]
fn succinct(index: &Succinct, left: usize, right: usize) -> usize {
    index.range_minimum(left..=right).unwrap_or(usize::MAX)
}

/// Queries that one task answers: what our own batches use.
const CHUNK: usize = 1 << 13;

fn spread(queries: &[[u32; 2]], out: &mut [u32], argmin: impl Fn(usize, usize) -> usize + Sync) {
    queries.par_chunks(CHUNK).zip(out.par_chunks_mut(CHUNK)).for_each(|(queries, out)| {
        for (&[left, right], out) in queries.iter().zip(out) {
            *out = argmin(left as usize, right as usize) as u32;
        }
    });
}

/// Asks one query after the other, every answer by itself, and adds up the positions.
pub fn one_by_one(queries: &[[u32; 2]], argmin: impl Fn(usize, usize) -> usize) -> u64 {
    let answer = |&[left, right]: &[u32; 2]| std::hint::black_box(argmin(left as usize, right as usize)) as u64;
    queries.iter().map(answer).fold(0, u64::wrapping_add)
}

/// Sorts of the standard library and of other crates. Only the first two are made for any type that has an order;
/// all of them are given plain unsigned integers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortPeer {
    /// The standard library's `sort_unstable`, on one thread.
    Std,
    /// Rayon's `par_sort_unstable`.
    Rayon,
    /// `rdst`, a radix sort.
    Rdst,
}

impl SortPeer {
    /// Sorts the numbers on as many threads as the current pool has.
    #[allow(clippy::ptr_arg, reason = "only a sized type can be asked which one it is")]
    pub fn sort<R: Rank>(self, numbers: &mut Vec<R>) {
        match self {
            Self::Std => numbers.sort_unstable(),
            Self::Rayon => numbers.par_sort_unstable(),
            Self::Rdst => {
                let parallel = rayon::current_num_threads() > 1;
                macro_rules! one {
                    ($($t:ty),*) => {$(
                        // The crate names the types that it sorts; `R` is one of these, as no others are timed.
                        if let Some(numbers) = (numbers as &mut dyn Any).downcast_mut::<Vec<$t>>() {
                            let sort = rdst::RadixSort::radix_sort_builder(numbers);
                            // On one thread its authors advise another tuning.
                            if parallel { sort } else { sort.with_single_threaded_tuner().with_parallel(false) }.sort();
                        }
                    )*};
                }
                one!(u32, u64);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use thalweg_data::ArrayKind;

    use super::*;

    #[test]
    fn sorts_sort() {
        fn check<R: Rank + Key>() {
            let array = ArrayKind::Random.make::<R>(5000, 1);
            let mut expected = array.clone();
            expected.sort();
            for peer in [SortPeer::Std, SortPeer::Rayon, SortPeer::Rdst] {
                for threads in [1, 2] {
                    let mut numbers = array.clone();
                    thalweg_data::with_threads(threads, || peer.sort(&mut numbers));
                    assert_eq!(numbers, expected, "{peer:?} {} {threads}", R::NAME);
                }
            }
        }
        check::<u32>();
        check::<u64>();
    }
}
