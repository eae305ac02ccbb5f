//! Questions about subtrees: minimum, sum, size.
//!
//! In preorder a subtree is an interval. So its minimum is a range minimum query over the values in preorder, by the
//! default engine, and its sum the difference of two prefix sums.
//!
//! Soman et al. 2012, section 7.1, with this library's RMQ in place of theirs. Work O(n) to build, O(1) a query. Memory:
//! the values in preorder and the RMQ index. All nodes are asked for in preorder, so that the ranges, most of which are
//! short, follow one another in memory.
#![allow(unsafe_code)]

use rayon::prelude::*;

use super::{EulerTour, first_bad_node};
use crate::list::{Weight, Words};
use thalweg_arrays::rmq::{self, Rmq};
use thalweg_core::error::expect_len;
use thalweg_core::memory::{collected, filled};
use thalweg_core::primitives::disjoint::Disjoint;
use thalweg_core::primitives::exclusive_scan;
use thalweg_core::{Key, Order, Position, Result};

/// Nodes that a task takes at once.
const GRAIN: usize = 1 << 13;

/// An index for the minimum of the values in every subtree.
///
/// Of equal values the first in preorder counts: the one nearest to the subtree's root, or else the one in the subtree of
/// the smaller child.
///
/// ```
/// # use thalweg_trees as thalweg;
/// use thalweg::tree::{EulerTour, Subtrees};
/// // 2 is the root of 0 and 3, 0 that of 1; 4 is alone.
/// let tour = EulerTour::new(&[2u32, 0, 2, 2, 4])?;
/// let subtrees = Subtrees::new(&tour, &[7, 3, 9, 3, 1])?;
/// assert_eq!((subtrees.min(2), subtrees.argmin(2)), (Some(3), Some(1)));
/// assert_eq!((subtrees.min(3), subtrees.argmin(3)), (Some(3), Some(3)));
/// assert_eq!(subtrees.all_min()?, [3, 3, 3, 3, 1]);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub struct Subtrees<'t, P: Position, K: Key> {
    tour: &'t EulerTour<'t, P>,
    rmq: Rmq<'static, K>,
}

impl<'t, P: Position, K: Key> Subtrees<'t, P, K> {
    /// An index for minima of `values`, one a node.
    pub fn new(tour: &'t EulerTour<'t, P>, values: &[K]) -> Result<Self> {
        Self::with(tour, values, rmq::Builder::new())
    }

    /// An index with an order and an RMQ engine of the caller's choice.
    pub fn with(tour: &'t EulerTour<'t, P>, values: &[K], rmq: rmq::Builder) -> Result<Self> {
        Ok(Self { tour, rmq: rmq.build(in_preorder(tour, values)?)? })
    }

    /// Name of the RMQ engine in use.
    pub fn engine(&self) -> &'static str {
        self.rmq.engine()
    }

    /// Whether minima or maxima are answered.
    pub fn order(&self) -> Order {
        self.rmq.order()
    }

    /// Bytes of memory held in addition to the tour.
    pub fn extra_bytes(&self) -> usize {
        self.rmq.len() * size_of::<K>() + self.rmq.extra_bytes()
    }

    /// The places of a subtree in preorder, both ends inclusive.
    #[inline(always)]
    fn range(&self, node: usize) -> [P; 2] {
        let first = self.tour.preorder()[node];
        [first, P::new(first.get() + self.tour.sizes()[node].get() - 1)]
    }

    /// The smallest value in a node's subtree; `None` if there is no such node.
    pub fn min(&self, node: usize) -> Option<K> {
        let [first, last] = if node < self.tour.len() { self.range(node) } else { return None };
        self.rmq.min(first.get()..=last.get())
    }

    /// The node with the smallest value in a node's subtree, the first in preorder on ties; `None` if there is no such
    /// node.
    pub fn argmin(&self, node: usize) -> Option<usize> {
        let [first, last] = if node < self.tour.len() { self.range(node) } else { return None };
        self.rmq.argmin(first.get()..=last.get()).map(|place| self.tour.order()[place].get())
    }

    /// The smallest values in the subtrees of many nodes.
    ///
    /// # Errors
    /// [`Error::Node`](thalweg_core::Error::Node) names the first node that does not exist; then the output is unspecified.
    pub fn min_batch(&self, nodes: &[P], out: &mut [K]) -> Result<()> {
        self.batch(nodes, out, |ranges, out| self.rmq.min_batch(ranges, out))
    }

    /// The nodes with the smallest values in the subtrees of many nodes, as [`Subtrees::min_batch`].
    pub fn argmin_batch(&self, nodes: &[P], out: &mut [P]) -> Result<()> {
        self.batch(nodes, out, |ranges, out| {
            self.rmq.argmin_batch(ranges, out)?;
            out.iter_mut().for_each(|place| *place = self.tour.order()[place.get()]);
            Ok(())
        })
    }

    /// The smallest value in the subtree of every node.
    pub fn all_min(&self) -> Result<Vec<K>> {
        self.all(|ranges, out| self.rmq.min_batch(ranges, out))
    }

    /// The node with the smallest value in the subtree of every node.
    pub fn all_argmin(&self) -> Result<Vec<P>> {
        self.all(|ranges, out| {
            self.rmq.argmin_batch(ranges, out)?;
            out.iter_mut().for_each(|place| *place = self.tour.order()[place.get()]);
            Ok(())
        })
    }

    /// Answers for every node, in preorder.
    fn all<T: Copy + Default + Send + Sync>(
        &self,
        answer: impl Fn(&[[P; 2]], &mut [T]) -> Result<()> + Sync,
    ) -> Result<Vec<T>> {
        let (order, sizes) = (self.tour.order(), self.tour.sizes());
        let mut out = filled(order.len(), T::default(), "answers of subtrees")?;
        let place = Disjoint::new(&mut out);
        order.par_chunks(GRAIN).enumerate().try_for_each(|(chunk, nodes)| {
            let range = |(k, v): (usize, &P)| [P::new(k), P::new(k + sizes[v.get()].get() - 1)];
            let ranges: Vec<[P; 2]> = (chunk * GRAIN..).zip(nodes).map(range).collect();
            let mut answers = vec![T::default(); nodes.len()];
            answer(&ranges, &mut answers)?;
            for (v, answer) in nodes.iter().zip(answers) {
                // SAFETY: every node is in the order once.
                unsafe { place.put(v.get(), answer) };
            }
            Ok(())
        })?;
        Ok(out)
    }

    fn batch<T: Send>(
        &self,
        nodes: &[P],
        out: &mut [T],
        answer: impl Fn(&[[P; 2]], &mut [T]) -> Result<()> + Sync,
    ) -> Result<()> {
        expect_len("output of the batch", out.len(), nodes.len())?;
        let len = self.tour.len();
        let done = nodes.par_chunks(GRAIN).zip(out.par_chunks_mut(GRAIN)).try_for_each(|(nodes, out)| {
            if nodes.iter().any(|node| node.get() >= len) {
                return Err(None);
            }
            let ranges: Vec<[P; 2]> = nodes.iter().map(|node| self.range(node.get())).collect();
            answer(&ranges, out).map_err(Some)
        });
        done.map_err(|error| error.unwrap_or_else(|| first_bad_node(nodes.par_iter().map(|&node| [node, node]), len)))
    }
}

/// The sum of the weights in the subtree of every node. The sums are those of [`list::sums`](crate::list::sums()): exact
/// for 32-bit weights.
///
/// Work O(n), on all threads of the current rayon pool.
///
/// ```
/// # use thalweg_trees as thalweg;
/// use thalweg::tree::{EulerTour, subtree_sums};
/// let tour = EulerTour::new(&[2u32, 0, 2, 2, 4])?;
/// assert_eq!(subtree_sums(&tour, &[7i32, 3, 9, 3, 1])?, [10, 3, 22, 3, 1]);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn subtree_sums<P: Position, W: Weight>(tour: &EulerTour<'_, P>, weights: &[W]) -> Result<Vec<W::Sum>> {
    let words = collected(in_preorder(tour, weights)?.into_par_iter().map(W::to_words), "weights in preorder")?;
    let (before, total) = exclusive_scan(&words, W::Words::ZERO, W::Words::plus)?;
    let up_to = |place: usize| before.get(place).copied().unwrap_or(total);
    let sum = |v: usize| {
        let first = tour.preorder()[v].get();
        W::from_words(up_to(first + tour.sizes()[v].get()).minus(before[first]))
    };
    collected((0..tour.len()).into_par_iter().with_min_len(GRAIN).map(sum), "sums of subtrees")
}

fn in_preorder<P: Position, T: Copy + Send + Sync>(tour: &EulerTour<'_, P>, values: &[T]) -> Result<Vec<T>> {
    expect_len("values of nodes", values.len(), tour.len())?;
    collected(tour.order().par_iter().with_min_len(GRAIN).map(|v| values[v.get()]), "values in preorder")
}
