//! The Cartesian tree and lowest common ancestors.
//!
//! *Problem.* Range minimum queries in constant time.
//!
//! *Idea.* The minimum of a range is the lowest common ancestor of its two ends in the Cartesian tree, whose root is the
//! leftmost minimum of the array and so on. The tree comes from nearest smaller values (duplicates: not larger on the
//! left, strictly smaller on the right), the ancestors from the table of Schieber and Vishkin: `tree/inlabel.rs`. The
//! thesis numbers the nodes in preorder, which takes an Euler tour and three list rankings. But any numbers will do in
//! which every subtree is an interval, and the array positions are such: so the table comes directly from the neighbours.
//!
//! *Source.* Gabow, Bentley and Tarjan 1984; Schieber and Vishkin 1988; Ryssel 2025, part II, without its list rankings.
//!
//! *Bounds.* Building: work O(n) in practice, span that of ANSV. Query: two records of 16 bytes, two of 8, from random
//! places unless they are near the root. Extra memory: 24 bytes an element for 32-bit positions.

use super::CpuEngine;
use crate::cartesian::Spans;
use crate::inlabel::Inlabel;
use thalweg_core::coding::Ranking;
use thalweg_core::storage::Storage;
use thalweg_core::{Position, Rank, Result};

/// The array and the table of its Cartesian tree.
pub(super) struct ByInlabel<'a, R: Rank, P> {
    array: Storage<'a, R>,
    table: Inlabel<P>,
}

impl<'a, R: Rank, P: Position> ByInlabel<'a, R, P> {
    pub(super) fn new(array: Storage<'a, R>, order: Ranking<R>) -> Result<Self> {
        let table = Spans::new(&array, order)?.inlabel(&array, order)?;
        Ok(Self { array, table })
    }
}

impl<R: Rank, P: Position> CpuEngine<R> for ByInlabel<'_, R, P> {
    const NAME: &'static str = "inlabel";

    fn len(&self) -> usize {
        self.array.len()
    }

    fn array(&self) -> Option<&[R]> {
        Some(&self.array)
    }

    fn extra_bytes(&self) -> usize {
        self.table.bytes()
    }

    fn argmin(&self, left: usize, right: usize) -> usize {
        self.table.ask(left, right).get()
    }

    fn argmin_chunk<Q: Position>(&self, queries: &[[Q; 2]], out: &mut [Q]) -> Option<()> {
        // The table takes pairs in any order, ranges must not be the wrong way round.
        if queries.iter().any(|[l, r]| l > r) {
            return None;
        }
        self.table.answer(queries, out)
    }
}
