//! Questions about subtrees: minimum, sum, size.
//!
//! In preorder a subtree is an interval. So its minimum is a range minimum query over the values in preorder, by any
//! engine, and its sum the difference of two prefix sums.
//!
//! Soman et al. 2012, section 7.1, with this library's RMQ in place of theirs. Work O(n) to build, O(1) a query. Memory:
//! the values in preorder and the RMQ index. All nodes are asked for in preorder, so that the ranges, most of which are
//! short, follow one another in memory.
#![allow(unsafe_code)]

use std::sync::OnceLock;

use super::euler::{EulerTour, Seen};
use super::nodes::first_bad_node;
use crate::list::{Numbers, Weight};
use crate::widths::{Slices, by_width as by_position};
use thalweg_arrays::rmq::{self, Rmq, RmqEngine};
use thalweg_core::bits::{self, Array, Bits, BitsMut};
use thalweg_core::disjoint::Disjoint;
use thalweg_core::error::expect_len;
use thalweg_core::memory::{computed, large_zeroed};
use thalweg_core::parallel::{for_each_chunk, try_for_each_chunk};
use thalweg_core::primitives::exclusive_scan;
use thalweg_core::{Chosen, Coding, Key, Order, Position, PositionsMut, Rank, Result, by_width};

/// Nodes that a task takes at once.
const GRAIN: usize = 1 << 13;

/// An index for the minimum of the values in every subtree.
///
/// With [`Order::Max`] read "largest" for "smallest" everywhere. Of equal values the first in preorder counts: the one
/// nearest to the subtree's root, or else the one in the subtree of the smaller child.
///
/// ```
/// # use thalweg_trees as thalweg;
/// use thalweg::tree::{EulerTour, Subtrees};
/// // 2 is the root of 0 and 3, 0 that of 1; 4 is alone.
/// let tour = EulerTour::new(&[2u32, 0, 2, 2, 4])?;
/// let subtrees = Subtrees::new(&tour, &[7, 3, 9, 3, 1])?;
/// assert_eq!((subtrees.value(2), subtrees.position(2)), (Some(3), Some(1)));
/// assert_eq!((subtrees.value(3), subtrees.position(3)), (Some(3), Some(3)));
/// assert_eq!(subtrees.all_values()?, [3, 3, 3, 3, 1]);
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Debug)]
pub struct Subtrees<'t, P: Position, K: Key> {
    tour: &'t EulerTour<'t, P>,
    rmq: Rmq<'t, K>,
}

impl<'t, P: Position, K: Key> Subtrees<'t, P, K> {
    /// An index for minima of `values`, one a node, with the default engine.
    ///
    /// # Errors
    /// [`Error::Length`](thalweg_core::Error::Length) if there are not as many values as nodes.
    pub fn new(tour: &'t EulerTour<'t, P>, values: &[K]) -> Result<Self> {
        let engine = build(tour.slices(), Bits::of(values), Coding::of::<K>(Order::Min), rmq::Engine::default())?;
        let chosen = Chosen::on_cpu(engine.name(), "the default");
        Self::from_rmq(tour, Rmq::from_engine(engine, Order::Min, chosen))
    }

    /// An index with an order and an RMQ engine of the caller's choice.
    ///
    /// # Errors
    /// As [`Subtrees::new`], and those of [`rmq::build`].
    pub fn with(tour: &'t EulerTour<'t, P>, values: &[K], order: Order, engine: rmq::Engine) -> Result<Self> {
        let engine = build(tour.slices(), Bits::of(values), Coding::of::<K>(order), engine)?;
        let chosen = Chosen::on_cpu(engine.name(), "asked for");
        Self::from_rmq(tour, Rmq::from_engine(engine, order, chosen))
    }

    /// An index of an RMQ index over the values [in preorder](EulerTour::in_preorder), such as one on another device.
    ///
    /// # Errors
    /// [`Error::Length`](thalweg_core::Error::Length) if it is not over as many values as there are nodes.
    pub fn from_rmq(tour: &'t EulerTour<'t, P>, rmq: Rmq<'t, K>) -> Result<Self> {
        expect_len("values of nodes", rmq.len(), tour.len())?;
        Ok(Self { tour, rmq })
    }

    /// Name of the RMQ engine in use.
    pub fn engine(&self) -> &'static str {
        self.rmq.engine()
    }

    /// Which device and RMQ engine answer, and why these.
    pub fn chosen(&self) -> &Chosen {
        self.rmq.chosen()
    }

    /// Whether minima or maxima are answered.
    pub fn order(&self) -> Order {
        self.rmq.order()
    }

    /// Bytes of memory held in addition to the tour.
    pub fn extra_bytes(&self) -> usize {
        self.rmq.len() * size_of::<K>() + self.rmq.extra_bytes()
    }

    /// The places of a subtree in preorder.
    fn range(&self, node: usize) -> std::ops::Range<usize> {
        if node >= self.tour.len() {
            return 0..0;
        }
        let first = self.tour.preorder()[node].get();
        first..first + self.tour.sizes()[node].get()
    }

    /// The node with the smallest value in a node's subtree, the first in preorder on ties; `None` if there is no such
    /// node.
    pub fn position(&self, node: usize) -> Option<usize> {
        self.rmq.position(self.range(node)).map(|place| self.tour.order()[place].get())
    }

    /// The same, with a device's failure as an error.
    ///
    /// # Errors
    /// Those of the device; none on the CPU.
    pub fn try_position(&self, node: usize) -> Result<Option<usize>> {
        Ok(self.rmq.try_position(self.range(node))?.map(|place| self.tour.order()[place].get()))
    }

    /// The smallest value in a node's subtree; `None` if there is no such node.
    pub fn value(&self, node: usize) -> Option<K> {
        self.rmq.value(self.range(node))
    }

    /// The same, with a device's failure as an error.
    ///
    /// # Errors
    /// Those of the device; none on the CPU.
    pub fn try_value(&self, node: usize) -> Result<Option<K>> {
        self.rmq.try_value(self.range(node))
    }

    /// The nodes with the smallest values in the subtrees of many nodes.
    ///
    /// # Errors
    /// [`Error::Node`](thalweg_core::Error::Node) names the first node that does not exist; then the output is unspecified.
    pub fn positions(&self, nodes: &[P], out: &mut [P]) -> Result<()> {
        expect_len("output of the batch", out.len(), nodes.len())?;
        positions(self.tour.slices(), self.rmq.as_engine(), Some(Slices::of([nodes])), P::buffer(out))
    }

    /// The smallest values in the subtrees of many nodes.
    ///
    /// # Errors
    /// As [`Subtrees::positions`].
    pub fn values(&self, nodes: &[P], out: &mut [K]) -> Result<()> {
        expect_len("output of the batch", out.len(), nodes.len())?;
        values(self.tour.slices(), self.rmq.as_engine(), Some(Slices::of([nodes])), BitsMut::of(out))
    }

    /// The node with the smallest value in the subtree of every node.
    pub fn all_positions(&self) -> Result<Vec<P>> {
        let mut out = large_zeroed(self.tour.len(), "answers of subtrees")?;
        positions(self.tour.slices(), self.rmq.as_engine(), None, P::buffer(&mut out))?;
        Ok(out)
    }

    /// The smallest value in the subtree of every node.
    pub fn all_values(&self) -> Result<Vec<K>> {
        let mut out = large_zeroed(self.tour.len(), "answers of subtrees")?;
        values(self.tour.slices(), self.rmq.as_engine(), None, Rank::erase_mut(&mut out))?;
        Ok(bits::keys(out))
    }
}

/// An RMQ engine over the values in preorder.
fn build(tour: Slices<'_, 5>, values: Bits<'_>, coding: Coding, engine: rmq::Engine) -> Result<Box<dyn RmqEngine>> {
    let values = by_width!(Bits, values, values => by_position!(tour, tour => {
        Array::of(in_preorder(Seen::of(tour).order, values)?)
    }));
    rmq::build(values, coding, engine)
}

/// The values in preorder.
fn in_preorder<P: Position, T: Copy + Send + Sync>(order: &[P], values: &[T]) -> Result<Vec<T>> {
    expect_len("values of nodes", values.len(), order.len())?;
    computed(order.len(), GRAIN, "values in preorder", |place| values[order[place].get()])
}

impl<P: Position> EulerTour<'_, P> {
    /// What the nodes have, one each, in preorder: so the subtree of `node` is one piece, from
    /// [`preorder`](Self::preorder)`[node]` on and [`sizes`](Self::sizes)`[node]` long.
    ///
    /// # Errors
    /// [`Error::Length`](thalweg_core::Error::Length) if there are not as many values as nodes.
    pub fn in_preorder<T: Copy + Send + Sync>(&self, values: &[T]) -> Result<Vec<T>> {
        in_preorder(self.order(), values)
    }
}

/// For many nodes, or for all, the nodes with the best values in their subtrees.
fn positions(
    tour: Slices<'_, 5>,
    engine: &dyn RmqEngine,
    nodes: Option<Slices<'_>>,
    out: PositionsMut<'_>,
) -> Result<()> {
    match (tour, nodes, out) {
        (Slices::U32(tour), Some(Slices::U32([nodes])), PositionsMut::U32(out)) => {
            some(Seen::of(tour), nodes, out, &nodes_by(Seen::of(tour), engine))
        }
        (Slices::U64(tour), Some(Slices::U64([nodes])), PositionsMut::U64(out)) => {
            some(Seen::of(tour), nodes, out, &nodes_by(Seen::of(tour), engine))
        }
        (Slices::U32(tour), None, PositionsMut::U32(out)) => {
            all(Seen::of(tour), out, &nodes_by(Seen::of(tour), engine))
        }
        (Slices::U64(tour), None, PositionsMut::U64(out)) => {
            all(Seen::of(tour), out, &nodes_by(Seen::of(tour), engine))
        }
        _ => unreachable!("nodes have the width of their tour"),
    }
}

/// Answers ranges of preorder with nodes.
fn nodes_by<'e, P: Position>(
    tour: Seen<'e, P>,
    engine: &'e dyn RmqEngine,
) -> impl Fn(&[[P; 2]], &mut [P]) -> Result<()> + Sync + 'e {
    move |ranges, out| {
        engine.positions(P::pairs(ranges), P::buffer(out))?;
        out.iter_mut().for_each(|place| *place = tour.order[place.get()]);
        Ok(())
    }
}

/// For many nodes, or for all, the best values in their subtrees.
fn values(tour: Slices<'_, 5>, engine: &dyn RmqEngine, nodes: Option<Slices<'_>>, out: BitsMut<'_>) -> Result<()> {
    by_width!(BitsMut, out, out => match (tour, nodes) {
        (Slices::U32(tour), Some(Slices::U32([nodes]))) => some(Seen::of(tour), nodes, out, &values_by(engine)),
        (Slices::U64(tour), Some(Slices::U64([nodes]))) => some(Seen::of(tour), nodes, out, &values_by(engine)),
        (Slices::U32(tour), None) => all(Seen::of(tour), out, &values_by::<u32, _>(engine)),
        (Slices::U64(tour), None) => all(Seen::of(tour), out, &values_by::<u64, _>(engine)),
        _ => unreachable!("nodes have the width of their tour"),
    })
}

/// Answers ranges of preorder with values.
fn values_by<'e, P: Position, R: Rank>(
    engine: &'e dyn RmqEngine,
) -> impl Fn(&[[P; 2]], &mut [R]) -> Result<()> + Sync + 'e {
    move |ranges, out| engine.values(P::pairs(ranges), R::erase_mut(out))
}

/// Answers ranges of preorder, both ends inclusive.
type Answer<'e, P, T> = &'e (dyn Fn(&[[P; 2]], &mut [T]) -> Result<()> + Sync);

/// Answers for some nodes.
fn some<P: Position, T: Copy + Send>(
    tour: Seen<'_, P>,
    nodes: &[P],
    out: &mut [T],
    answer: Answer<'_, P, T>,
) -> Result<()> {
    let len = tour.len();
    let (failure, place) = (OnceLock::new(), Disjoint::new(out));
    let done = try_for_each_chunk(nodes.len(), GRAIN, &|range| {
        let nodes = &nodes[range.clone()];
        if nodes.iter().any(|node| node.get() >= len) {
            return false;
        }
        let ranges: Vec<[P; 2]> = nodes.iter().map(|node| tour.interval(node.get())).collect();
        // SAFETY: as many places as nodes, and ranges do not overlap.
        let done = answer(&ranges, unsafe { place.slice_mut(range) });
        done.map_err(|error| failure.set(error)).is_ok()
    });
    match failure.into_inner() {
        _ if done => Ok(()),
        Some(failure) => Err(failure),
        None => Err(first_bad_node(nodes.as_chunks::<1>().0, len)),
    }
}

/// Answers for every node, in preorder.
fn all<P: Position, T: Copy + Default + Send>(
    tour: Seen<'_, P>,
    out: &mut [T],
    answer: Answer<'_, P, T>,
) -> Result<()> {
    let (failure, place) = (OnceLock::new(), Disjoint::new(out));
    let done = try_for_each_chunk(tour.len(), GRAIN, &|places| {
        let nodes = &tour.order[places.clone()];
        let range = |(first, node): (usize, &P)| [P::new(first), P::new(first + tour.sizes[node.get()].get() - 1)];
        let ranges: Vec<[P; 2]> = places.zip(nodes).map(range).collect();
        let mut answers = vec![T::default(); nodes.len()];
        if let Err(error) = answer(&ranges, &mut answers) {
            _ = failure.set(error);
            return false;
        }
        for (node, answer) in nodes.iter().zip(answers) {
            // SAFETY: every node is in the order once, and there is a place for each.
            unsafe { place.put(node.get(), answer) };
        }
        true
    });
    match failure.into_inner() {
        Some(failure) if !done => Err(failure),
        _ => Ok(()),
    }
}

/// The sum of the weights in the subtree of every node. The sums are those of [`list::sums`](crate::list::sums()): exact
/// for 32-bit weights.
///
/// Work O(n), on all threads of the current rayon pool.
///
/// # Errors
/// [`Error::Length`](thalweg_core::Error::Length) if there are not as many weights as nodes.
///
/// ```
/// # use thalweg_trees as thalweg;
/// use thalweg::tree::{EulerTour, subtree_sums};
/// let tour = EulerTour::new(&[2u32, 0, 2, 2, 4])?;
/// assert_eq!(subtree_sums(&tour, &[7i32, 3, 9, 3, 1])?, [10, 3, 22, 3, 1]);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn subtree_sums<P: Position, W: Weight>(tour: &EulerTour<'_, P>, weights: &[W]) -> Result<Vec<W::Sum>> {
    expect_len("values of nodes", weights.len(), tour.len())?;
    let mut sums = large_zeroed::<W::Sum>(tour.len(), "sums of subtrees")?;
    let out = W::words(&mut sums);
    for first in 0..W::COUNT {
        column_sums(tour.slices(), W::view(weights), W::COUNT, first, out)?;
    }
    Ok(sums)
}

/// The sums of one of the `count` numbers that every node has.
fn column_sums(tour: Slices<'_, 5>, numbers: Numbers<'_>, count: usize, first: usize, out: &mut [u64]) -> Result<()> {
    by_position!(tour, tour => {
        let tour = Seen::of(tour);
        let what = "weights in preorder";
        let at = |place: usize| tour.order[place].get() * count + first;
        let words = match numbers {
            Numbers::I32(numbers) => computed(tour.len(), GRAIN, what, |place| numbers[at(place)] as u64)?,
            Numbers::U32(numbers) => computed(tour.len(), GRAIN, what, |place| numbers[at(place)].into())?,
            Numbers::I64(numbers) => computed(tour.len(), GRAIN, what, |place| numbers[at(place)] as u64)?,
            Numbers::U64(numbers) => computed(tour.len(), GRAIN, what, |place| numbers[at(place)])?,
        };
        let (before, total) = exclusive_scan(&words, 0, u64::wrapping_add)?;
        let up_to = |place: usize| before.get(place).copied().unwrap_or(total);
        let place = Disjoint::new(out);
        for_each_chunk(tour.len(), GRAIN, &|range| {
            for node in range {
                let start = tour.preorder[node].get();
                let sum = up_to(start + tour.sizes[node].get()).wrapping_sub(before[start]);
                // SAFETY: there are `count` words a node, and ranges do not overlap.
                unsafe { place.put(node * count + first, sum) };
            }
        });
        Ok(())
    })
}
