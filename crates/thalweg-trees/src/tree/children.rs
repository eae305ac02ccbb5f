//! The children of every node, side by side: compressed sparse rows.
//!
//! A stable sort of the nodes by their parents puts siblings together, in increasing order. Where the parent changes, a
//! row begins.
//!
//! Work O(n), span that of the sort. Extra memory: 8 bytes a node during the sort.
#![allow(unsafe_code)]

use super::nodes::plain_parents;
use crate::links::check_range;
use crate::widths::{Slices, by_width, typed};
use thalweg_core::disjoint::Disjoint;
use thalweg_core::memory::{computed, filled};
use thalweg_core::parallel::for_each_chunk;
use thalweg_core::primitives::sort_idx_into;
use thalweg_core::{Position, Positions, Result};

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
    /// [`Error::Link`](thalweg_core::Error::Link) of the first node whose parent does not exist. Cycles are not looked for.
    pub fn new(parents: &[P]) -> Result<Self> {
        let [offsets, nodes] = typed(rows(Slices::of([parents]))?);
        Ok(Self { offsets, nodes })
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

fn rows(parents: Slices<'_>) -> Result<[Positions; 2]> {
    by_width!(parents, [parents] => {
        check_range("node", parents)?;
        let Rows { offsets, nodes, .. } = Rows::new(&plain_parents(parents)?)?;
        Ok([offsets, nodes].map(Position::list))
    })
}

/// The children, and the parent of every entry.
pub(super) struct Rows<P> {
    pub(super) offsets: Vec<P>,
    pub(super) nodes: Vec<P>,
    pub(super) parents: Vec<P>,
}

impl<P: Position> Rows<P> {
    /// By parents of which those of roots are [`Position::NONE`].
    pub(super) fn new(parents: &[P]) -> Result<Self> {
        let len = parents.len();
        let mut nodes = filled(len, P::default(), "nodes by parents")?;
        sort_idx_into(parents, &mut nodes)?;
        let sorted = computed(len, GRAIN, "parents in order", |k| parents[nodes[k].get()])?;
        let mut offsets = filled(len + 1, P::new(len), "offsets of children")?;
        let place = Disjoint::new(&mut offsets);
        // The roots' parent counts as node `len`.
        let row = |k: usize| sorted[k].checked().unwrap_or(len);
        for_each_chunk(len, GRAIN, &|range| {
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
        Ok(Self { offsets, nodes, parents: sorted })
    }

    /// A node's first child.
    pub(super) fn first(&self, node: usize) -> Option<P> {
        let first = self.offsets[node].get();
        (first < self.offsets[node + 1].get()).then(|| self.nodes[first])
    }
}
