//! The answer for every power-of-two range.
//!
//! *Problem.* Range minimum queries in constant time, whatever the range.
//!
//! *Idea.* Minimum is idempotent: a range may be covered by two ranges that overlap. So it is enough to know the
//! answers for all ranges whose length is a power of two, log n for each left end. A query takes the largest power
//! that fits and asks for the range of that length at its left and at its right end. Ranges of length 2^k come from
//! two of length 2^(k-1), so the table is built level by level, each in parallel.
//!
//! Ties go to the left one of the two. It is the leftmost of the whole range, for whatever is left of it lies in the
//! range that it is the leftmost of.
//!
//! *Source.* Folklore; Bender and Farach-Colton, *The LCA problem revisited*, 2000, made it known under this name.
//!
//! *Bounds.* Building: work O(n log n), span O(log² n). Query: two positions and two keys from random places.

use super::super::batch::CpuEngine;
#[cfg(feature = "file")]
use super::super::file::contents::{Contents, Sections};
use super::{better, levels_bytes};
use thalweg_core::bits::Bits;
use thalweg_core::coding::Ranking;
use thalweg_core::error::try_with_capacity;
use thalweg_core::memory::computed;
use thalweg_core::storage::Storage;
use thalweg_core::{Position, Rank, Result};

/// Entries that one task makes.
const GRAIN: usize = 1 << 14;

/// The table. Work O(n log n) to build, O(1) per query; extra memory n log n positions of 4 or 8 bytes.
pub(in crate::rmq) struct SparseTable<'a, R: Rank, P> {
    array: Storage<'a, R>,
    order: Ranking<R>,
    /// `levels[k][i]` is the answer for the 2^(k+1) elements from position i on. Ranges of one element need no table.
    levels: Vec<Storage<'a, P>>,
}

impl<'a, R: Rank, P: Position> SparseTable<'a, R, P> {
    pub(in crate::rmq) fn new(array: Storage<'a, R>, order: Ranking<R>) -> Result<Self> {
        let len = array.len();
        let better = |a: P, b: P| better(&array, order, a, b);
        let mut levels: Vec<Storage<'a, P>> =
            try_with_capacity(len.max(1).ilog2() as usize, "the levels of a sparse table")?;
        for k in 0..len.max(1).ilog2() {
            let half = 1usize << k;
            let count = len - 2 * half + 1;
            let what = "a level of a sparse table";
            let level = match levels.last() {
                None => computed(count, GRAIN, what, |i| better(P::new(i), P::new(i + 1)))?,
                Some(below) => computed(count, GRAIN, what, |i| better(below[i], below[i + half]))?,
            };
            levels.push(level.into());
        }
        Ok(Self { array, order, levels })
    }
}

#[cfg(feature = "file")]
impl<R: Rank, P: Position> SparseTable<'static, R, P> {
    /// The table from a file.
    pub(in crate::rmq) fn load(from: &mut Sections<'_>, order: Ranking<R>) -> Result<Self> {
        let len = from.len();
        let counts: Vec<usize> = (1..=len.max(1).ilog2()).map(|k| len - (1 << k) + 1).collect();
        let levels = from.pieces("levels", &counts)?;
        Ok(Self { array: from.array()?, order, levels })
    }
}

impl<R: Rank, P: Position> CpuEngine for SparseTable<'_, R, P> {
    fn name(&self) -> &'static str {
        "sparse_table"
    }

    fn len(&self) -> usize {
        self.array.len()
    }

    fn array(&self) -> Option<Bits<'_>> {
        Some(R::erase(&self.array))
    }

    fn extra_bytes(&self) -> usize {
        levels_bytes(&self.levels)
    }

    #[cfg(feature = "file")]
    fn contents(&self) -> Result<Contents<'_>> {
        let levels = self.levels.iter().map(|level| &level[..]);
        Ok(Contents::new().pieces("levels", levels).array(&self.array, 0))
    }

    #[inline]
    fn position(&self, left: usize, right: usize) -> usize {
        if left == right {
            return left;
        }
        let k = (right - left + 1).ilog2();
        let level = &self.levels[k as usize - 1];
        // A table from a file may hold anything: positions stay inside the array whatever it says.
        let last = P::new(self.array.len() - 1);
        let (a, b) = (level[left].min(last), level[right + 1 - (1 << k)].min(last));
        better(&self.array, self.order, a, b).get()
    }
}
