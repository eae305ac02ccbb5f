//! Walks up: the deeper one of two nodes moves until they meet. O(depth) a query. The oracle.

use super::{LcaEngine, spread};
use crate::list::links::follow;
use crate::tree::Builder;
use thalweg_core::{Position, Result};

/// The forest and its depths.
pub(super) struct Naive<'a, P> {
    parents: &'a [P],
    depths: Vec<P>,
}

impl<'a, P: Position> Naive<'a, P> {
    pub(super) fn new(parents: &'a [P]) -> Result<Self> {
        let (_, depths) = Builder::new().build(parents)?.into_roots_and_depths();
        Ok(Self { parents, depths })
    }
}

impl<P: Position> LcaEngine<P> for Naive<'_, P> {
    fn name(&self) -> &'static str {
        "naive"
    }

    fn extra_bytes(&self) -> usize {
        self.depths.len() * size_of::<P>()
    }

    fn ask(&self, x: usize, y: usize) -> P {
        let (mut x, mut y) = (x, y);
        while x != y {
            let lower = if self.depths[x] >= self.depths[y] { &mut x } else { &mut y };
            match follow(self.parents, *lower) {
                Some(up) => *lower = up,
                None => return P::NONE,
            }
        }
        P::new(x)
    }

    fn batch(&self, queries: &[[P; 2]], out: &mut [P]) -> Result<()> {
        let len = self.parents.len();
        spread(len, queries, out, |queries, out| {
            for (&[x, y], out) in queries.iter().zip(out) {
                if x.get().max(y.get()) >= len {
                    return None;
                }
                *out = self.ask(x.get(), y.get());
            }
            Some(())
        })
    }
}
