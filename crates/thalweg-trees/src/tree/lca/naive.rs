//! Walks up: the deeper one of two nodes moves until they meet. O(depth) a query. The oracle.

use std::fmt;

use super::batch::spread;
use super::engine::LcaEngine;
use crate::links::follow;
use crate::tree::forest;
use thalweg_core::{Pairs, Position, PositionsMut, Result};

/// The forest and its depths.
pub(super) struct Naive<'a, P> {
    parents: &'a [P],
    depths: Vec<P>,
}

impl<'a, P: Position> Naive<'a, P> {
    pub(super) fn new(parents: &'a [P]) -> Result<Self> {
        let [_, depths] = forest::find(parents, forest::Engine::chosen(parents.len()))?;
        Ok(Self { parents, depths })
    }
}

impl<P: Position> fmt::Debug for Naive<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Naive").field("len", &self.parents.len()).finish_non_exhaustive()
    }
}

impl<P: Position> LcaEngine for Naive<'_, P> {
    fn name(&self) -> &'static str {
        "naive"
    }

    fn len(&self) -> usize {
        self.parents.len()
    }

    fn extra_bytes(&self) -> usize {
        self.depths.len() * size_of::<P>()
    }

    fn ask(&self, x: usize, y: usize) -> Option<usize> {
        climb(self.parents, (x, self.depths[x].get()), (y, self.depths[y].get()))
    }

    fn batch(&self, queries: Pairs<'_>, out: PositionsMut<'_>) -> Result<()> {
        let len = self.parents.len();
        spread(len, queries, out, &|queries: &[[P; 2]], out| {
            for (&[x, y], out) in queries.iter().zip(out) {
                if x.get().max(y.get()) >= len {
                    return Ok(false);
                }
                *out = self.ask(x.get(), y.get()).map_or(P::NONE, P::new);
            }
            Ok(true)
        })
    }
}

/// The lowest common ancestor of two nodes of a forest, by walking up: O(depth), without an index. What an engine on
/// another device falls back to.
///
/// # Panics
/// If there is no such node. On a cycle it walks for ever: that the parents make a forest was checked before.
///
/// ```
/// # use thalweg_trees as thalweg;
/// use thalweg::tree::lca::by_walking;
/// assert_eq!(by_walking(&[2u32, 0, 2, 2, 4], 1, 3), Some(2));
/// assert_eq!(by_walking(&[2u32, 0, 2, 2, 4], 1, 4), None);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn by_walking<P: Position>(parents: &[P], x: usize, y: usize) -> Option<usize> {
    let depth = |node: usize| std::iter::successors(Some(node), |&node| follow(parents, node)).count();
    climb(parents, (x, depth(x)), (y, depth(y)))
}

/// Moves the deeper one of two nodes, given with their depths, until they meet.
fn climb<P: Position>(parents: &[P], mut x: (usize, usize), mut y: (usize, usize)) -> Option<usize> {
    while x.0 != y.0 {
        let lower = if x.1 >= y.1 { &mut x } else { &mut y };
        *lower = (follow(parents, lower.0)?, lower.1 - 1);
    }
    Some(x.0)
}
