//! The Euler tour of a forest.
//!
//! A walk round the trees enters and leaves every node once: 2n steps. Who comes next is known locally, from the
//! children in compressed rows: from entering a node to its first child, or to leaving it; from leaving it to its next
//! sibling, or to leaving the parent; from the last step of a tree to the next tree. That is a linked list, and list
//! ranking tells every step its place. What else there is to know follows:
//!
//! ```text
//! order       the entries without the exits: a compaction
//! size        half of the steps between entry and exit
//! level       entries before minus exits before:  2 · preorder - first
//! postorder   exits before the exit:              preorder + size - 1 - level
//! ```
//!
//! Tarjan and Vishkin 1985. Work O(n), span that of list ranking. Extra memory: 32 bytes a node while it is made, and
//! 16 bytes that stay, for 32-bit positions.
#![allow(unsafe_code)]

use rayon::prelude::*;

use super::{Children, plain_parents};
use crate::list::links::{check_range, cycle, follow};
use crate::list::{self, Direction};
use thalweg_core::memory::{collected, filled};
use thalweg_core::primitives::compact;
use thalweg_core::primitives::disjoint::Disjoint;
use thalweg_core::{Error, Position, Result};

/// Nodes that a task takes at once.
const GRAIN: usize = 1 << 14;

/// Preorder, levels and sizes of a forest, and what follows from them.
///
/// The tour has 2n places, two for every node: where it is entered, and where it is left. Read as a sequence of nodes,
/// the place where a node is entered holds the node itself, and the place where it is left its parent, to which the walk
/// returns. So a node occurs from [`first`](Self::first) to [`last`](Self::last), and between two nodes' first occurrences
/// the one with the smallest level is their lowest common ancestor.
///
/// ```
/// # use thalweg_trees as thalweg;
/// use thalweg::tree::EulerTour;
/// // 2 is the root of 0 and 3, 0 that of 1; 4 is alone.
/// let tour = EulerTour::new(&[2u32, 0, 2, 2, 4])?;
/// assert_eq!(tour.order(), [2, 0, 1, 3, 4]);
/// assert_eq!(tour.preorder(), [1, 2, 0, 3, 4]);
/// assert_eq!(tour.postorder()?, [1, 0, 3, 2, 4]);
/// assert_eq!(tour.levels(), [1, 2, 0, 1, 0]);
/// assert_eq!(tour.sizes(), [2, 1, 4, 1, 1]);
/// // 2 0 1 0 2 3 2 - 4 -
/// assert_eq!((tour.first(2), tour.last(2)), (0, 6));
/// assert_eq!((tour.first(0), tour.last(0)), (1, 3));
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct EulerTour<'a, P> {
    parents: &'a [P],
    order: Vec<P>,
    preorder: Vec<P>,
    levels: Vec<P>,
    sizes: Vec<P>,
}

impl<'a, P: Position> EulerTour<'a, P> {
    /// Makes the tour. A root is its own parent or has none.
    ///
    /// # Errors
    /// [`Error::Link`] for a parent that does not exist, [`Error::Cycle`] names a node on a cycle, [`Error::Width`] if
    /// the positions cannot number the places of the tour.
    pub fn new(parents: &'a [P]) -> Result<Self> {
        Self::with(parents, list::Builder::new())
    }

    /// Makes the tour with a list ranking of the caller's choice; its direction does not matter.
    pub fn with(parents: &'a [P], ranking: list::Builder) -> Result<Self> {
        check_range("node", parents)?;
        let len = parents.len();
        if !P::fits(2 * len) {
            return Err(Error::Width { len: 2 * len, got: P::NAME });
        }
        let ranks = match ranking.direction(Direction::FromHead).rank(&steps(parents)?) {
            // The steps round a cycle are a cycle.
            Err(Error::Cycle { .. }) => return Err(cycle("node", parents)?),
            ranks => ranks?,
        };
        let (places, _) = ranks.as_chunks::<2>();
        let order = order(places)?;
        let mut preorder = filled(len, P::default(), "preorder")?;
        let place = Disjoint::new(&mut preorder);
        order.par_iter().enumerate().with_min_len(GRAIN).for_each(|(k, v)| {
            // SAFETY: a node is in the order once.
            unsafe { place.put(v.get(), P::new(k)) };
        });
        let level = |([enter, _], pre): (&[P; 2], &P)| P::new(2 * pre.get() - enter.get());
        let levels = collected(places.par_iter().zip(&preorder).with_min_len(GRAIN).map(level), "levels")?;
        let size = |&[enter, exit]: &[P; 2]| P::new((exit.get() - enter.get()).div_ceil(2));
        let sizes = collected(places.par_iter().with_min_len(GRAIN).map(size), "sizes of subtrees")?;
        Ok(Self { parents, order, preorder, levels, sizes })
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// The parents as they were given.
    pub fn parents(&self) -> &'a [P] {
        self.parents
    }

    /// A node's parent; `None` for a root.
    ///
    /// # Panics
    /// If there is no such node. So do the others that take one.
    pub fn parent(&self, node: usize) -> Option<usize> {
        follow(self.parents, node)
    }

    /// The nodes in preorder.
    pub fn order(&self) -> &[P] {
        &self.order
    }

    /// Every node's place in [`order`](Self::order). A subtree's are `preorder..preorder + size`.
    pub fn preorder(&self) -> &[P] {
        &self.preorder
    }

    /// How many edges every node is away from its root.
    pub fn levels(&self) -> &[P] {
        &self.levels
    }

    /// How many nodes every subtree has, its root included.
    pub fn sizes(&self) -> &[P] {
        &self.sizes
    }

    /// Every node's place in postorder.
    pub fn postorder(&self) -> Result<Vec<P>> {
        let place = |v: usize| P::new(self.preorder[v].get() + self.sizes[v].get() - 1 - self.levels[v].get());
        collected((0..self.len()).into_par_iter().with_min_len(GRAIN).map(place), "postorder")
    }

    /// A node's first place in the tour: where it is entered.
    pub fn first(&self, node: usize) -> usize {
        2 * self.preorder[node].get() - self.levels[node].get()
    }

    /// A node's last place in the tour: just before it is left.
    pub fn last(&self, node: usize) -> usize {
        self.first(node) + 2 * self.sizes[node].get() - 2
    }

    /// The root of every node's tree.
    pub fn roots(&self) -> Result<Vec<P>> {
        let is_root = |v: &P| follow(self.parents, v.get()).is_none();
        let trees = compact(&self.order, is_root)?;
        let starts = collected(trees.par_iter().map(|v| self.preorder[v.get()]), "starts of trees")?;
        let root = |pre: &P| trees[starts.partition_point(|start| start <= pre) - 1];
        collected(self.preorder.par_iter().with_min_len(GRAIN).map(root), "roots")
    }

    /// Whether there is exactly one tree.
    pub(super) fn is_one_tree(&self) -> bool {
        self.order.first().is_some_and(|root| self.sizes[root.get()].get() == self.len())
    }

    pub(super) fn into_levels(self) -> Vec<P> {
        self.levels
    }
}

/// The steps of the tour as a list: step 2v enters node v, step 2v + 1 leaves it.
fn steps<P: Position>(parents: &[P]) -> Result<Vec<P>> {
    let len = parents.len();
    let (children, sorted) = Children::with_parents(&plain_parents(parents)?)?;
    let mut next = filled(2 * len, P::NONE, "steps of a tour")?;
    let place = Disjoint::new(&mut next);
    (0..len.div_ceil(GRAIN)).into_par_iter().for_each(|block| {
        for v in block * GRAIN..len.min((block + 1) * GRAIN) {
            let inward = children.of(v).first().map_or(2 * v + 1, |child| 2 * child.get());
            // SAFETY: step 2v is this node's own.
            unsafe { place.put(2 * v, P::new(inward)) };
            let node = children.nodes()[v].get();
            let sibling = sorted.get(v + 1).is_some_and(|parent| *parent == sorted[v]);
            let outward = match sorted[v].checked() {
                _ if sibling => P::new(2 * children.nodes()[v + 1].get()),
                Some(parent) => P::new(2 * parent + 1),
                None => P::NONE,
            };
            // SAFETY: every node is among the children or the roots once, and this is its own step.
            unsafe { place.put(2 * node + 1, outward) };
        }
    });
    Ok(next)
}

/// The nodes in the order of their entries.
fn order<P: Position>(places: &[[P; 2]]) -> Result<Vec<P>> {
    let mut entered = filled(2 * places.len(), P::NONE, "entries of a tour")?;
    let place = Disjoint::new(&mut entered);
    places.par_iter().enumerate().with_min_len(GRAIN).for_each(|(v, [enter, _])| {
        // SAFETY: list ranking gives every step a place of its own.
        unsafe { place.put(enter.get(), P::new(v)) };
    });
    compact(&entered, |v| *v != P::NONE)
}
