//! The smallest level between two places of the Euler tour.
//!
//! The walk from x to y passes their lowest common ancestor and nothing above it. So the answer is the node of the
//! smallest level between their first occurrences: a range minimum query over 2n levels, by any RMQ engine. Between two
//! trees the tour has a place that belongs to nobody, with a level below all others: it answers for nodes of different
//! trees.
//!
//! Gabow, Bentley and Tarjan 1984; Berkman and Vishkin 1993. Memory: first places, nodes and levels of the tour, 20 bytes a
//! node for 32-bit positions, and the RMQ index.
#![allow(unsafe_code)]

use rayon::prelude::*;

use super::{CHUNK, LcaEngine, first_bad_node};
use crate::tree::EulerTour;
use thalweg_arrays::rmq::{self, Rmq};
use thalweg_core::memory::{collected, filled};
use thalweg_core::primitives::disjoint::Disjoint;
use thalweg_core::simd::prefetch;
use thalweg_core::{Position, Result};

/// Nodes that a task takes at once.
const GRAIN: usize = 1 << 14;

/// The tour and the index of its levels.
pub(super) struct EulerRmq<P: Position> {
    firsts: Vec<P>,
    nodes: Vec<P>,
    levels: Rmq<'static, P>,
}

impl<P: Position> EulerRmq<P> {
    pub(super) fn new(tour: &EulerTour<'_, P>, engine: Option<rmq::Engine>) -> Result<Self> {
        let len = tour.len();
        let first = |v: usize| P::new(tour.first(v));
        let firsts = collected((0..len).into_par_iter().with_min_len(GRAIN).map(first), "first places")?;
        let mut nodes = filled(2 * len, P::NONE, "nodes of a tour")?;
        // Levels count from 1, so that 0 is below all of them.
        let mut levels = filled(2 * len, P::new(0), "levels of a tour")?;
        let (nodes_place, levels_place) = (Disjoint::new(&mut nodes), Disjoint::new(&mut levels));
        (0..len).into_par_iter().with_min_len(GRAIN).for_each(|v| {
            let level = tour.levels()[v].get() + 1;
            // SAFETY: the two places where a node is entered and left are its own.
            unsafe {
                nodes_place.put(tour.first(v), P::new(v));
                levels_place.put(tour.first(v), P::new(level));
                nodes_place.put(tour.last(v) + 1, tour.parent(v).map_or(P::NONE, P::new));
                levels_place.put(tour.last(v) + 1, P::new(level - 1));
            }
        });
        let levels = rmq::Builder::new().engine(engine).build(levels)?;
        Ok(Self { firsts, nodes, levels })
    }

    /// The places of the tour between two nodes' first occurrences.
    #[inline(always)]
    fn range(&self, x: usize, y: usize) -> [P; 2] {
        let (a, b) = (self.firsts[x], self.firsts[y]);
        [a.min(b), a.max(b)]
    }
}

impl<P: Position> LcaEngine<P> for EulerRmq<P> {
    fn name(&self) -> &'static str {
        "euler_rmq"
    }

    fn extra_bytes(&self) -> usize {
        (self.firsts.len() + 2 * self.nodes.len()) * size_of::<P>() + self.levels.extra_bytes()
    }

    fn ask(&self, x: usize, y: usize) -> P {
        let [left, right] = self.range(x, y);
        self.levels.argmin(left.get()..=right.get()).map_or(P::NONE, |place| self.nodes[place])
    }

    fn batch(&self, queries: &[[P; 2]], out: &mut [P]) -> Result<()> {
        let len = self.firsts.len();
        let done = queries.par_chunks(CHUNK).zip(out.par_chunks_mut(CHUNK)).try_for_each(|(queries, out)| {
            if queries.iter().any(|[x, y]| x.get().max(y.get()) >= len) {
                return Err(None);
            }
            for [x, y] in queries {
                prefetch(&self.firsts, x.get());
                prefetch(&self.firsts, y.get());
            }
            let ranges: Vec<[P; 2]> = queries.iter().map(|[x, y]| self.range(x.get(), y.get())).collect();
            self.levels.argmin_batch(&ranges, out).map_err(Some)?;
            for place in out.iter() {
                prefetch(&self.nodes, place.get());
            }
            for place in out {
                *place = self.nodes[place.get()];
            }
            Ok(())
        });
        done.map_err(|error| error.unwrap_or_else(|| first_bad_node(queries.par_iter().copied(), len)))
    }
}
