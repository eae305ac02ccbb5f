//! Lowest common ancestors (LCA).
//!
//! Given a forest that does not change, answer many times: which is the lowest node that has both x and y in its subtree?
//! [`Lca::new`] builds an index with the default engine, [`Builder`] chooses:
//!
//! | engine | idea | extra memory | query | source |
//! |---|---|---|---|---|
//! | `inlabel` (default) | paths named by round numbers, bit operations | 24 bytes a node | O(1), two random reads and two near the root | Schieber, Vishkin 1988 |
//! | `euler_rmq` | the smallest level between two places of the Euler tour, by any RMQ engine | 20 bytes a node and the RMQ index | O(1) | Berkman, Vishkin 1993 |
//! | `naive` | walks up | 4 bytes a node | O(depth) | the oracle |

mod euler_rmq;
mod inlabel;
mod naive;

use rayon::prelude::*;

use self::euler_rmq::EulerRmq;
use self::inlabel::ByInlabel;
use self::naive::Naive;
use super::{EulerTour, first_bad_node};
use thalweg_arrays::rmq;
use thalweg_core::error::expect_len;
use thalweg_core::{Position, Result, engine_names};

engine_names! {
    /// The LCA engines of this crate. See the [module's table](self).
    "lca": Engine {
        /// Paths named by round numbers. The default.
        Inlabel = "inlabel",
        /// The smallest level between two places of the Euler tour.
        EulerRmq = "euler_rmq",
        /// Walks up. The oracle of the tests.
        Naive = "naive",
    }
}

/// What every LCA engine provides, on whatever device.
pub trait LcaEngine<P: Position>: Send + Sync {
    /// The engine's name.
    fn name(&self) -> &'static str;
    /// Bytes of memory held in addition to the parents.
    fn extra_bytes(&self) -> usize;
    /// The lowest common ancestor of two nodes, which exist, or [`Position::NONE`](thalweg_core::Position::NONE).
    fn ask(&self, x: usize, y: usize) -> P;
    /// The same for a batch whose buffers have equal lengths. The engine checks every node and returns
    /// [`Error::Node`](thalweg_core::Error::Node) for the first query with a bad one; the output is unspecified then.
    fn batch(&self, queries: &[[P; 2]], out: &mut [P]) -> Result<()>;
}

/// Queries that one task answers.
const CHUNK: usize = 1 << 13;

/// Spreads a batch over the threads; `answer` takes a chunk and returns `None` if a node does not exist.
fn spread<P: Position>(
    len: usize,
    queries: &[[P; 2]],
    out: &mut [P],
    answer: impl Fn(&[[P; 2]], &mut [P]) -> Option<()> + Sync,
) -> Result<()> {
    let chunks = queries.par_chunks(CHUNK).zip(out.par_chunks_mut(CHUNK));
    match chunks.map(|(queries, out)| answer(queries, out)).try_for_each(|done| done) {
        Some(()) => Ok(()),
        None => Err(first_bad_node(queries.par_iter().copied(), len)),
    }
}

/// Chooses the engine of an LCA index.
///
/// ```
/// # use thalweg_trees as thalweg;
/// use thalweg::{rmq, tree::lca::{Builder, Engine}};
/// let parents = [2u32, 0, 2, 2];
/// let lca = Builder::new().engine(Engine::EulerRmq).rmq(rmq::Engine::SparseTable).build(&parents)?;
/// assert_eq!(lca.ask(1, 3), Some(2));
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Builder {
    engine: Option<Engine>,
    rmq: Option<rmq::Engine>,
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

    /// The RMQ engine under [`Engine::EulerRmq`]; `None` leaves the choice to the library. Other engines ignore it.
    pub fn rmq(mut self, engine: impl Into<Option<rmq::Engine>>) -> Self {
        self.rmq = engine.into();
        self
    }

    /// The engine that would be built.
    pub fn chosen(&self) -> Engine {
        self.engine.unwrap_or(Engine::Inlabel)
    }

    /// Builds the index of a forest. A root is its own parent or has none.
    ///
    /// # Errors
    /// Those of [`EulerTour::new`].
    pub fn build<'a, P: Position>(&self, parents: &'a [P]) -> Result<Lca<'a, P>> {
        let engine: Box<dyn LcaEngine<P> + 'a> = match self.chosen() {
            Engine::Inlabel => Box::new(ByInlabel::new(&EulerTour::new(parents)?)?),
            Engine::EulerRmq => Box::new(EulerRmq::new(&EulerTour::new(parents)?, self.rmq)?),
            Engine::Naive => Box::new(Naive::new(parents)?),
        };
        Ok(Lca { engine, len: parents.len() })
    }

    /// Builds the index from a tour that is there already.
    pub fn build_from_tour<'a, P: Position>(&self, tour: &EulerTour<'a, P>) -> Result<Lca<'a, P>> {
        let engine: Box<dyn LcaEngine<P> + 'a> = match self.chosen() {
            Engine::Inlabel => Box::new(ByInlabel::new(tour)?),
            Engine::EulerRmq => Box::new(EulerRmq::new(tour, self.rmq)?),
            Engine::Naive => Box::new(Naive::new(tour.parents())?),
        };
        Ok(Lca { engine, len: tour.len() })
    }
}

/// An index for lowest common ancestors, with whatever engine was chosen.
pub struct Lca<'a, P: Position> {
    engine: Box<dyn LcaEngine<P> + 'a>,
    len: usize,
}

impl<'a, P: Position> Lca<'a, P> {
    /// An index with the default engine. A root is its own parent or has none.
    ///
    /// Work O(n) in practice, on all threads of the current rayon pool.
    ///
    /// ```
    /// # use thalweg_trees as thalweg;
    /// use thalweg::tree::Lca;
    /// // 2 is the root of 0 and 3, 0 that of 1; 4 is alone.
    /// let lca = Lca::new(&[2u32, 0, 2, 2, 4])?;
    /// assert_eq!(lca.ask(1, 3), Some(2));
    /// assert_eq!(lca.ask(1, 0), Some(0));
    /// assert_eq!(lca.ask(1, 4), None); // in different trees
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn new(parents: &'a [P]) -> Result<Self> {
        Builder::new().build(parents)
    }

    /// Wraps an engine of the caller's, such as one that runs on another device. `len` is the number of nodes.
    pub fn from_engine(engine: Box<dyn LcaEngine<P> + 'a>, len: usize) -> Self {
        Self { engine, len }
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Name of the engine in use.
    pub fn engine(&self) -> &'static str {
        self.engine.name()
    }

    /// Bytes of memory held in addition to the parents.
    pub fn extra_bytes(&self) -> usize {
        self.engine.extra_bytes()
    }

    /// The lowest common ancestor of two nodes; `None` if they are in different trees or do not exist.
    pub fn ask(&self, x: usize, y: usize) -> Option<usize> {
        if x.max(y) < self.len { self.engine.ask(x, y).checked() } else { None }
    }

    /// The lowest common ancestors of many pairs, [`Position::NONE`](thalweg_core::Position::NONE) where there is none, on all
    /// threads of the current rayon pool.
    ///
    /// # Errors
    /// [`Error::Node`](thalweg_core::Error::Node) names the first node that does not exist; then the output is unspecified.
    ///
    /// ```
    /// # use thalweg_trees as thalweg;
    /// let lca = thalweg::tree::Lca::new(&[2u32, 0, 2, 2, 4])?;
    /// let mut out = [0; 3];
    /// lca.batch(&[[1, 3], [3, 3], [4, 0]], &mut out)?;
    /// assert_eq!(out, [2, 3, u32::MAX]);
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn batch(&self, queries: &[[P; 2]], out: &mut [P]) -> Result<()> {
        expect_len("output of the batch", out.len(), queries.len())?;
        self.engine.batch(queries, out)
    }
}
