//! The oracle: scan the range.

use super::super::batch::CpuEngine;
use thalweg_core::Rank;
use thalweg_core::bits::Bits;
use thalweg_core::coding::Ranking;
use thalweg_core::storage::Storage;

/// Elements that are ranked at a time.
const BLOCK: usize = 128;

/// Scans the range. O(range) per query, no extra memory.
pub(in crate::rmq) struct Naive<'a, R: Rank> {
    array: Storage<'a, R>,
    order: Ranking<R>,
}

impl<'a, R: Rank> Naive<'a, R> {
    pub(in crate::rmq) fn new(array: Storage<'a, R>, order: Ranking<R>) -> Self {
        Self { array, order }
    }

    /// The ranks of the block that begins at `start`, up to `right`.
    #[inline(always)]
    fn ranks<'r>(&self, start: usize, right: usize, ranks: &'r mut [R; BLOCK]) -> &'r [R] {
        let elements = &self.array[start..(right + 1).min(start + BLOCK)];
        let ranks = &mut ranks[..elements.len()];
        R::rank_all(elements, self.order, ranks);
        ranks
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
        // The best block first, its place afterwards: either loop is one that compilers turn into vector instructions.
        let mut ranks = [R::WORST; BLOCK];
        let mut best = (R::WORST, left);
        for start in (left..=right).step_by(BLOCK) {
            let rank = self.ranks(start, right, &mut ranks).iter().copied().fold(R::WORST, R::min);
            if rank < best.0 {
                best = (rank, start);
            }
        }
        // If all have the worst rank, the first block is the best.
        let (rank, start) = best;
        start + self.ranks(start, right, &mut ranks).iter().position(|&other| other == rank).expect("it is there")
    }
}
