//! Connected components of undirected graphs.
//!
//! Sutton, Ben-Nun, Barak, "Optimizing parallel graph connectivity computation via subgraph sampling", 2018 (Afforest): every
//! vertex is linked to its first two neighbours. Then nearly all vertices of a large component are linked already, and a
//! sample tells which component that is: only vertices outside of it look at the rest of their neighbours. Links lead to
//! smaller numbers, so in the end to the smallest of the component, whatever the order in which threads made them. Work
//! O(n + m) but for the lengths of the ways, which stay short; on all threads.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use thalweg_core::Result;
use thalweg_core::memory::computed;
use thalweg_core::parallel::for_each_chunk;

use crate::Rows;

/// Vertices of a task.
const GRAIN: usize = 1 << 14;
/// Neighbours that every vertex is linked to.
const ROUNDS: usize = 2;
/// Vertices in a sample.
pub(crate) const SAMPLE: usize = 1024;

/// The smallest vertex of everybody's component.
///
/// ```
/// # mod thalweg { pub use thalweg_graph as graph; pub use thalweg_graph::*; }
/// use thalweg::graph::{Graph, components::components};
/// let graph = Graph::from_edges(&[[3u32, 1], [4, 3], [0, 2]], Some(6))?;
/// assert_eq!(components(graph.rows())?, [0, 1, 0, 1, 1, 5]);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn components(rows: Rows<'_>) -> Result<Vec<u32>> {
    Linked::new(rows)?.finish()
}

/// Vertices, some of which are linked to others of their component.
pub(crate) struct Linked<'a> {
    rows: Rows<'a>,
    links: Vec<AtomicU32>,
}

impl<'a> Linked<'a> {
    /// Everybody linked to the first neighbours.
    pub(crate) fn new(rows: Rows<'a>) -> Result<Self> {
        let links = computed(rows.len(), GRAIN, "components", |v| AtomicU32::new(v as u32))?;
        let linked = Self { rows, links };
        for round in 0..ROUNDS {
            linked.for_each(&|v| {
                if let Some(&u) = rows.row(v).get(round) {
                    linked.link(v, u);
                }
            });
            linked.for_each(&|v| linked.shorten(v));
        }
        Ok(linked)
    }

    /// What most vertices of a sample are linked to, and how many of [`SAMPLE`] are.
    pub(crate) fn most_common(&self) -> (u32, usize) {
        let n = self.links.len();
        if n == 0 {
            return (0, 0);
        }
        // Spread over all numbers, at places that have nothing to do with the graph.
        let spread = |i: u64| u128::from(i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let place = |i: usize| ((spread(i as u64) * n as u128) >> 64) as usize;
        let mut sample: Vec<u32> = (0..SAMPLE).map(|i| self.links[place(i)].load(Relaxed)).collect();
        sample.sort_unstable();
        let runs = sample.chunk_by(|a, b| a == b);
        runs.map(|run| (run[0], run.len())).max_by_key(|&(_, len)| len).unwrap_or_default()
    }

    /// Links the rest.
    pub(crate) fn finish(self) -> Result<Vec<u32>> {
        let (most_common, _) = self.most_common();
        self.for_each(&|v| {
            if self.links[v as usize].load(Relaxed) != most_common {
                for &u in self.rows.row(v).iter().skip(ROUNDS) {
                    self.link(v, u);
                }
            }
        });
        self.for_each(&|v| self.shorten(v));
        Ok(self.links.into_iter().map(AtomicU32::into_inner).collect())
    }

    fn for_each(&self, work: &(dyn Fn(u32) + Sync)) {
        for_each_chunk(self.links.len(), GRAIN, &|range| range.for_each(|v| work(v as u32)));
    }

    /// Makes the ways of two vertices end at the same place.
    fn link(&self, v: u32, u: u32) {
        let link = |v: u32| self.links[v as usize].load(Relaxed);
        let (mut a, mut b) = (link(v), link(u));
        while a != b {
            let (high, low) = (a.max(b), a.min(b));
            // Only who is at the end of its way, linked to itself, may be linked anew, or others would lose their way.
            match self.links[high as usize].compare_exchange(high, low, Relaxed, Relaxed) {
                Ok(_) => return,
                Err(further) => (a, b) = (further, low),
            }
            (a, b) = (link(a), link(b));
        }
    }

    /// Links a vertex to the end of its way.
    fn shorten(&self, v: u32) {
        let mut end = self.links[v as usize].load(Relaxed);
        loop {
            let next = self.links[end as usize].load(Relaxed);
            if next == end {
                break;
            }
            end = next;
        }
        self.links[v as usize].store(end, Relaxed);
    }
}
