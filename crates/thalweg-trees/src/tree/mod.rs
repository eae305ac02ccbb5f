//! Forests: rooted trees, given by the parent of every node.
//!
//! | what | where | work |
//! |---|---|---|
//! | roots and depths, whether it is a forest at all | [`Forest`] | O(n log depth) or O(n) |
//! | the children of every node, in increasing order | [`Children`] | O(n) |
//! | preorder, postorder, levels, subtree sizes, occurrences | [`EulerTour`] | O(n) |
//! | lowest common ancestors | [`lca`] | O(n), O(1) a query |
//! | minimum, sum and size of subtrees | [`Subtrees`], [`subtree_sums`] | O(n), O(1) a query |
//! | the Cartesian tree of an array | [`Cartesian`] | O(n) |
//! | binary search trees over keys | [`SearchTree`] | O(n log n) |
//!
//! A root is its own parent, or has none ([`Position::NONE`](thalweg_core::Position::NONE)). Children are taken in increasing order and so are the
//! roots, so preorder and everything that follows from it is unique. Positions are `u32` or `u64`; a tour has two places
//! a node, so with `u32` there may be 2^31 - 1 nodes.
//!
//! Roots and depths have two engines. On one thread and 2^22 nodes with shuffled numbers, pointer jumping took 63 ns a node
//! and the tour 145 on a random tree, 163 and 139 on a deep one, 207 and 154 on a path:
//!
//! | engine | idea | work | span | source |
//! |---|---|---|---|---|
//! | `pointer_jumping` (default) | everybody's link jumps over its parent, again and again | O(n log depth) | O(log depth) | JáJá 1992 |
//! | `euler_tour` | the tour's levels | O(n) | that of list ranking | Tarjan, Vishkin 1985 |
//!
//! ```
//! # use thalweg_trees as thalweg;
//! use thalweg::tree::Forest;
//! // 2 is the root of 0 and 3, 0 that of 1; 4 is alone.
//! let forest = Forest::from_parents(&[2u32, 0, 2, 2, 4])?;
//! assert_eq!(forest.roots(), [2, 2, 2, 2, 4]);
//! assert_eq!(forest.depths(), [1, 2, 0, 1, 0]);
//! assert_eq!(forest.tour()?.order(), [2, 0, 1, 3, 4]);
//! # Ok::<(), thalweg::Error>(())
//! ```

mod children;
mod euler;
pub mod lca;
mod pointer_jumping;
mod search;
mod subtree;

use rayon::prelude::*;

pub use self::children::Children;
pub use self::euler::EulerTour;
#[doc(inline)]
pub use self::lca::Lca;
pub use self::search::{Reports, SearchTree};
pub use self::subtree::{Subtrees, subtree_sums};
use crate::list::links::{check_range, cycle, follow};
pub use thalweg_arrays::Cartesian;
use thalweg_core::engine_names;
use thalweg_core::memory::collected;
use thalweg_core::primitives::positions_where;
use thalweg_core::{Error, Position, Result};

engine_names! {
    /// The engines for roots and depths. See the [module's table](self).
    "forest": Engine {
        /// Links that jump over parents. The default.
        PointerJumping = "pointer_jumping",
        /// The levels of the Euler tour.
        EulerTour = "euler_tour",
    }
}

/// A forest, with the root and the depth of every node.
#[derive(Clone, Debug)]
pub struct Forest<'a, P: Position> {
    parents: &'a [P],
    roots: Vec<P>,
    depths: Vec<P>,
    engine: Engine,
}

/// Builds a [`Forest`] with a choice of engine.
///
/// ```
/// # use thalweg_trees as thalweg;
/// use thalweg::tree::{Builder, Engine};
/// let path = Builder::new().engine(Engine::EulerTour).build(&[0u32, 0, 1, 2])?;
/// assert_eq!(path.depths(), [0, 1, 2, 3]);
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Builder {
    engine: Option<Engine>,
}

impl Builder {
    /// Default engine.
    pub fn new() -> Self {
        Self::default()
    }

    /// Chooses the engine; `None` leaves the choice to the library.
    pub fn engine(mut self, engine: impl Into<Option<Engine>>) -> Self {
        self.engine = engine.into();
        self
    }

    /// The engine that would run on `len` nodes.
    pub fn chosen(&self, len: usize) -> Engine {
        let fits = len <= pointer_jumping::MOST;
        self.engine.unwrap_or(if fits { Engine::PointerJumping } else { Engine::EulerTour })
    }

    /// Checks that the parents make a forest, and finds roots and depths.
    ///
    /// # Errors
    /// [`Error::Link`] for a parent that does not exist, [`Error::Cycle`] names a node on a cycle.
    pub fn build<'a, P: Position>(&self, parents: &'a [P]) -> Result<Forest<'a, P>> {
        check_range("node", parents)?;
        let engine = self.chosen(parents.len());
        let (roots, depths) = match engine {
            Engine::PointerJumping => match pointer_jumping::roots_and_depths(parents)? {
                Some(found) => found,
                None => return Err(cycle("node", parents)?),
            },
            Engine::EulerTour => {
                let tour = EulerTour::new(parents)?;
                let roots = tour.roots()?;
                (roots, tour.into_levels())
            }
        };
        Ok(Forest { parents, roots, depths, engine })
    }
}

impl<'a, P: Position> Forest<'a, P> {
    /// Checks that the parents make a forest, and finds roots and depths with the default engine.
    ///
    /// Work O(n log depth), on all threads of the current rayon pool. Extra memory: 8 to 12 bytes a node.
    ///
    /// ```
    /// # use thalweg_trees as thalweg;
    /// use thalweg::{Error, tree::Forest};
    /// assert_eq!(Forest::from_parents(&[1u32, 1, 1])?.depths(), [1, 0, 1]);
    /// // 2 and 3 are each other's parents.
    /// let error = Forest::from_parents(&[0u32, 2, 3, 2]).unwrap_err();
    /// assert_eq!(error, Error::Cycle { what: "node", element: 2 });
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn from_parents(parents: &'a [P]) -> Result<Self> {
        Builder::new().build(parents)
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// The engine that found roots and depths.
    pub fn engine(&self) -> &'static str {
        self.engine.name()
    }

    /// The parents as they were given.
    pub fn parents(&self) -> &'a [P] {
        self.parents
    }

    /// A node's parent; `None` for a root.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn parent(&self, node: usize) -> Option<usize> {
        follow(self.parents, node)
    }

    /// The root of every node's tree.
    pub fn roots(&self) -> &[P] {
        &self.roots
    }

    /// How many edges every node is away from its root.
    pub fn depths(&self) -> &[P] {
        &self.depths
    }

    /// The roots of the trees, in increasing order.
    ///
    /// ```
    /// # use thalweg_trees as thalweg;
    /// let forest = thalweg::tree::Forest::from_parents(&[1u32, 1, 2, u32::MAX])?;
    /// assert_eq!(forest.trees()?, [1, 2, 3]);
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn trees(&self) -> Result<Vec<P>> {
        positions_where(self.len(), |i| self.parent(i).is_none())
    }

    /// The children of every node. See [`Children`].
    pub fn children(&self) -> Result<Children<P>> {
        Children::new(self.parents)
    }

    /// The Euler tour. See [`EulerTour`].
    pub fn tour(&self) -> Result<EulerTour<'a, P>> {
        EulerTour::new(self.parents)
    }

    /// Roots and depths, without the rest.
    pub fn into_roots_and_depths(self) -> (Vec<P>, Vec<P>) {
        (self.roots, self.depths)
    }
}

/// The parents, [`Position::NONE`](thalweg_core::Position::NONE) for every root.
fn plain_parents<P: Position>(parents: &[P]) -> Result<Vec<P>> {
    let plain = |i: usize| follow(parents, i).map_or(P::NONE, P::new);
    collected((0..parents.len()).into_par_iter().map(plain), "parents")
}

/// The error for the first of some nodes that does not exist. There must be one.
fn first_bad_node<P: Position>(rows: impl IndexedParallelIterator<Item = [P; 2]>, len: usize) -> Error {
    let (row, node) = rows
        .enumerate()
        .find_first(|(_, nodes)| nodes.iter().any(|node| node.get() >= len))
        .map(|(row, nodes)| (row, nodes.into_iter().find(|node| node.get() >= len).expect("one of them")))
        .expect("an engine refused a batch that has no bad node");
    Error::Node { row, node: node.get() as u64, len }
}
