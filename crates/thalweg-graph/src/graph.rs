//! Undirected simple graphs from lists of edges.
//!
//! Arcs, two an edge, are partitioned by ranges of sources, so that what follows stays in the cache: a range's arcs are
//! counted by source, dealt out to rows, every row is sorted and loses what it has twice. Work O(n + m log d) for rows of
//! length d, on all threads.
#![allow(unsafe_code)]

use std::ops::Range;

use thalweg_core::disjoint::Disjoint;
use thalweg_core::dispatch;
use thalweg_core::memory::{computed, filled, large_zeroed, try_with_large_capacity};
use thalweg_core::parallel::{chunk_range, find_first, for_each_chunk};
use thalweg_core::{Error, Pairs, Position, Result};

use crate::Rows;

/// Sources in a range: with ten neighbours each, their arcs take 0.3 MB, which is in the second-level cache.
const RANGE_BITS: u32 = 10;
/// At most so many ranges: each is written to in turn.
const MAX_RANGES: usize = 1 << 12;
/// Edges that a task deals out to the ranges, at least.
const CHUNK: usize = 1 << 16;
/// And at most so many tasks: each counts for every range.
const MAX_CHUNKS: usize = 64;

/// An undirected graph without loops and repeated edges, in compressed rows. Every row is in increasing order.
///
/// ```
/// # mod thalweg { pub use thalweg_graph as graph; pub use thalweg_graph::*; }
/// use thalweg::graph::Graph;
/// let graph = Graph::from_edges(&[[0u32, 1], [1, 2], [2, 1], [2, 2]], None)?;
/// assert_eq!((graph.nodes(), graph.edges()), (3, 2));
/// assert_eq!((graph.self_loops(), graph.repeated_edges()), (1, 1));
/// assert_eq!(graph.rows().row(1), [0, 2]);
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    offsets: Vec<usize>,
    targets: Vec<u32>,
    self_loops: usize,
    repeated_edges: usize,
}

impl Graph {
    /// At most so many vertices: they have 32-bit numbers, of which the last stands for nobody.
    pub const MAX_NODES: usize = u32::MAX as usize;

    /// The graph with these edges. Without a number of nodes there are as many as the largest number in the edges tells.
    ///
    /// Loops and edges that were there before are left out, and counted. Work O(n + m log d) with rows of length d, on all
    /// threads of the current rayon pool. Extra memory: 8 bytes an arc, that is, 16 an edge.
    ///
    /// # Errors
    /// [`Error::Edge`] of the first edge that names a vertex which does not exist; [`Error::OutOfMemory`].
    pub fn from_edges<P: Position>(edges: &[[P; 2]], nodes: Option<usize>) -> Result<Self> {
        Self::from_pairs(P::pairs(edges), nodes)
    }

    /// The same for edges whose width is known at run time only.
    pub fn from_pairs(edges: Pairs<'_>, nodes: Option<usize>) -> Result<Self> {
        match edges {
            Pairs::U32(edges) => build(edges, nodes),
            Pairs::U64(edges) => build(edges, nodes),
        }
    }

    /// How many vertices there are.
    pub fn nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    /// How many edges there are, loops and repetitions left out.
    pub fn edges(&self) -> usize {
        self.targets.len() / 2
    }

    /// How many edges led from a vertex to itself.
    pub fn self_loops(&self) -> usize {
        self.self_loops
    }

    /// How many edges, loops left out, had been there before, in either direction.
    pub fn repeated_edges(&self) -> usize {
        self.repeated_edges
    }

    /// The neighbours of all vertices.
    pub fn rows(&self) -> Rows<'_> {
        Rows::new(&self.offsets, &self.targets)
    }
}

/// How many vertices there are, if all edges are between vertices.
fn count_nodes<P: Position>(edges: &[[P; 2]], nodes: Option<usize>) -> Result<usize> {
    let chunk = chunk_len(edges.len());
    let largest =
        |range: Range<usize>| edges[range].as_flattened().iter().max().map_or(0, |&v| v.get().saturating_add(1));
    let chunks = edges.len().div_ceil(chunk);
    let counts = computed(chunks, 1, "nodes", |index| largest(chunk_range(index, chunk, edges.len())))?;
    let named = counts.into_iter().max().unwrap_or(0);
    let (nodes, limit) = match nodes {
        Some(nodes) => (nodes, nodes.min(Graph::MAX_NODES)),
        None => (named, Graph::MAX_NODES),
    };
    if named > limit {
        let is_outside = |row: &usize| edges[*row].iter().any(|v| v.get() >= limit);
        let row = find_first(edges.len(), chunk, &|mut range| range.find(is_outside)).expect("one is outside");
        let node = edges[row].iter().map(|v| v.get()).find(|&v| v >= limit).expect("one is outside");
        return Err(Error::Edge { row, node: node as u64, len: limit });
    }
    if nodes > Graph::MAX_NODES {
        let reason = format!("{nodes} are more than {}, which 32 bits can number", Graph::MAX_NODES);
        return Err(Error::BadOption { option: "nodes", reason });
    }
    Ok(nodes)
}

/// Edges that a task deals out.
fn chunk_len(edges: usize) -> usize {
    edges.div_ceil(MAX_CHUNKS).max(CHUNK)
}

fn build<P: Position>(edges: &[[P; 2]], nodes: Option<usize>) -> Result<Graph> {
    let nodes = count_nodes(edges, nodes)?;
    let mut shift = RANGE_BITS;
    while nodes >> shift >= MAX_RANGES {
        shift += 1;
    }
    let ranges = nodes.div_ceil(1 << shift);
    let Dealt { mut arcs, starts, self_loops } = deal(edges, shift, ranges)?;
    let mut offsets = filled(nodes + 1, 0, "rows")?;
    let degrees = Disjoint::new(&mut offsets[1..]);
    let dealt = Disjoint::new(&mut arcs);
    for_each_chunk(ranges, 1, &|range| {
        for range in range {
            // SAFETY: ranges of sources, and what was dealt out to them, do not overlap.
            let (degrees, arcs) = unsafe {
                (
                    degrees.slice_mut(chunk_range(range, 1 << shift, nodes)),
                    dealt.slice_mut(starts[range]..starts[range + 1]),
                )
            };
            sort_range(arcs, range << shift, degrees);
        }
    });
    let mut end = 0;
    for offset in &mut offsets {
        end += *offset;
        *offset = end;
    }
    let mut targets = try_with_large_capacity::<u32>(end, "rows")?;
    let place = Disjoint::uninit(&mut targets.spare_capacity_mut()[..end]);
    for_each_chunk(ranges, 1, &|range| {
        for range in range {
            let rows = chunk_range(range, 1 << shift, nodes);
            // SAFETY: rows of different ranges do not overlap.
            let out = unsafe { place.slice(offsets[rows.start]..offsets[rows.end]) };
            let sorted: &[u32] = bytemuck::cast_slice(&arcs[starts[range]..starts[range + 1]]);
            for (out, &target) in out.iter_mut().zip(sorted) {
                out.write(target);
            }
        }
    });
    // SAFETY: the rows of all ranges cover it.
    unsafe { targets.set_len(end) };
    let repeated_edges = edges.len() - self_loops - end / 2;
    Ok(Graph { offsets, targets, self_loops, repeated_edges })
}

/// Arcs by ranges of sources.
struct Dealt {
    /// Source in the high half, target in the low half.
    arcs: Vec<u64>,
    /// Where every range's arcs start.
    starts: Vec<usize>,
    self_loops: usize,
}

fn deal<P: Position>(edges: &[[P; 2]], shift: u32, ranges: usize) -> Result<Dealt> {
    let chunk = chunk_len(edges.len());
    let chunks = edges.len().div_ceil(chunk);
    // How many arcs a chunk has for every range; in the end, how many loops.
    let mut counts = computed(chunks, 1, "counts of arcs", |index| {
        let mut counts = vec![0usize; ranges + 1];
        for &[a, b] in &edges[chunk_range(index, chunk, edges.len())] {
            if a == b {
                counts[ranges] += 1;
            } else {
                counts[a.get() >> shift] += 1;
                counts[b.get() >> shift] += 1;
            }
        }
        counts
    })?;
    let self_loops = counts.iter().map(|counts| counts[ranges]).sum();
    let mut starts = Vec::with_capacity(ranges + 1);
    let mut total = 0;
    for range in 0..ranges {
        starts.push(total);
        for counts in &mut counts {
            let count = counts[range];
            counts[range] = total;
            total += count;
        }
    }
    starts.push(total);
    let mut arcs = large_zeroed::<u64>(total, "arcs")?;
    let place = Disjoint::new(&mut arcs);
    for_each_chunk(chunks, 1, &|indices| {
        for index in indices {
            let mut next = counts[index].clone();
            for &[a, b] in &edges[chunk_range(index, chunk, edges.len())] {
                if a != b {
                    for [source, target] in [[a.get(), b.get()], [b.get(), a.get()]] {
                        let next = &mut next[source >> shift];
                        // SAFETY: inside, and every arc has a place of its own: they were counted.
                        unsafe { place.put(*next, (source as u64) << 32 | target as u64) };
                        *next += 1;
                    }
                }
            }
        }
    });
    Ok(Dealt { arcs, starts, self_loops })
}

/// Sorts a range's arcs by source and target and drops repetitions: the targets that stay, row by row, replace the first of
/// the arcs, and their numbers the degrees, which are 0 before.
fn sort_range(arcs: &mut [u64], first: usize, degrees: &mut [usize]) {
    let rows = degrees.len() + 1;
    if u32::fits(arcs.len()) {
        sort_rows(arcs, first, degrees, &mut vec![0u32; rows]);
    } else {
        sort_rows(arcs, first, degrees, &mut vec![0u64; rows]);
    }
}

dispatch! {
    fn sort_rows<P: Position>(arcs: &mut [u64], first: usize, degrees: &mut [usize], starts: &mut [P]) = sort_rows_body;
}

#[inline(always)]
fn sort_rows_body<P: Position>(arcs: &mut [u64], first: usize, degrees: &mut [usize], starts: &mut [P]) {
    let source = |arc: u64| (arc >> 32) as usize - first;
    for &arc in &*arcs {
        let start = &mut starts[source(arc) + 1];
        *start = P::new(start.get() + 1);
    }
    let mut total = 0;
    for start in starts.iter_mut() {
        total += start.get();
        *start = P::new(total);
    }
    // Room behind, so that a row can be read in full vectors.
    let mut targets = vec![u32::MAX; arcs.len() + SMALL];
    for &arc in &*arcs {
        let place = &mut starts[source(arc)];
        targets[place.get()] = arc as u32;
        *place = P::new(place.get() + 1);
    }
    // Now a row starts where the one before it ends. What stays has room in the arcs' place.
    let out: &mut [u32] = bytemuck::cast_slice_mut(arcs);
    let (mut start, mut kept) = (0, 0);
    for (end, degree) in starts.iter().zip(degrees) {
        let row = start..end.get();
        start = row.end;
        let before = kept;
        if row.len() <= SMALL && kept + SMALL <= out.len() {
            let room = targets[row.start..row.start + SMALL].try_into().expect("so many");
            let out = (&mut out[kept..kept + SMALL]).try_into().expect("so many");
            kept += sort_small(room, row.len(), out);
        } else {
            let row = &mut targets[row];
            row.sort_unstable();
            for i in 0..row.len() {
                out[kept] = row[i];
                kept += usize::from(i == 0 || row[i] != row[i - 1]);
            }
        }
        *degree = kept - before;
    }
}

/// Rows up to this length are sorted by comparing all pairs.
const SMALL: usize = 16;

/// Sorts the first `len` elements into `out`, each once; how many. Always as much work as for a full row: branches that
/// depend on the length could not be predicted.
#[inline(always)]
fn sort_small(row: &[u32; SMALL], len: usize, out: &mut [u32; SMALL]) -> usize {
    let mut elements = [0; SMALL];
    for j in 0..SMALL {
        elements[j] = if j < len { row[j] } else { u32::MAX };
    }
    let mut ranks = [0u32; SMALL];
    for i in 0..SMALL {
        for j in 0..SMALL {
            ranks[j] += u32::from(elements[i] < elements[j]);
        }
    }
    let mut sorted = [0; SMALL + 1];
    let mut taken = 0u32;
    for j in 0..SMALL {
        sorted[ranks[j] as usize] = elements[j];
        taken |= 1 << ranks[j];
    }
    out.copy_from_slice(&sorted[..SMALL]);
    let all = (1 << len) - 1;
    if taken & all == all {
        return len;
    }
    // Equal elements have the same rank, and the places behind are empty.
    let mut kept = 0;
    for (i, &element) in sorted[..len].iter().enumerate() {
        if taken >> i & 1 == 1 {
            out[kept] = element;
            kept += 1;
        }
    }
    kept
}
