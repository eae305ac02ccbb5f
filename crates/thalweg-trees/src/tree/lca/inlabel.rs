//! The default engine: the table of Schieber and Vishkin over preorder numbers. See `tree/inlabel.rs`.

use super::{LcaEngine, spread};
use crate::tree::EulerTour;
use thalweg_arrays::inlabel::Inlabel;
use thalweg_core::{Position, Result};

/// The table. On a path the preorder number grows on the way down.
pub(super) struct ByInlabel<P> {
    table: Inlabel<P>,
    len: usize,
}

impl<P: Position> ByInlabel<P> {
    pub(super) fn new(tour: &EulerTour<'_, P>) -> Result<Self> {
        let (preorder, sizes) = (tour.preorder(), tour.sizes());
        let span = |v: usize| (preorder[v].get() + 1, preorder[v].get() + sizes[v].get());
        let height = |v: usize| P::new(preorder[v].get() + 1);
        let table = Inlabel::new(tour.len(), !tour.is_one_tree(), &span, &height, &|v| tour.parent(v))?;
        Ok(Self { table, len: tour.len() })
    }
}

impl<P: Position> LcaEngine<P> for ByInlabel<P> {
    fn name(&self) -> &'static str {
        "inlabel"
    }

    fn extra_bytes(&self) -> usize {
        self.table.bytes()
    }

    fn ask(&self, x: usize, y: usize) -> P {
        self.table.ask(x, y)
    }

    fn batch(&self, queries: &[[P; 2]], out: &mut [P]) -> Result<()> {
        spread(self.len, queries, out, |queries, out| self.table.answer(queries, out))
    }
}
