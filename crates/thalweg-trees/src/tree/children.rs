//! The children of every node, side by side: compressed sparse rows.
//!
//! A stable sort of the nodes by their parents puts siblings together, in increasing order. Where the parent changes, a
//! row begins.
//!
//! Work O(n), span that of the sort. Extra memory: 8 bytes a node during the sort.
#![allow(unsafe_code)]

use rayon::prelude::*;

use super::plain_parents;
use crate::list::links::check_range;
use thalweg_core::memory::{collected, filled};
use thalweg_core::primitives::disjoint::Disjoint;
use thalweg_core::primitives::sort_idx_into;
use thalweg_core::{Position, Result};

/// The children of every node, in increasing order.
///
/// ```
/// # use thalweg_trees as thalweg;
/// use thalweg::tree::Children;
/// let children = Children::new(&[2u32, 0, 2, 2, 4])?;
/// assert_eq!(children.of(2), [0, 3]);
/// assert!(children.of(1).is_empty());
/// assert_eq!(children.roots(), [2, 4]);
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Children<P> {
    /// Where every node's children begin in `nodes`, and behind them the roots.
    offsets: Vec<P>,
    nodes: Vec<P>,
}

/// Nodes that a task takes at once.
const GRAIN: usize = 1 << 14;

impl<P: Position> Children<P> {
    /// Sorts the nodes by their parents. A root is its own parent or has none.
    ///
    /// # Errors
    /// [`Error::Link`](thalweg_core::Error::Link) for a parent that does not exist. Cycles are not looked for.
    pub fn new(parents: &[P]) -> Result<Self> {
        check_range("node", parents)?;
        Ok(Self::with_parents(&plain_parents(parents)?)?.0)
    }

    /// The children by parents of which those of roots are [`Position::NONE`](thalweg_core::Position::NONE), and the parent of every entry.
    pub(super) fn with_parents(parents: &[P]) -> Result<(Self, Vec<P>)> {
        let len = parents.len();
        let mut nodes = filled(len, P::default(), "nodes by parents")?;
        sort_idx_into(parents, &mut nodes)?;
        let sorted = collected(nodes.par_iter().map(|v| parents[v.get()]), "parents in order")?;
        let mut offsets = filled(len + 1, P::new(len), "offsets of children")?;
        let place = Disjoint::new(&mut offsets);
        // The roots' parent counts as node `len`.
        let row = |k: usize| sorted[k].checked().unwrap_or(len);
        (0..len.div_ceil(GRAIN)).into_par_iter().for_each(|block| {
            let range = block * GRAIN..len.min((block + 1) * GRAIN);
            let mut first = if range.start == 0 { 0 } else { row(range.start - 1) + 1 };
            for k in range {
                let last = row(k);
                for node in first..=last {
                    // SAFETY: rows do not fall, so every node is between two neighbours once, and none is above `len`.
                    unsafe { place.put(node, P::new(k)) };
                }
                first = last + 1;
            }
        });
        Ok((Self { offsets, nodes }, sorted))
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// A node's children.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn of(&self, node: usize) -> &[P] {
        &self.nodes[self.offsets[node].get()..self.offsets[node + 1].get()]
    }

    /// The roots.
    pub fn roots(&self) -> &[P] {
        &self.nodes[self.offsets[self.len()].get()..]
    }

    /// Where every node's children begin in [`Children::nodes`]; the last entry is where the roots begin.
    pub fn offsets(&self) -> &[P] {
        &self.offsets
    }

    /// All nodes: the children of node 0, of node 1, and so on, and the roots.
    pub fn nodes(&self) -> &[P] {
        &self.nodes
    }
}
