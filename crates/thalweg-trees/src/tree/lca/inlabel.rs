//! The default engine: the table of Schieber and Vishkin over preorder numbers. See [`thalweg_arrays::inlabel`].

use super::batch::spread;
use super::engine::LcaEngine;
use crate::tree::euler::Seen;
use thalweg_arrays::inlabel::Inlabel;
use thalweg_core::{Pairs, Position, PositionsMut, Result};

/// The table. On a path the preorder number grows on the way down.
#[derive(Debug)]
pub(super) struct ByInlabel<P: Position> {
    table: Inlabel<P>,
    len: usize,
}

impl<P: Position> ByInlabel<P> {
    pub(super) fn new(tour: Seen<'_, P>) -> Result<Self> {
        let Seen { preorder, sizes, .. } = tour;
        let span = |v: usize| (preorder[v].get() + 1, preorder[v].get() + sizes[v].get());
        let height = |v: usize| P::new(preorder[v].get() + 1);
        let table = Inlabel::new(tour.len(), !tour.is_one_tree(), &span, &height, &|v| tour.parent(v))?;
        Ok(Self { table, len: tour.len() })
    }
}

impl<P: Position> LcaEngine for ByInlabel<P> {
    fn name(&self) -> &'static str {
        "inlabel"
    }

    fn len(&self) -> usize {
        self.len
    }

    fn extra_bytes(&self) -> usize {
        self.table.bytes()
    }

    fn ask(&self, x: usize, y: usize) -> Option<usize> {
        self.table.ask(x, y).checked()
    }

    fn batch(&self, queries: Pairs<'_>, out: PositionsMut<'_>) -> Result<()> {
        spread(self.len, queries, out, &|queries: &[[P; 2]], out| Ok(self.table.answer(queries, out).is_some()))
    }
}
