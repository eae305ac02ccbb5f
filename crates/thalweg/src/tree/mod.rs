//! Forests: rooted trees, given by the parent of every node, on any device.
//!
//! | what | types | with a device | work |
//! |---|---|---|---|
//! | roots and depths, whether it is a forest at all | [`Forest`] | [`Builder`] | O(n log depth) or O(n) |
//! | preorder, postorder, levels, subtree sizes, occurrences | [`EulerTour`] | [`Builder::tour`] | O(n) |
//! | lowest common ancestors | [`Lca`] | [`lca::Builder`] | O(n), O(1) a query |
//! | minimum, sum and size of subtrees | [`Subtrees`], [`subtree_sums`] | [`subtree::Builder`] | O(n), O(1) a query |
//! | the Cartesian tree of an array | [`Cartesian`] | [`CartesianBuilder`] | O(n) |
//! | the children of every node, in increasing order | [`Children`] | | O(n) |
//! | binary search trees over keys | [`SearchTree`] | | O(n log n) |
//!
//! A root is its own parent, or has none ([`Position::NONE`]). Children are taken in increasing order and so are the
//! roots, so preorder and everything that follows from it is unique. Positions are `u32` or `u64` on the CPU; a tour has
//! two places a node, so with `u32` there may be 2^31 - 1 nodes. On a GPU they are `u32`, and a tour has at most 2^30 nodes.

mod cartesian;
pub mod lca;
pub mod subtree;

use thalweg_core::{Answer, Position, Result};
pub use thalweg_trees::tree::{
    Cartesian, Children, Engine, EulerTour, Forest, Lca, Reports, SearchTree, Subtrees, subtree_sums,
};

pub use self::cartesian::CartesianBuilder;
use crate::Device;
use crate::costs::Costs;
use crate::device::{Question, on_device, threads};
use crate::setters::setters;

/// What roots and depths of `len` nodes cost, and the tour if it is wanted: a tour takes some 200 ns a node, over the
/// threads, roots and depths alone 20.
pub fn costs(len: usize, with_tour: bool, threads: usize) -> Costs {
    let (len, each) = (len as f64, if with_tour { 200e-9 } else { 20e-9 });
    Costs { cpu: each * len / threads as f64, bytes_up: 4.0 * len, bytes_down: 8.0 * len, device: 0.0 }
}

/// Roots, depths and tours with a choice of engine and device.
///
/// ```
/// use thalweg::tree::{Builder, Engine};
/// let path = Builder::new().engine(Engine::EulerTour).build(&[0u32, 0, 1, 2])?;
/// assert_eq!(path.depths(), [0, 1, 2, 3]);
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Builder {
    engine: Option<Engine>,
    device: Device,
}

impl Builder {
    /// Default engine, [`Device::Auto`].
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Chooses the engine for roots and depths; `None` leaves the choice to the library.
        engine: Option<Engine>,
        /// Chooses the device.
        device: Device,
    }

    fn question(&self, len: usize, with_tour: bool, engine: &'static str) -> Question {
        let costs = costs(len, with_tour, threads());
        Question { engine, gpu_engine: engine, asked: self.engine.is_some(), on_cpu: true, on_gpu: true, costs }
    }

    /// Checks that the parents make a forest, and finds roots and depths.
    ///
    /// # Errors
    /// [`Error::Link`](crate::Error::Link) for a parent that does not exist, [`Error::Cycle`](crate::Error::Cycle) names
    /// a node on a cycle.
    pub fn build<'a, P: Position>(&self, parents: &'a [P]) -> Result<Answer<Forest<'a, P>>> {
        let found = on_device!(
            self.device,
            self.question(parents.len(), false, "roots and depths"),
            |gpu| {
                let nodes = crate::numbers::upload(gpu, parents)?;
                let (roots, depths, engine) = thalweg_gpu::tree::roots_and_depths(&nodes, self.engine)?;
                Forest::from_parts(
                    parents,
                    crate::numbers::as_uploaded(roots),
                    crate::numbers::as_uploaded(depths),
                    engine,
                )
            },
            || Forest::with_engine(parents, self.engine)
        )?;
        let (forest, chosen) = found.into_parts();
        let chosen = chosen.with_engine(forest.engine());
        Ok(Answer::new(forest, chosen))
    }

    /// The Euler tour.
    ///
    /// # Errors
    /// As [`Builder::build`]; [`Error::Width`](crate::Error::Width) if the positions cannot number the places of the tour.
    pub fn tour<'a, P: Position>(&self, parents: &'a [P]) -> Result<Answer<EulerTour<'a, P>>> {
        on_device!(
            self.device,
            self.question(parents.len(), true, "euler_tour"),
            |gpu| {
                let tour = thalweg_gpu::tree::EulerTour::new(&crate::numbers::upload(gpu, parents)?)?;
                lca::download_tour(parents, &tour)
            },
            || EulerTour::new(parents)
        )
    }

    /// Root, depth, size and place in preorder of every node: all that a tour tells, without the tour itself, so that of a
    /// device's no more is copied than this.
    ///
    /// ```
    /// use thalweg::tree::Builder;
    /// let (found, _) = Builder::new().orders(&[1u32, 1, 0])?.into_parts();
    /// assert_eq!((found.depths, found.sizes), (vec![1, 0, 2], vec![2, 3, 1]));
    /// // In postorder children come before their parents: a node's place is preorder + size - 1 - depth.
    /// assert_eq!(found.preorder, [1, 0, 2]);
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Builder::tour`].
    pub fn orders<P: Position>(&self, parents: &[P]) -> Result<Answer<Orders<P>>> {
        let found = on_device!(
            self.device,
            self.question(parents.len(), true, "euler_tour"),
            |gpu| {
                let nodes = crate::numbers::upload(gpu, parents)?;
                let found = thalweg_gpu::tree::Forest::with_engine(nodes, self.engine)?;
                let tour = found.tour()?;
                let [roots, depths, sizes, preorder] =
                    [found.roots(), found.depths(), tour.sizes(), tour.preorder()].map(crate::numbers::download);
                let orders = Orders { roots: roots?, depths: depths?, sizes: sizes?, preorder: preorder? };
                Ok((orders, found.engine()))
            },
            || {
                let tour = EulerTour::new(parents)?;
                let (roots, depths, engine) = match self.engine {
                    Some(Engine::PointerJumping) => {
                        let forest = Forest::with_engine(parents, self.engine)?;
                        let engine = forest.engine();
                        let (roots, depths) = forest.into_roots_and_depths();
                        (roots, Some(depths), engine)
                    }
                    _ => (tour.roots()?, None, Engine::EulerTour.name()),
                };
                let [_, preorder, levels, sizes] = tour.into_parts();
                Ok((Orders { roots, depths: depths.unwrap_or(levels), sizes, preorder }, engine))
            }
        )?;
        let ((orders, engine), chosen) = found.into_parts();
        Ok(Answer::new(orders, chosen.with_engine(engine)))
    }

    /// Roots, depths and the tour. On the CPU depths come from the tour, unless another engine is asked for.
    ///
    /// # Errors
    /// As [`Builder::tour`].
    pub fn build_with_tour<'a, P: Position>(&self, parents: &'a [P]) -> Result<Answer<Toured<'a, P>>> {
        let found = on_device!(
            self.device,
            self.question(parents.len(), true, "euler_tour"),
            |gpu| {
                let nodes = crate::numbers::upload(gpu, parents)?;
                let found = thalweg_gpu::tree::Forest::with_engine(nodes, self.engine)?;
                let (roots, depths) = (found.roots(), found.depths());
                let (roots, depths) = (crate::numbers::download(roots)?, crate::numbers::download(depths)?);
                let forest = Forest::from_parts(parents, roots, depths, found.engine())?;
                Ok(Toured { forest, tour: lca::download_tour(parents, &found.tour()?)? })
            },
            || {
                let tour = EulerTour::new(parents)?;
                let forest = match self.engine {
                    Some(Engine::PointerJumping) => Forest::with_engine(parents, self.engine)?,
                    _ => Forest::from_parts(parents, tour.roots()?, tour.levels().to_vec(), Engine::EulerTour.name())?,
                };
                Ok(Toured { forest, tour })
            }
        )?;
        let (found, chosen) = found.into_parts();
        let chosen = chosen.with_engine(found.forest.engine());
        Ok(Answer::new(found, chosen))
    }
}

/// What there is to know of every node of a forest, see [`Builder::orders`].
#[derive(Clone, Debug)]
pub struct Orders<P: Position> {
    /// The roots of their trees.
    pub roots: Vec<P>,
    /// How far they are from these.
    pub depths: Vec<P>,
    /// Nodes in their subtrees, themselves among them.
    pub sizes: Vec<P>,
    /// Their places in preorder.
    pub preorder: Vec<P>,
}

/// A forest with its Euler tour.
#[derive(Clone, Debug)]
pub struct Toured<'a, P: Position> {
    /// Roots and depths.
    pub forest: Forest<'a, P>,
    /// The tour.
    pub tour: EulerTour<'a, P>,
}
