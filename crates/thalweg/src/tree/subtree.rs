//! Questions about subtrees, on any device: minimum, sum, size.
//!
//! [`Subtrees`] is an index on the CPU; [`Builder`] answers for many nodes or for all at once, where it is
//! faster.

use thalweg_core::bits::Array;
use thalweg_core::{Answer, Coding, Key, Order, Position, Rank, Result};
use thalweg_trees::list::Weight;

use super::{EulerTour, Subtrees, subtree_sums};
use crate::Device;
use crate::costs::Costs;
use crate::device::{Question, on_device, threads};
use crate::rmq::{self, Rmq};
use crate::setters::setters;

/// What answers for `nodes` of `len` nodes cost beside the tour: the index takes some 50 ns a node and a query some 50, over
/// the threads.
pub fn costs(len: usize, nodes: usize, threads: usize) -> Costs {
    let (len, nodes) = (len as f64, nodes as f64);
    let cpu = (50e-9 * len + 50e-9 * nodes) / threads as f64;
    Costs { cpu, bytes_up: 8.0 * len + 4.0 * nodes, bytes_down: 4.0 * nodes, device: 0.0 }
}

/// Answers for the subtrees of some nodes, or of all, with a choice of order and device.
///
/// The tour is the CPU's; a GPU makes its own.
///
/// ```
/// use thalweg::tree::{EulerTour, subtree::Builder};
/// // 2 is the root of 0 and 3, 0 that of 1; 4 is alone.
/// let tour = EulerTour::new(&[2u32, 0, 2, 2, 4])?;
/// assert_eq!(*Builder::new().values(&tour, &[7, 3, 9, 3, 1], None)?, [3, 3, 3, 3, 1]);
/// assert_eq!(*Builder::new().positions(&tour, &[7, 3, 9, 3, 1], Some(&[2]))?, [1]);
/// assert_eq!(*Builder::new().sums(&tour, &[7i32, 3, 9, 3, 1], Some(&[0]))?, [10]);
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Builder {
    order: Order,
    device: Device,
}

impl Builder {
    /// Minima, [`Device::Auto`].
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Minimum or maximum.
        order: Order,
        /// Chooses the device.
        device: Device,
    }

    fn question<P: Position>(&self, tour: &EulerTour<'_, P>, nodes: Option<&[P]>) -> Question {
        let costs = costs(tour.len(), nodes.map_or(tour.len(), <[P]>::len), threads());
        Question { engine: "euler_tour", gpu_engine: "euler_tour", asked: false, on_cpu: true, on_gpu: true, costs }
    }

    /// The smallest values in the subtrees, in the order of the nodes.
    ///
    /// # Errors
    /// [`Error::Node`](crate::Error::Node) names the first node that does not exist, [`Error::Length`](crate::Error::Length)
    /// if there is not one value a node.
    pub fn values<P: Position, K: Key>(
        &self,
        tour: &EulerTour<'_, P>,
        values: &[K],
        nodes: Option<&[P]>,
    ) -> Result<Answer<Vec<K>>> {
        on_device!(
            self.device,
            self.question(tour, nodes),
            |gpu| {
                let (tour, nodes) = upload(gpu, tour, nodes)?;
                tour.subtree_values(&gpu.upload(values)?, self.order, nodes.as_ref().into())?.to_vec()
            },
            || {
                let index = Subtrees::with(tour, values, self.order, rmq::Engine::default())?;
                let Some(nodes) = nodes else { return index.all_values() };
                let mut out = thalweg_core::memory::filled(nodes.len(), K::default(), "answers of subtrees")?;
                index.values(nodes, &mut out)?;
                Ok(out)
            }
        )
    }

    /// The nodes with the smallest values in the subtrees, the first in preorder on ties.
    ///
    /// # Errors
    /// As [`Builder::values`].
    pub fn positions<P: Position, K: Key>(
        &self,
        tour: &EulerTour<'_, P>,
        values: &[K],
        nodes: Option<&[P]>,
    ) -> Result<Answer<Vec<P>>> {
        on_device!(
            self.device,
            self.question(tour, nodes),
            |gpu| {
                let (tour, nodes) = upload(gpu, tour, nodes)?;
                let found = tour.subtree_positions(&gpu.upload(values)?, self.order, nodes.as_ref().into())?;
                crate::numbers::download(&found)
            },
            || {
                let index = Subtrees::with(tour, values, self.order, rmq::Engine::default())?;
                let Some(nodes) = nodes else { return index.all_positions() };
                let mut out = thalweg_core::memory::filled(nodes.len(), P::default(), "answers of subtrees")?;
                index.positions(nodes, &mut out)?;
                Ok(out)
            }
        )
    }

    /// [`values`](Self::values) without a type: of the bits of keys that the coding tells the order of (which is the
    /// coding's, not this builder's). For those who learn the type at run time. What may run on a GPU are the range minima.
    ///
    /// ```
    /// use thalweg::tree::{EulerTour, subtree::Builder};
    /// use thalweg::Order;
    /// let tour = EulerTour::new(&[1u32, 1, 1])?;
    /// let (floats, coding) = ([2.5f32, 1.0, -4.0], thalweg_core::Coding::of::<f32>(Order::Min));
    /// let least = Builder::new().values_of_bits(&tour, &floats.map(f32::to_bits), coding, None)?;
    /// assert_eq!(least.iter().map(|&bits| f32::from_bits(bits)).collect::<Vec<_>>(), [2.5, -4.0, -4.0]);
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Builder::values`].
    pub fn values_of_bits<P: Position, R: Rank + Key<Rank = R>>(
        &self,
        tour: &EulerTour<'_, P>,
        bits: &[R],
        coding: Coding,
        nodes: Option<&[P]>,
    ) -> Result<Answer<Vec<R>>> {
        let index = self.index_of_bits(tour, bits, coding, nodes)?;
        let found = match nodes {
            None => index.all_values()?,
            Some(nodes) => {
                let mut out = thalweg_core::memory::filled(nodes.len(), R::default(), "answers of subtrees")?;
                index.values(nodes, &mut out)?;
                out
            }
        };
        Ok(Answer::new(found, index.chosen().clone()))
    }

    /// [`positions`](Self::positions) without a type, as [`values_of_bits`](Self::values_of_bits).
    ///
    /// # Errors
    /// As [`Builder::values`].
    pub fn positions_of_bits<P: Position, R: Rank + Key<Rank = R>>(
        &self,
        tour: &EulerTour<'_, P>,
        bits: &[R],
        coding: Coding,
        nodes: Option<&[P]>,
    ) -> Result<Answer<Vec<P>>> {
        let index = self.index_of_bits(tour, bits, coding, nodes)?;
        let found = match nodes {
            None => index.all_positions()?,
            Some(nodes) => {
                let mut out = thalweg_core::memory::filled(nodes.len(), P::default(), "answers of subtrees")?;
                index.positions(nodes, &mut out)?;
                out
            }
        };
        Ok(Answer::new(found, index.chosen().clone()))
    }

    fn index_of_bits<'t, P: Position, R: Rank + Key<Rank = R>>(
        &self,
        tour: &'t EulerTour<'t, P>,
        bits: &[R],
        coding: Coding,
        nodes: Option<&[P]>,
    ) -> Result<Subtrees<'t, P, R>> {
        let queries = nodes.map_or(tour.len(), <[P]>::len);
        let builder = rmq::Builder::new().device(self.device.clone()).expected_queries(queries);
        let (engine, chosen) = builder.build_bits(Array::of::<R>(tour.in_preorder(bits)?), coding)?;
        Subtrees::from_rmq(tour, Rmq::from_engine(engine, self.order, chosen))
    }

    /// The sums of the weights in the subtrees: exact for 32-bit weights.
    ///
    /// # Errors
    /// As [`Builder::values`].
    pub fn sums<P: Position, W: Weight>(
        &self,
        tour: &EulerTour<'_, P>,
        weights: &[W],
        nodes: Option<&[P]>,
    ) -> Result<Answer<Vec<W::Sum>>> {
        on_device!(
            self.device,
            self.question(tour, nodes),
            |gpu| {
                let (tour, nodes) = upload(gpu, tour, nodes)?;
                tour.subtree_sums_of_slice(weights, nodes.as_ref().into())
            },
            || some_of(subtree_sums(tour, weights)?, nodes)
        )
    }

    /// How many nodes the subtrees have, their roots included.
    ///
    /// # Errors
    /// As [`Builder::values`].
    pub fn sizes<P: Position>(&self, tour: &EulerTour<'_, P>, nodes: Option<&[P]>) -> Result<Answer<Vec<P>>> {
        on_device!(
            self.device,
            self.question(tour, nodes),
            |gpu| {
                let (tour, nodes) = upload(gpu, tour, nodes)?;
                crate::numbers::download(&tour.subtree_sizes(nodes.as_ref().into())?)
            },
            || some_of(tour.sizes().to_vec(), nodes)
        )
    }
}

/// The answers of some nodes among those of all.
fn some_of<T: Copy, P: Position>(all: Vec<T>, nodes: Option<&[P]>) -> Result<Vec<T>> {
    let Some(nodes) = nodes else { return Ok(all) };
    let mut some = thalweg_core::error::try_with_capacity(nodes.len(), "answers of subtrees")?;
    for (row, node) in nodes.iter().enumerate() {
        let Some(&answer) = all.get(node.get()) else {
            return Err(thalweg_core::Error::Node { row, node: node.get() as u64, len: all.len() });
        };
        some.push(answer);
    }
    Ok(some)
}

/// The tour that a device makes of the same parents, and the nodes that are asked for.
#[cfg(feature = "gpu")]
fn upload<P: Position>(
    gpu: &thalweg_gpu::Device,
    tour: &EulerTour<'_, P>,
    nodes: Option<&[P]>,
) -> Result<(thalweg_gpu::tree::EulerTour, Option<thalweg_gpu::DeviceArray<u32>>)> {
    let tour = thalweg_gpu::tree::EulerTour::new(&crate::numbers::upload(gpu, tour.parents())?)?;
    let nodes = nodes.map(|nodes| crate::numbers::upload(gpu, nodes)).transpose()?;
    Ok((tour, nodes))
}
