//! Lowest common ancestors (LCA), on any device.
//!
//! Given a forest that does not change, answer many times: which is the lowest node that has both x and y in its subtree?
//! [`Lca::new`] builds an index with the default engine on the CPU, [`Builder`] chooses:
//!
//! | engine | idea | extra memory | query | where |
//! |---|---|---|---|---|
//! | `inlabel` (default) | paths named by round numbers, bit operations | 24 bytes a node, 16 on GPUs | O(1), two random reads and two near the root | CPU, GPU |
//! | `euler_rmq` | the smallest level between two places of the Euler tour, by any RMQ engine | 12 to 20 bytes a node and the RMQ index | O(1) | CPU, GPU |
//! | `naive` | walks up | 4 bytes a node | O(depth) | CPU |

#[cfg(feature = "gpu")]
use thalweg_core::Chosen;
use thalweg_core::{Position, Result};
pub use thalweg_trees::tree::lca::{Engine, EulerRmqOptions, Lca, LcaEngine, by_walking};

use super::EulerTour;
use crate::Device;
use crate::costs::Costs;
use crate::device::{Question, on_device, threads};
use crate::setters::setters;

/// What an index over `len` nodes costs, and asking it for `queries` pairs: some 250 ns a node and 50 a query, over the
/// threads.
pub fn costs(len: usize, queries: usize, threads: usize) -> Costs {
    let (len, queries) = (len as f64, queries as f64);
    let cpu = (250e-9 * len + 50e-9 * queries) / threads as f64;
    Costs { cpu, bytes_up: 4.0 * len + 8.0 * queries, bytes_down: 4.0 * (len + queries), device: 0.0 }
}

/// Chooses engine and device of an LCA index.
///
/// ```
/// use thalweg::{rmq, tree::lca::{Builder, Engine, EulerRmqOptions}};
/// let by_table = EulerRmqOptions { rmq: Some(rmq::Engine::SparseTable) };
/// let lca = Builder::new().engine(Engine::EulerRmq(by_table)).build(&[2u32, 0, 2, 2])?;
/// assert_eq!(lca.ask(1, 3), Some(2));
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Builder {
    engine: Option<Engine>,
    device: Device,
    queries: usize,
}

impl Builder {
    /// Default engine, [`Device::Auto`].
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Chooses the engine, with its options; `None` leaves the choice to the library.
        engine: Option<Engine>,
        /// Chooses the device.
        device: Device,
    }

    /// How many pairs are going to be asked for, for [`Device::Auto`].
    pub fn expected_queries(mut self, queries: usize) -> Self {
        self.queries = queries;
        self
    }

    /// Builds the index of a forest. A root is its own parent or has none.
    ///
    /// # Errors
    /// Those of [`EulerTour::new`].
    pub fn build<'a, P: Position>(&self, parents: &'a [P]) -> Result<Lca<'a, P>> {
        let engine = self.engine.unwrap_or_default();
        let built = on_device!(
            self.device,
            self.question(costs(parents.len(), self.queries, threads())),
            |gpu| on_gpu(gpu, parents, engine),
            || Lca::with_engine(parents, engine)
        )?;
        let (lca, chosen) = built.into_parts();
        Ok(lca.with_chosen(chosen))
    }

    /// Builds the index of a forest whose tour is there already. The tour is the CPU's; a GPU makes its own.
    ///
    /// ```
    /// use thalweg::tree::{EulerTour, lca::Builder};
    /// let tour = EulerTour::new(&[2u32, 0, 2, 2])?;
    /// assert_eq!(Builder::new().of_tour(&tour)?.ask(1, 3), Some(2));
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Lca::of_tour`].
    pub fn of_tour<'a, P: Position>(&self, tour: &EulerTour<'a, P>) -> Result<Lca<'a, P>> {
        let (engine, threads) = (self.engine.unwrap_or_default(), threads());
        // Without what the CPU has done already.
        let mut costs = costs(tour.len(), self.queries, threads);
        costs.cpu -= super::costs(tour.len(), true, threads).cpu;
        let built = on_device!(self.device, self.question(costs), |gpu| on_gpu(gpu, tour.parents(), engine), || {
            Lca::of_tour(tour, engine)
        })?;
        let (lca, chosen) = built.into_parts();
        Ok(lca.with_chosen(chosen))
    }

    fn question(&self, costs: Costs) -> Question {
        let engine = self.engine.unwrap_or_default();
        Question {
            engine: engine.name(),
            gpu_engine: engine.name(),
            asked: self.engine.is_some(),
            on_cpu: true,
            on_gpu: !matches!(engine, Engine::Naive),
            costs,
        }
    }
}

/// An index on a GPU.
#[cfg(feature = "gpu")]
fn on_gpu<'a, P: Position>(gpu: &thalweg_gpu::Device, parents: &'a [P], engine: Engine) -> Result<Lca<'a, P>> {
    let lca = thalweg_gpu::tree::Lca::with_engine(&crate::numbers::upload(gpu, parents)?, engine)?;
    // The builder tells the rest itself.
    Ok(Lca::from_engine(lca.with_parents(parents)?, Chosen::on_device(gpu.name(), engine.name(), "")))
}

/// A tour of a device's, on the host.
#[cfg(feature = "gpu")]
pub(super) fn download_tour<'a, P: Position>(
    parents: &'a [P],
    tour: &thalweg_gpu::tree::EulerTour,
) -> Result<EulerTour<'a, P>> {
    let [order, preorder, levels, sizes] =
        [&tour.order()?, tour.preorder(), tour.levels(), tour.sizes()].map(crate::numbers::download);
    EulerTour::from_parts(parents, order?, preorder?, levels?, sizes?)
}
