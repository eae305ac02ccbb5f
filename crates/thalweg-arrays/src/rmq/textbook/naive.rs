//! The oracle: scan the range.

use super::super::batch::CpuEngine;
use thalweg_core::Rank;
use thalweg_core::bits::Bits;
use thalweg_core::coding::Ranking;
use thalweg_core::storage::Storage;

/// Scans the range. O(range) per query, no extra memory.
pub(in crate::rmq) struct Naive<'a, R: Rank> {
    array: Storage<'a, R>,
    order: Ranking<R>,
}

impl<'a, R: Rank> Naive<'a, R> {
    pub(in crate::rmq) fn new(array: Storage<'a, R>, order: Ranking<R>) -> Self {
        Self { array, order }
    }
}

impl<R: Rank> CpuEngine for Naive<'_, R> {
    fn name(&self) -> &'static str {
        "naive"
    }

    fn len(&self) -> usize {
        self.array.len()
    }

    fn array(&self) -> Option<Bits<'_>> {
        Some(R::erase(&self.array))
    }

    fn extra_bytes(&self) -> usize {
        0
    }

    fn position(&self, left: usize, right: usize) -> usize {
        // The best rank first, its place afterwards: either loop is one that compilers turn into vector instructions.
        let ranks = || self.array[left..=right].iter().map(|key| key.ranked(self.order));
        let best = ranks().min().expect("the range is not empty");
        left + ranks().position(|rank| rank == best).expect("the best is one of them")
    }
}
