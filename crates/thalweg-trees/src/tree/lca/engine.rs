//! What an engine is to its users, and which there are.

use std::fmt;

use thalweg_arrays::rmq;
use thalweg_core::{Pairs, PositionsMut, Result, engine_names};

engine_names! {
    /// The LCA engines, with their options. See the [module's table](super).
    #[derive(Default)]
    "lca": Engine {
        /// Paths named by round numbers. The default.
        #[default]
        Inlabel = "inlabel",
        /// The smallest level between two places of the Euler tour.
        EulerRmq(EulerRmqOptions) = "euler_rmq",
        /// Walks up. The oracle of the tests.
        Naive = "naive",
    }
}

impl Engine {
    /// Whether GPUs have it, too; what they have of its options, their error tells.
    pub const fn is_on_gpu(self) -> bool {
        matches!(self, Self::Inlabel | Self::EulerRmq(_))
    }
}

/// Options of [`Engine::EulerRmq`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct EulerRmqOptions {
    /// The engine for range minima over the levels; `None` leaves the choice to the library.
    pub rmq: Option<rmq::Engine>,
}

impl EulerRmqOptions {
    /// Everything is left to the library.
    pub const DEFAULT: Self = Self { rmq: None };
}

/// What every LCA engine provides, on whatever device.
///
/// An engine is built from the parents of a forest and answers for it ever after; it knows no type of positions. For
/// single queries the caller makes sure that both nodes are below [`LcaEngine::len`]; [`Lca`](super::Lca) does.
pub trait LcaEngine: fmt::Debug + Send + Sync {
    /// The engine's name.
    fn name(&self) -> &'static str;
    /// How many nodes there are.
    fn len(&self) -> usize;
    /// Whether there are no nodes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Bytes of memory held in addition to the parents.
    fn extra_bytes(&self) -> usize;
    /// The lowest common ancestor of two nodes; `None` if they are in different trees. An engine on a device that may fail
    /// answers from the host's parents then: [`by_walking`](super::by_walking).
    fn ask(&self, x: usize, y: usize) -> Option<usize>;
    /// The same, with the device's failure as an error.
    ///
    /// # Errors
    /// Those of the device.
    fn try_ask(&self, x: usize, y: usize) -> Result<Option<usize>> {
        Ok(self.ask(x, y))
    }
    /// The lowest common ancestors of a batch of pairs, [`Position::NONE`](thalweg_core::Position::NONE) where there is none. Pairs may have either
    /// width.
    ///
    /// # Errors
    /// [`expect_positions`](rmq::expect_positions): the output must have the pairs' number and width.
    /// [`Error::Node`](thalweg_core::Error::Node) of the first row with a node that does not exist, and then the output is
    /// unspecified; those of the device.
    fn batch(&self, queries: Pairs<'_>, out: PositionsMut<'_>) -> Result<()>;
}
