//! Lowest common ancestors (LCA).
//!
//! Given a forest that does not change, answer many times: which is the lowest node that has both x and y in its subtree?
//! [`Lca::new`] builds an index with the default engine, [`Lca::with_engine`] with one of these:
//!
//! | engine | idea | extra memory | query | source |
//! |---|---|---|---|---|
//! | `inlabel` (default) | paths named by round numbers, bit operations | 24 bytes a node | O(1), two random reads and two near the root | Schieber, Vishkin 1988 |
//! | `euler_rmq` | the smallest level between two places of the Euler tour, by any RMQ engine | 20 bytes a node and the RMQ index | O(1) | Berkman, Vishkin 1993 |
//! | `naive` | walks up | 4 bytes a node | O(depth) | the oracle |
//!
//! The [contract of forests](super#the-contract-on-every-device) holds: what is no forest is refused when an index is made.

mod batch;
mod engine;
mod euler_rmq;
mod inlabel;
mod naive;

use std::marker::PhantomData;

pub use self::engine::{Engine, EulerRmqOptions, LcaEngine};
use self::euler_rmq::EulerRmq;
use self::inlabel::ByInlabel;
use self::naive::Naive;
pub use self::naive::by_walking;
use super::euler::{EulerTour, Seen, Tour};
use crate::list::Options;
use crate::widths::Slices;
use thalweg_core::error::expect_len;
use thalweg_core::{Chosen, Position, Result};

/// An index for lowest common ancestors, with whatever engine was chosen.
#[derive(Debug)]
pub struct Lca<'a, P: Position> {
    engine: Box<dyn LcaEngine + 'a>,
    len: usize,
    chosen: Chosen,
    parents: PhantomData<&'a [P]>,
}

impl<'a, P: Position> Lca<'a, P> {
    /// An index with the default engine. A root is its own parent or has none.
    ///
    /// Work O(n) in practice, on all threads of the current rayon pool.
    ///
    /// # Errors
    /// Those of the [contract](super#the-contract-on-every-device).
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
        let engine = build_engine(Slices::of([parents]), None, Engine::default())?;
        let chosen = Chosen::on_cpu(engine.name(), "the default");
        Ok(Self::from_engine(engine, chosen))
    }

    /// An index with an engine of the caller's choice.
    ///
    /// # Errors
    /// As [`Lca::new`], and those of the RMQ engine under [`Engine::EulerRmq`].
    ///
    /// ```
    /// # use thalweg_trees as thalweg;
    /// use thalweg::{rmq, tree::{Lca, lca::{Engine, EulerRmqOptions}}};
    /// let by_table = EulerRmqOptions { rmq: Some(rmq::Engine::SparseTable) };
    /// let lca = Lca::with_engine(&[2u32, 0, 2, 2], Engine::EulerRmq(by_table))?;
    /// assert_eq!(lca.ask(1, 3), Some(2));
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn with_engine(parents: &'a [P], engine: Engine) -> Result<Self> {
        let engine = build_engine(Slices::of([parents]), None, engine)?;
        let chosen = Chosen::on_cpu(engine.name(), "asked for");
        Ok(Self::from_engine(engine, chosen))
    }

    /// An index from a tour that is there already.
    ///
    /// # Errors
    /// Those of the RMQ engine under [`Engine::EulerRmq`].
    pub fn of_tour(tour: &EulerTour<'a, P>, engine: Engine) -> Result<Self> {
        let engine = build_engine(Slices::of([tour.parents()]), Some(tour.slices()), engine)?;
        let chosen = Chosen::on_cpu(engine.name(), "asked for");
        Ok(Self::from_engine(engine, chosen))
    }

    /// An index of an engine of the caller's, such as one that runs on another device.
    pub fn from_engine(engine: Box<dyn LcaEngine + 'a>, chosen: Chosen) -> Self {
        Self { len: engine.len(), engine, chosen, parents: PhantomData }
    }

    /// The same index, with another account of how it was chosen.
    pub fn with_chosen(self, chosen: Chosen) -> Self {
        Self { chosen, ..self }
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

    /// Which device and engine answer, and why these.
    pub fn chosen(&self) -> &Chosen {
        &self.chosen
    }

    /// The engine, which knows no type of positions.
    pub fn as_engine(&self) -> &(dyn LcaEngine + 'a) {
        &*self.engine
    }

    /// Bytes of memory held in addition to the parents.
    pub fn extra_bytes(&self) -> usize {
        self.engine.extra_bytes()
    }

    /// The lowest common ancestor of two nodes; `None` if they are in different trees or do not exist.
    ///
    /// Where the engine is on a device that fails, the answer comes from the host's parents.
    #[inline]
    pub fn ask(&self, x: usize, y: usize) -> Option<usize> {
        if x.max(y) < self.len { self.engine.ask(x, y) } else { None }
    }

    /// The same, with a device's failure as an error.
    ///
    /// # Errors
    /// Those of the device; none on the CPU.
    #[inline]
    pub fn try_ask(&self, x: usize, y: usize) -> Result<Option<usize>> {
        if x.max(y) < self.len { self.engine.try_ask(x, y) } else { Ok(None) }
    }

    /// The lowest common ancestors of many pairs, [`Position::NONE`] where there is none, on
    /// all threads of the current rayon pool.
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
        self.engine.batch(P::pairs(queries), P::buffer(out))
    }
}

/// Builds an engine of the CPU, from the tour if there is one.
fn build_engine<'a>(
    parents: Slices<'a>,
    tour: Option<Slices<'_, 5>>,
    engine: Engine,
) -> Result<Box<dyn LcaEngine + 'a>> {
    match (parents, tour) {
        (Slices::U32([parents]), None) => build_for(parents, None, engine),
        (Slices::U64([parents]), None) => build_for(parents, None, engine),
        (Slices::U32([parents]), Some(Slices::U32(tour))) => build_for(parents, Some(Seen::of(tour)), engine),
        (Slices::U64([parents]), Some(Slices::U64(tour))) => build_for(parents, Some(Seen::of(tour)), engine),
        _ => unreachable!("a tour has the width of its parents"),
    }
}

fn build_for<'a, P: Position>(
    parents: &'a [P],
    tour: Option<Seen<'_, P>>,
    engine: Engine,
) -> Result<Box<dyn LcaEngine + 'a>> {
    if engine == Engine::Naive {
        return Ok(Box::new(Naive::new(parents)?));
    }
    let made;
    let tour = match tour {
        Some(tour) => tour,
        None => {
            made = Tour::new(parents, &Options::default())?;
            made.seen(parents)
        }
    };
    Ok(match engine {
        Engine::EulerRmq(options) => Box::new(EulerRmq::new(tour, options.rmq.unwrap_or_default())?),
        _ => Box::new(ByInlabel::new(tour)?),
    })
}
