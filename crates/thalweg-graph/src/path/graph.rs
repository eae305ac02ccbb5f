//! Shortest paths in general directed graphs: Dijkstra's algorithm, and A* with given potentials.
//!
//! Weights have 32 bits and lengths 64, so that they are exact. Batches of queries are spread over all threads of the current
//! rayon pool; a thread keeps the memory of its searches, 24 bytes a vertex, and nothing of it is ever cleared.
//!
//! # Which path
//! Of equally short paths one with the fewest arcs is told; of those, walking back from the goal, every vertex before has the
//! smallest number. So it does not depend on the order of arcs, on potentials or on threads.
//!
//! ```
//! # mod thalweg { pub use thalweg_graph as graph; pub use thalweg_graph::*; }
//! use thalweg::graph::path::graph::WeightedGraph;
//! let arcs = [[0, 1], [1, 2], [0, 2], [2, 3], [3, 0]];
//! let graph = WeightedGraph::from_arcs(5, &arcs, &[2, 3, 5, 1, 7])?;
//! let routes = graph.routes(&[[0, 3], [3, 4]])?;
//! assert_eq!(routes.lengths(), [Some(6), None]);
//! assert_eq!(routes.route(0), [0, 2, 3]);
//! // What is left to vertex 3, at least.
//! assert_eq!(graph.lengths_with(&[[0, 3]], &[6, 4, 1, 0, 0])?, [Some(6)]);
//! # Ok::<(), thalweg::Error>(())
//! ```

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use thalweg_core::error::{expect_len, try_filled};
use thalweg_core::memory::{computed, filled, try_with_large_capacity};
use thalweg_core::parallel::{chunk_range, find_first};
use thalweg_core::{Error, Result};

use super::search::{Pool, Taken};
use crate::Rows;

/// Arcs or queries that a task checks.
const GRAIN: usize = 1 << 14;
/// Queries of a task, at most; there are up to 256 tasks before tasks become larger.
const MAX_CHUNK: usize = 64;
const NOBODY: u32 = u32::MAX;

/// A directed graph in compressed rows, with a weight of 32 bits an arc. Weights may be 0, and arcs may repeat.
#[derive(Debug)]
pub struct WeightedGraph {
    offsets: Vec<usize>,
    targets: Vec<u32>,
    weights: Vec<u32>,
    pool: Pool<State>,
}

impl WeightedGraph {
    /// At most so many vertices: they have 32-bit numbers, of which the last stands for nobody.
    pub const MAX_NODES: usize = u32::MAX as usize;

    /// The graph whose vertex v has the arcs `offsets[v]..offsets[v + 1]`.
    ///
    /// # Errors
    /// [`Error::Length`] if offsets do not begin with 0, increase, and end at the number of arcs, or if there are not as many
    /// weights as targets; [`Error::Edge`] of the first arc that leads to a vertex which does not exist.
    pub fn from_rows(offsets: Vec<usize>, targets: Vec<u32>, weights: Vec<u32>) -> Result<Self> {
        expect_len("weights", weights.len(), targets.len())?;
        expect_len("first offset", offsets.first().copied().unwrap_or(1), 0)?;
        let nodes = offsets.len() - 1;
        expect_len("last offset", offsets[nodes], targets.len())?;
        if let Some(v) = find_first(nodes, GRAIN, &|mut range| range.find(|&v| offsets[v] > offsets[v + 1])) {
            return Err(Error::Length { what: "offsets", expected: offsets[v], got: offsets[v + 1] });
        }
        if nodes > Self::MAX_NODES {
            let reason = format!("{nodes} are more than {}, which 32 bits can number", Self::MAX_NODES);
            return Err(Error::BadOption { option: "nodes", reason });
        }
        let is_outside = |row: &usize| targets[*row] as usize >= nodes;
        if let Some(row) = find_first(targets.len(), GRAIN, &|mut range| range.find(is_outside)) {
            return Err(Error::Edge { row, node: u64::from(targets[row]), len: nodes });
        }
        Ok(Self { offsets, targets, weights, pool: Pool::new() })
    }

    /// The graph with these arcs, from the first vertex of each to the second. Work O(n + m), on one thread.
    ///
    /// # Errors
    /// [`Error::Length`] if there are not as many weights as arcs; [`Error::Edge`] of the first arc that names a vertex which
    /// does not exist; [`Error::OutOfMemory`].
    pub fn from_arcs(nodes: usize, arcs: &[[u32; 2]], weights: &[u32]) -> Result<Self> {
        expect_len("weights", weights.len(), arcs.len())?;
        let is_outside = |row: &usize| arcs[*row].iter().any(|&v| v as usize >= nodes);
        if let Some(row) = find_first(arcs.len(), GRAIN, &|mut range| range.find(is_outside)) {
            let node = arcs[row].into_iter().find(|&v| v as usize >= nodes).map_or(0, u64::from);
            return Err(Error::Edge { row, node, len: nodes });
        }
        let mut offsets = try_filled(nodes + 1, 0, "rows")?;
        arcs.iter().for_each(|&[v, _]| offsets[v as usize + 1] += 1);
        let mut end = 0;
        for offset in &mut offsets {
            end += *offset;
            *offset = end;
        }
        let mut next = offsets.clone();
        let (mut targets, mut places) = (try_filled(end, 0, "rows")?, try_filled(end, 0, "rows")?);
        for (&[v, to], &weight) in arcs.iter().zip(weights) {
            let place = &mut next[v as usize];
            (targets[*place], places[*place]) = (to, weight);
            *place += 1;
        }
        Self::from_rows(offsets, targets, places)
    }

    /// How many vertices there are.
    pub fn nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    /// How many arcs there are.
    pub fn arcs(&self) -> usize {
        self.targets.len()
    }

    /// Where the arcs lead.
    pub fn rows(&self) -> Rows<'_> {
        Rows::new(&self.offsets, &self.targets)
    }

    /// The weights of all arcs, row after row.
    pub fn weights(&self) -> &[u32] {
        &self.weights
    }

    /// The lengths of shortest paths from the first vertex of a query to the second, `None` where there is none, by
    /// Dijkstra's algorithm. Work O((n + m) log n) a query at worst, over what is nearer than the goal.
    ///
    /// # Errors
    /// [`Error::Node`] of the first query that names a vertex which does not exist; [`Error::OutOfMemory`].
    pub fn lengths(&self, queries: &[[u32; 2]]) -> Result<Vec<Option<u64>>> {
        Ok(self.answer(queries, None, false)?.lengths)
    }

    /// Shortest paths and their lengths, by Dijkstra's algorithm.
    ///
    /// # Errors
    /// As [`WeightedGraph::lengths`].
    pub fn routes(&self, queries: &[[u32; 2]]) -> Result<Routes> {
        self.answer(queries, None, true)
    }

    /// [`WeightedGraph::lengths`] by A*: vertices are taken in the order of their distance plus their potential, which should
    /// tell what is left to the goal. It must be feasible: no arc loses more potential than its weight. That is checked,
    /// in O(m), for the whole batch, so the queries of a batch should have goals near to each other.
    ///
    /// # Errors
    /// [`Error::BadOption`] for potentials that are not feasible, naming an arc; [`Error::Length`] if they are not one a
    /// vertex; and as [`WeightedGraph::lengths`].
    pub fn lengths_with(&self, queries: &[[u32; 2]], potentials: &[u64]) -> Result<Vec<Option<u64>>> {
        self.check_potentials(potentials)?;
        Ok(self.answer(queries, Some(potentials), false)?.lengths)
    }

    /// [`WeightedGraph::routes`] by A*, see [`WeightedGraph::lengths_with`]. The paths are the same.
    ///
    /// # Errors
    /// As [`WeightedGraph::lengths_with`].
    pub fn routes_with(&self, queries: &[[u32; 2]], potentials: &[u64]) -> Result<Routes> {
        self.check_potentials(potentials)?;
        self.answer(queries, Some(potentials), true)
    }

    fn check_potentials(&self, potentials: &[u64]) -> Result<()> {
        expect_len("potentials", potentials.len(), self.nodes())?;
        let arcs = |v: usize| self.offsets[v]..self.offsets[v + 1];
        let loses_too_much = |v: usize, arc: usize| {
            potentials[v].saturating_sub(potentials[self.targets[arc] as usize]) > u64::from(self.weights[arc])
        };
        let is_bad = |&v: &usize| arcs(v).any(|arc| loses_too_much(v, arc));
        if let Some(v) = find_first(self.nodes(), GRAIN, &|mut range| range.find(is_bad)) {
            let arc = arcs(v).find(|&arc| loses_too_much(v, arc)).unwrap_or(0);
            let (to, weight) = (self.targets[arc], self.weights[arc]);
            let reason = format!(
                "{} at vertex {v} and {} at vertex {to} differ by more than the weight {weight} of the arc between them",
                potentials[v], potentials[to as usize]
            );
            return Err(Error::BadOption { option: "potentials", reason });
        }
        Ok(())
    }

    fn answer(&self, queries: &[[u32; 2]], potentials: Option<&[u64]>, wants_routes: bool) -> Result<Routes> {
        let nodes = self.nodes();
        let is_outside = |row: &usize| queries[*row].iter().any(|&v| v as usize >= nodes);
        if let Some(row) = find_first(queries.len(), GRAIN, &|mut range| range.find(is_outside)) {
            let node = queries[row].into_iter().find(|&v| v as usize >= nodes).map_or(0, u64::from);
            return Err(Error::Node { row, node, len: nodes });
        }
        let chunk = queries.len().div_ceil(256).clamp(1, MAX_CHUNK);
        let parts = computed(queries.len().div_ceil(chunk), 1, "answers", |index| -> Result<Routes> {
            let mut part = Routes { lengths: Vec::new(), offsets: Vec::new(), nodes: Vec::new() };
            let mut run = self.run()?;
            for &[start, goal] in &queries[chunk_range(index, chunk, queries.len())] {
                let length = match potentials {
                    Some(potentials) => run.find(start, goal, |v| potentials[v as usize]),
                    None => run.find(start, goal, |_| 0),
                };
                if wants_routes && length.is_some() {
                    run.walk(start, goal, &mut part.nodes);
                }
                part.lengths.push(length);
                part.offsets.push(part.nodes.len());
            }
            Ok(part)
        })?;
        let parts = parts.into_iter().collect::<Result<Vec<_>>>()?;
        let mut routes = Routes {
            lengths: try_with_large_capacity(queries.len(), "lengths")?,
            offsets: try_with_large_capacity(queries.len() + 1, "offsets of paths")?,
            nodes: try_with_large_capacity(parts.iter().map(|part| part.nodes.len()).sum(), "paths")?,
        };
        routes.offsets.push(0);
        for part in parts {
            let before = routes.nodes.len();
            routes.lengths.extend(part.lengths);
            routes.offsets.extend(part.offsets.iter().map(|end| before + end));
            routes.nodes.extend(part.nodes);
        }
        Ok(routes)
    }

    fn run(&self) -> Result<Run<'_>> {
        let state = self.pool.take(|| {
            let seen = filled(self.nodes(), Seen::default(), "search")?;
            Ok(State { seen, epoch: 0, heap: BinaryHeap::new() })
        })?;
        Ok(Run { graph: self, state })
    }
}

/// What a thread needs.
struct State {
    seen: Vec<Seen>,
    /// The stamp of vertices that this query has seen.
    epoch: u32,
    heap: BinaryHeap<Reverse<Entry>>,
}

/// What is known of a vertex.
#[derive(Clone, Copy, Default)]
struct Seen {
    length: u64,
    hops: u32,
    before: u32,
    stamp: u32,
    is_done: bool,
}

/// A vertex in the heap: distance plus potential, distance, arcs, vertex. Whoever is before a vertex on a path that is told
/// comes before it, even over arcs of weight 0.
type Entry = (u128, u64, u32, u32);

struct Run<'a> {
    graph: &'a WeightedGraph,
    state: Taken<'a, State>,
}

impl Run<'_> {
    fn find(&mut self, start: u32, goal: u32, potential: impl Fn(u32) -> u64) -> Option<u64> {
        let State { seen, epoch, heap } = &mut *self.state;
        if *epoch == u32::MAX {
            seen.iter_mut().for_each(|seen| seen.stamp = 0);
            *epoch = 0;
        }
        *epoch += 1;
        heap.clear();
        seen[start as usize] = Seen { before: NOBODY, stamp: *epoch, ..Seen::default() };
        heap.push(Reverse((0, 0, 0, start)));
        while let Some(Reverse((_, length, hops, v))) = heap.pop() {
            if v == goal {
                return Some(length);
            }
            if std::mem::replace(&mut seen[v as usize].is_done, true) {
                continue;
            }
            for arc in self.graph.offsets[v as usize]..self.graph.offsets[v as usize + 1] {
                let to = self.graph.targets[arc];
                let (far, arcs) = (length + u64::from(self.graph.weights[arc]), hops + 1);
                let there = &mut seen[to as usize];
                if there.stamp != *epoch || (far, arcs) < (there.length, there.hops) {
                    *there = Seen { length: far, hops: arcs, before: v, stamp: *epoch, is_done: false };
                    heap.push(Reverse((u128::from(far) + u128::from(potential(to)), far, arcs, to)));
                } else if (far, arcs) == (there.length, there.hops) {
                    there.before = there.before.min(v);
                }
            }
        }
        None
    }

    fn walk(&self, start: u32, goal: u32, nodes: &mut Vec<u32>) {
        let begin = nodes.len();
        nodes.push(goal);
        let mut v = goal;
        while v != start {
            v = self.state.seen[v as usize].before;
            nodes.push(v);
        }
        nodes[begin..].reverse();
    }
}

/// Shortest paths of a batch of queries in a graph, one after the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routes {
    lengths: Vec<Option<u64>>,
    offsets: Vec<usize>,
    nodes: Vec<u32>,
}

impl Routes {
    /// The lengths, `None` where there is no path.
    pub fn lengths(&self) -> &[Option<u64>] {
        &self.lengths
    }

    /// The vertices of a query's path; empty if there is none.
    ///
    /// # Panics
    /// If there is no such query.
    pub fn route(&self, query: usize) -> &[u32] {
        &self.nodes[self.offsets[query]..self.offsets[query + 1]]
    }

    /// Where every path begins among the vertices, and where the last ends.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// The vertices of all paths.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// Lengths, offsets and vertices.
    pub fn into_parts(self) -> (Vec<Option<u64>>, Vec<usize>, Vec<u32>) {
        (self.lengths, self.offsets, self.nodes)
    }
}
