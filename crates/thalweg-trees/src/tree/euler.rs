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

use std::sync::{Mutex, PoisonError};

use super::children::Rows;
use super::nodes::plain_parents;
use crate::links::{check_range, cycle, follow};
use crate::list::{Direction, Options, rank_links};
use crate::widths::{Slices, by_width, typed};
use thalweg_core::disjoint::Disjoint;
use thalweg_core::error::expect_len;
use thalweg_core::memory::{computed, filled};
use thalweg_core::parallel::{for_each_chunk, try_for_each_chunk};
use thalweg_core::primitives::compact;
use thalweg_core::{Error, Position, Positions, Result};

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
pub struct EulerTour<'a, P: Position> {
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
    /// Those of the [contract](super#the-contract-on-every-device).
    pub fn new(parents: &'a [P]) -> Result<Self> {
        Self::with(parents, &Options::default())
    }

    /// Makes the tour with a list ranking of the caller's choice; its direction does not matter.
    ///
    /// # Errors
    /// As [`EulerTour::new`].
    pub fn with(parents: &'a [P], ranking: &Options) -> Result<Self> {
        let [order, preorder, levels, sizes] = typed(make(Slices::of([parents]), ranking)?);
        Ok(Self { parents, order, preorder, levels, sizes })
    }

    /// A tour that was made elsewhere, such as on another device: the nodes in preorder, and the place in that order, the
    /// level and the size of every node. It is checked, in O(n) work, that all of them fit the parents and each other;
    /// that children come in increasing order is not.
    ///
    /// # Errors
    /// [`Error::Length`] if there are not as many as parents, [`Error::BadOption`] if this is no tour of theirs.
    ///
    /// ```
    /// # use thalweg_trees as thalweg;
    /// use thalweg::tree::EulerTour;
    /// let parents = [1u32, 1, 1];
    /// let tour = EulerTour::from_parts(&parents, vec![1, 0, 2], vec![1, 0, 2], vec![1, 0, 1], vec![1, 3, 1])?;
    /// assert_eq!((tour.first(2), tour.last(1)), (3, 4));
    /// assert!(EulerTour::from_parts(&parents, vec![1, 0, 2], vec![0, 1, 2], vec![1, 0, 1], vec![1, 3, 1]).is_err());
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn from_parts(
        parents: &'a [P],
        order: Vec<P>,
        preorder: Vec<P>,
        levels: Vec<P>,
        sizes: Vec<P>,
    ) -> Result<Self> {
        for part in [&order, &preorder, &levels, &sizes] {
            expect_len("parts of a tour", part.len(), parents.len())?;
        }
        let tour = Self { parents, order, preorder, levels, sizes };
        check(tour.slices())?;
        Ok(tour)
    }

    /// Everything, without the type.
    pub(super) fn slices(&self) -> Slices<'_, 5> {
        Slices::of([self.parents, &self.order, &self.preorder, &self.levels, &self.sizes])
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
        let [places] = typed([postorder(self.slices())?]);
        Ok(places)
    }

    /// A node's first place in the tour: where it is entered.
    pub fn first(&self, node: usize) -> usize {
        2 * self.preorder[node].get() - self.levels[node].get()
    }

    /// A node's last place in the tour: just before it is left.
    pub fn last(&self, node: usize) -> usize {
        self.first(node) + 2 * self.sizes[node].get() - 2
    }

    /// The nodes in preorder, and the place in that order, the level and the size of every node, without the rest.
    pub fn into_parts(self) -> [Vec<P>; 4] {
        [self.order, self.preorder, self.levels, self.sizes]
    }

    /// The root of every node's tree.
    pub fn roots(&self) -> Result<Vec<P>> {
        let [roots] = typed([roots(self.slices())?]);
        Ok(roots)
    }
}

fn make(parents: Slices<'_>, ranking: &Options) -> Result<[Positions; 4]> {
    by_width!(parents, [parents] => {
        let Tour { order, preorder, levels, sizes } = Tour::new(parents, ranking)?;
        Ok([order, preorder, levels, sizes].map(Position::list))
    })
}

fn check(tour: Slices<'_, 5>) -> Result<()> {
    by_width!(tour, tour => Seen::of(tour).check())
}

fn postorder(tour: Slices<'_, 5>) -> Result<Positions> {
    by_width!(tour, tour => Seen::of(tour).postorder().map(Position::list))
}

fn roots(tour: Slices<'_, 5>) -> Result<Positions> {
    by_width!(tour, tour => Seen::of(tour).roots().map(Position::list))
}

/// What an [`EulerTour`] owns.
pub(super) struct Tour<P> {
    pub(super) order: Vec<P>,
    pub(super) preorder: Vec<P>,
    pub(super) levels: Vec<P>,
    pub(super) sizes: Vec<P>,
}

impl<P: Position> Tour<P> {
    pub(super) fn new(parents: &[P], ranking: &Options) -> Result<Self> {
        check_range("node", parents)?;
        let len = parents.len();
        if !P::fits(2 * len) {
            return Err(Error::Width { len: 2 * len, got: P::NAME });
        }
        let from_head = Options { direction: Direction::FromHead, ..*ranking };
        let ranks = match rank_links(&steps(parents)?, &from_head) {
            // The steps round a cycle are a cycle.
            Err(Error::Cycle { .. }) => return Err(cycle("node", parents)?),
            ranks => ranks?,
        };
        let (places, _) = ranks.as_chunks::<2>();
        let order = order(places)?;
        let mut preorder = filled(len, P::default(), "preorder")?;
        let place = Disjoint::new(&mut preorder);
        for_each_chunk(len, GRAIN, &|range| {
            for k in range {
                // SAFETY: a node is in the order once.
                unsafe { place.put(order[k].get(), P::new(k)) };
            }
        });
        let level = |v: usize| P::new(2 * preorder[v].get() - places[v][0].get());
        let levels = computed(len, GRAIN, "levels", level)?;
        let size = |v: usize| P::new((places[v][1].get() - places[v][0].get()).div_ceil(2));
        let sizes = computed(len, GRAIN, "sizes of subtrees", size)?;
        Ok(Self { order, preorder, levels, sizes })
    }

    pub(super) fn seen<'t>(&'t self, parents: &'t [P]) -> Seen<'t, P> {
        Seen::of([parents, &self.order, &self.preorder, &self.levels, &self.sizes])
    }
}

/// An [`EulerTour`] for code that is compiled for one width.
#[derive(Clone, Copy)]
pub(super) struct Seen<'t, P> {
    pub(super) parents: &'t [P],
    pub(super) order: &'t [P],
    pub(super) preorder: &'t [P],
    pub(super) levels: &'t [P],
    pub(super) sizes: &'t [P],
}

impl<'t, P: Position> Seen<'t, P> {
    /// From [`EulerTour::slices`].
    pub(super) fn of([parents, order, preorder, levels, sizes]: [&'t [P]; 5]) -> Self {
        Self { parents, order, preorder, levels, sizes }
    }

    pub(super) fn len(self) -> usize {
        self.parents.len()
    }

    /// As [`EulerTour::parent`].
    #[inline(always)]
    pub(super) fn parent(self, node: usize) -> Option<usize> {
        follow(self.parents, node)
    }

    /// As [`EulerTour::first`].
    #[inline(always)]
    pub(super) fn first(self, node: usize) -> usize {
        2 * self.preorder[node].get() - self.levels[node].get()
    }

    /// The places of a subtree in preorder, both ends inclusive.
    #[inline(always)]
    pub(super) fn interval(self, node: usize) -> [P; 2] {
        let first = self.preorder[node];
        [first, P::new(first.get() + self.sizes[node].get() - 1)]
    }

    /// Whether there is exactly one tree.
    pub(super) fn is_one_tree(self) -> bool {
        self.order.first().is_some_and(|root| self.sizes[root.get()].get() == self.len())
    }

    fn postorder(self) -> Result<Vec<P>> {
        let place = |v: usize| P::new(self.preorder[v].get() + self.sizes[v].get() - 1 - self.levels[v].get());
        computed(self.len(), GRAIN, "postorder", place)
    }

    pub(super) fn roots(self) -> Result<Vec<P>> {
        let trees = compact(self.order, |v| self.parent(v.get()).is_none())?;
        let starts = computed(trees.len(), GRAIN, "starts of trees", |k| self.preorder[trees[k].get()])?;
        let root = |v: usize| trees[starts.partition_point(|start| *start <= self.preorder[v]) - 1];
        computed(self.len(), GRAIN, "roots", root)
    }

    /// Checks that this is a tour of the parents.
    ///
    /// Preorder must be a permutation in which parents come before their children; then there is no cycle. The interval
    /// of a node must lie in that of its parent, behind the parent itself; then it holds at least the node's descendants.
    /// And levels must count the ancestors. All nodes together have as many descendants as ancestors, so if the sizes add
    /// up to the levels and one for each node, no interval holds anything else.
    fn check(self) -> Result<()> {
        let len = self.len();
        let wrong = |reason: String| Err(Error::BadOption { option: "tour", reason });
        if !P::fits(2 * len) {
            return Err(Error::Width { len: 2 * len, got: P::NAME });
        }
        check_range("node", self.parents)?;
        let fits = |v: usize| {
            let (first, size, level) = (self.preorder[v].get(), self.sizes[v].get(), self.levels[v].get());
            let (above, end, depth) = match self.parent(v) {
                None => (0, len, 0),
                Some(up) => {
                    let above = self.preorder[up].get().saturating_add(1);
                    (above, above.saturating_add(self.sizes[up].get()) - 1, self.levels[up].get().saturating_add(1))
                }
            };
            self.order.get(first).is_some_and(|w| w.get() == v)
                && size > 0
                && first >= above
                && first.saturating_add(size) <= end
                && level == depth
        };
        let excess = Mutex::new(0i128);
        let all = try_for_each_chunk(len, GRAIN, &|range| {
            // At most 2^14 sizes of at most 2n: they fit.
            let mut sum = 0i64;
            for v in range {
                if !fits(v) {
                    return false;
                }
                sum += self.sizes[v].get() as i64 - self.levels[v].get() as i64 - 1;
            }
            *excess.lock().unwrap_or_else(PoisonError::into_inner) += i128::from(sum);
            true
        });
        if !all {
            let v = (0..len).find(|&v| !fits(v)).expect("a node that does not fit");
            return wrong(format!("preorder, level or size of node {v} do not fit its parent's"));
        }
        if excess.into_inner().unwrap_or_else(PoisonError::into_inner) != 0 {
            return wrong("the sizes of all subtrees together do not fit the levels".to_owned());
        }
        Ok(())
    }
}

/// The steps of the tour as a list: step 2v enters node v, step 2v + 1 leaves it.
fn steps<P: Position>(parents: &[P]) -> Result<Vec<P>> {
    let len = parents.len();
    let rows = Rows::new(&plain_parents(parents)?)?;
    let mut next = filled(2 * len, P::NONE, "steps of a tour")?;
    let place = Disjoint::new(&mut next);
    for_each_chunk(len, GRAIN, &|range| {
        for v in range {
            let inward = rows.first(v).map_or(2 * v + 1, |child| 2 * child.get());
            // SAFETY: step 2v is this node's own.
            unsafe { place.put(2 * v, P::new(inward)) };
            let (node, parent) = (rows.nodes[v].get(), rows.parents[v]);
            let sibling = rows.parents.get(v + 1).is_some_and(|other| *other == parent);
            let outward = match parent.checked() {
                _ if sibling => P::new(2 * rows.nodes[v + 1].get()),
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
    for_each_chunk(places.len(), GRAIN, &|range| {
        for v in range {
            // SAFETY: list ranking gives every step a place of its own.
            unsafe { place.put(places[v][0].get(), P::new(v)) };
        }
    });
    compact(&entered, |v| *v != P::NONE)
}
