//! The Cartesian tree and lowest common ancestors.
//!
//! *Problem.* Range minimum queries in constant time.
//!
//! *Idea.* The minimum of a range is the lowest common ancestor of its two ends in the Cartesian tree, whose root is the
//! leftmost minimum of the array and so on. The tree comes from nearest smaller values (duplicates: not larger on the
//! left, strictly smaller on the right), the ancestors from the table of Schieber and Vishkin: [`crate::inlabel`]. The
//! thesis numbers the nodes in preorder, which takes an Euler tour and three list rankings. But any numbers will do in
//! which every subtree is an interval, and the array positions are such: so the table comes directly from the neighbours.
//!
//! *Source.* Gabow, Bentley and Tarjan 1984; Schieber and Vishkin 1988; Ryssel 2025, part II, without its list rankings.
//!
//! *Bounds.* Building: work O(n) in practice, span that of ANSV. Query: two records of 16 bytes, two of 8, from random
//! places unless they are near the root. Extra memory: 24 bytes an element for 32-bit positions.

use super::super::batch::CpuEngine;
use crate::cartesian::Spans;
use crate::inlabel::Inlabel;
use thalweg_core::bits::Bits;
use thalweg_core::storage::Storage;
use thalweg_core::{Coding, Pairs, Position, PositionsMut, Rank, Result};

/// The array and the table of its Cartesian tree.
pub(in crate::rmq) struct ByInlabel<'a, R: Rank, P> {
    array: Storage<'a, R>,
    table: Inlabel<P>,
}

impl<'a, R: Rank, P: Position> ByInlabel<'a, R, P> {
    pub(in crate::rmq) fn new(array: Storage<'a, R>, coding: Coding) -> Result<Self> {
        let table = Spans::new(R::erase(&array), coding)?.inlabel(R::erase(&array), coding)?;
        Ok(Self { array, table })
    }
}

impl<R: Rank, P: Position> CpuEngine for ByInlabel<'_, R, P> {
    fn name(&self) -> &'static str {
        "inlabel"
    }

    fn len(&self) -> usize {
        self.array.len()
    }

    fn array(&self) -> Option<Bits<'_>> {
        Some(R::erase(&self.array))
    }

    fn extra_bytes(&self) -> usize {
        self.table.bytes()
    }

    fn position(&self, left: usize, right: usize) -> usize {
        self.table.ask(left, right).get()
    }

    fn answer(&self, queries: Pairs<'_>, out: PositionsMut<'_>) -> Option<()> {
        // The table takes pairs in any order, ranges must not be the wrong way round.
        match (queries, out) {
            (Pairs::U32(queries), PositionsMut::U32(out)) if in_order(queries) => self.table.answer(queries, out),
            (Pairs::U64(queries), PositionsMut::U64(out)) if in_order(queries) => self.table.answer(queries, out),
            _ => None,
        }
    }
}

fn in_order<P: Position>(queries: &[[P; 2]]) -> bool {
    queries.iter().all(|[left, right]| left <= right)
}
