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

use std::fmt;

use super::batch::spread;
use super::engine::LcaEngine;
use crate::tree::euler::Seen;
use thalweg_arrays::rmq::{self, RmqEngine};
use thalweg_core::bits::Array;
use thalweg_core::disjoint::Disjoint;
use thalweg_core::memory::{computed, filled};
use thalweg_core::parallel::for_each_chunk;
use thalweg_core::simd::prefetch;
use thalweg_core::{Coding, Order, Pairs, Position, PositionsMut, Result};

/// Nodes that a task takes at once.
const GRAIN: usize = 1 << 14;

/// The tour and the index of its levels.
pub(super) struct EulerRmq<P> {
    firsts: Vec<P>,
    nodes: Vec<P>,
    levels: Box<dyn RmqEngine>,
}

impl<P: Position> EulerRmq<P> {
    pub(super) fn new(tour: Seen<'_, P>, engine: rmq::Engine) -> Result<Self> {
        let len = tour.len();
        let firsts = computed(len, GRAIN, "first places", |v| P::new(tour.first(v)))?;
        let mut nodes = filled(2 * len, P::NONE, "nodes of a tour")?;
        // Levels count from 1, so that 0 is below all of them.
        let mut levels = filled(2 * len, P::new(0), "levels of a tour")?;
        let (nodes_place, levels_place) = (Disjoint::new(&mut nodes), Disjoint::new(&mut levels));
        for_each_chunk(len, GRAIN, &|range| {
            for v in range {
                let level = tour.levels[v].get() + 1;
                let (enter, exit) = (tour.first(v), tour.first(v) + 2 * tour.sizes[v].get() - 1);
                // SAFETY: the two places where a node is entered and left are its own.
                unsafe {
                    nodes_place.put(enter, P::new(v));
                    levels_place.put(enter, P::new(level));
                    nodes_place.put(exit, tour.parent(v).map_or(P::NONE, P::new));
                    levels_place.put(exit, P::new(level - 1));
                }
            }
        });
        let levels = rmq::build(Array::of(levels), Coding::of::<P>(Order::Min), engine)?;
        Ok(Self { firsts, nodes, levels })
    }

    /// The places of the tour between two nodes' first occurrences.
    #[inline(always)]
    fn range(&self, x: usize, y: usize) -> [P; 2] {
        let (a, b) = (self.firsts[x], self.firsts[y]);
        [a.min(b), a.max(b)]
    }

    /// Answers a chunk of a batch; `false` if a node does not exist.
    fn answer(&self, queries: &[[P; 2]], out: &mut [P]) -> Result<bool> {
        let len = self.firsts.len();
        if queries.iter().any(|[x, y]| x.get().max(y.get()) >= len) {
            return Ok(false);
        }
        for [x, y] in queries {
            prefetch(&self.firsts, x.get());
            prefetch(&self.firsts, y.get());
        }
        let ranges: Vec<[P; 2]> = queries.iter().map(|[x, y]| self.range(x.get(), y.get())).collect();
        self.levels.positions(P::pairs(&ranges), P::buffer(out))?;
        for place in out.iter() {
            prefetch(&self.nodes, place.get());
        }
        for place in out {
            *place = self.nodes[place.get()];
        }
        Ok(true)
    }
}

impl<P: Position> fmt::Debug for EulerRmq<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EulerRmq")
            .field("len", &self.firsts.len())
            .field("levels", &self.levels)
            .finish_non_exhaustive()
    }
}

impl<P: Position> LcaEngine for EulerRmq<P> {
    fn name(&self) -> &'static str {
        "euler_rmq"
    }

    fn len(&self) -> usize {
        self.firsts.len()
    }

    fn extra_bytes(&self) -> usize {
        (self.firsts.len() + 2 * self.nodes.len()) * size_of::<P>() + self.levels.extra_bytes()
    }

    fn ask(&self, x: usize, y: usize) -> Option<usize> {
        let [left, right] = self.range(x, y);
        self.nodes[self.levels.position(left.get(), right.get())].checked()
    }

    fn batch(&self, queries: Pairs<'_>, out: PositionsMut<'_>) -> Result<()> {
        spread(self.firsts.len(), queries, out, &|queries: &[[P; 2]], out| self.answer(queries, out))
    }
}
