//! Roots and depths: the front door of forests.

use super::children::Children;
use super::euler::{EulerTour, Tour};
use super::pointer_jumping;
use crate::links::{check_range, cycle, follow};
use crate::list::Options;
use crate::widths::{Slices, by_width, typed};
use thalweg_core::error::expect_len;
use thalweg_core::primitives::positions_where;
use thalweg_core::{Position, Positions, Result, engine_names};

engine_names! {
    /// The engines for roots and depths. See the [module's table](super).
    "forest": Engine {
        /// Links that jump over parents. The default.
        PointerJumping = "pointer_jumping",
        /// The levels of the Euler tour.
        EulerTour = "euler_tour",
    }
}

impl Engine {
    /// The engine that the CPU takes for `len` nodes where none is asked for.
    pub fn chosen(len: usize) -> Self {
        if len <= pointer_jumping::MOST { Self::PointerJumping } else { Self::EulerTour }
    }

    /// Whether GPUs have it, too.
    pub const fn is_on_gpu(self) -> bool {
        matches!(self, Self::PointerJumping | Self::EulerTour)
    }
}

/// A forest, with the root and the depth of every node.
#[derive(Clone, Debug)]
pub struct Forest<'a, P: Position> {
    parents: &'a [P],
    roots: Vec<P>,
    depths: Vec<P>,
    engine: &'static str,
}

impl<'a, P: Position> Forest<'a, P> {
    /// Checks that the parents make a forest, and finds roots and depths with the default engine.
    ///
    /// Work O(n log depth), on all threads of the current rayon pool. Extra memory: 8 to 12 bytes a node.
    ///
    /// # Errors
    /// Those of the [contract](super#the-contract-on-every-device).
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
        Self::with_engine(parents, None)
    }

    /// The same by an engine of the caller's choice.
    ///
    /// # Errors
    /// Those of the [contract](super#the-contract-on-every-device), and [`Error::BadOption`](thalweg_core::Error::BadOption)
    /// where an engine was asked for that cannot take so many nodes.
    ///
    /// ```
    /// # use thalweg_trees as thalweg;
    /// use thalweg::tree::{Engine, Forest};
    /// let path = Forest::with_engine(&[0u32, 0, 1, 2], Some(Engine::EulerTour))?;
    /// assert_eq!((path.depths(), path.engine()), (&[0, 1, 2, 3][..], "euler_tour"));
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn with_engine(parents: &'a [P], engine: Option<Engine>) -> Result<Self> {
        let engine = engine.unwrap_or_else(|| Engine::chosen(parents.len()));
        let [roots, depths] = typed(roots_and_depths(Slices::of([parents]), engine)?);
        Ok(Self { parents, roots, depths, engine: engine.name() })
    }

    /// A forest whose roots and depths were found elsewhere, such as on another device, by the engine with this name. They
    /// are taken as they are.
    ///
    /// # Errors
    /// [`Error::Length`](thalweg_core::Error::Length) if there are not as many roots and depths as parents.
    pub fn from_parts(parents: &'a [P], roots: Vec<P>, depths: Vec<P>, engine: &'static str) -> Result<Self> {
        expect_len("roots of nodes", roots.len(), parents.len())?;
        expect_len("depths of nodes", depths.len(), parents.len())?;
        Ok(Self { parents, roots, depths, engine })
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// Name of the engine that found roots and depths.
    pub fn engine(&self) -> &'static str {
        self.engine
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
        let [trees] = typed([trees(Slices::of([self.parents]))?]);
        Ok(trees)
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

fn roots_and_depths(parents: Slices<'_>, engine: Engine) -> Result<[Positions; 2]> {
    by_width!(parents, [parents] => Ok(find(parents, engine)?.map(Position::list)))
}

/// The root and the depth of every node.
pub(super) fn find<P: Position>(parents: &[P], engine: Engine) -> Result<[Vec<P>; 2]> {
    check_range("node", parents)?;
    match engine {
        Engine::PointerJumping => match pointer_jumping::roots_and_depths(parents)? {
            Some(found) => Ok(found),
            None => Err(cycle("node", parents)?),
        },
        Engine::EulerTour => {
            let tour = Tour::new(parents, &Options::default())?;
            let roots = tour.seen(parents).roots()?;
            Ok([roots, tour.levels])
        }
    }
}

fn trees(parents: Slices<'_>) -> Result<Positions> {
    by_width!(parents, [parents] => trees_of(parents).map(Position::list))
}

fn trees_of<P: Position>(parents: &[P]) -> Result<Vec<P>> {
    positions_where(parents.len(), |i| follow(parents, i).is_none())
}
