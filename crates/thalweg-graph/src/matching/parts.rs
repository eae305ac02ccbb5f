//! Components, bundled to parts of a graph that are solved apart from each other, on all threads.

use thalweg_core::Result;
use thalweg_core::error::{try_filled, try_with_capacity};
use thalweg_core::memory::{computed, filled, try_with_large_capacity};

use super::{Label, NOBODY};
use crate::Rows;
use crate::components::{Linked, SAMPLE};

/// What an engine says of a part, in the part's own numbers.
#[derive(Debug)]
pub(super) struct Solved {
    /// Everybody's partner, or [`NOBODY`].
    pub(super) partners: Vec<u32>,
    pub(super) labels: Vec<Label>,
}

/// An engine.
pub(super) type Solver<'a> = &'a (dyn Fn(Rows<'_>) -> Result<Solved> + Sync);

/// Graphs with fewer vertices are one part: what takes a millisecond is not worth it.
const MIN_VERTICES: usize = 1 << 14;
/// At most about so many parts.
const MAX_PARTS: usize = 64;

/// Solves a graph in parts of whole components, or in one if it is small or nearly connected. What the parts are depends on
/// the graph alone, and so does the result.
pub(super) fn in_parts(rows: Rows<'_>, solve: Solver<'_>) -> Result<Solved> {
    if rows.len() < MIN_VERTICES {
        return solve(rows);
    }
    let linked = Linked::new(rows)?;
    if linked.most_common().1 > SAMPLE / 16 * 15 {
        return solve(rows);
    }
    let least = (rows.len() + rows.arcs()) / MAX_PARTS;
    Parts::new(rows, &linked.finish()?, &|v| 1 + rows.degree(v), &|weight, _| weight >= least)?.solve(solve)
}

/// Solves every component alone.
pub(super) fn by_components(rows: Rows<'_>, solve: Solver<'_>) -> Result<Solved> {
    Parts::new(rows, &Linked::new(rows)?.finish()?, &|_| 1, &|_, _| true)?.solve(solve)
}

/// Solves components together, one part after the other: as many in a part as have at most so many vertices, and larger ones
/// alone.
pub(super) fn in_turns(rows: Rows<'_>, most: usize, solve: &dyn Fn(Rows<'_>) -> Result<Solved>) -> Result<Solved> {
    let components = Linked::new(rows)?.finish()?;
    if components.iter().all(|&first| first == 0) {
        return solve(rows);
    }
    let parts = Parts::new(rows, &components, &|_| 1, &|size, more| size + more > most)?;
    parts.gather((0..parts.len()).map(|part| parts.solve_part(part, solve)))
}

/// The vertices of a graph, part by part. Those without neighbours are in none.
struct Parts<'a> {
    rows: Rows<'a>,
    /// The vertices of all parts, one part after the other.
    names: Vec<u32>,
    /// Everybody's place among these.
    places: Vec<u32>,
    /// Where every part starts; in the end, how many vertices there are.
    starts: Vec<usize>,
}

impl<'a> Parts<'a> {
    /// Parts of whole components, which are joined until a part of so much weight is full for one more of so much.
    /// `components` are the smallest vertices of everybody's component.
    fn new(
        rows: Rows<'a>,
        components: &[u32],
        weight_of: &dyn Fn(u32) -> usize,
        is_full: &dyn Fn(usize, usize) -> bool,
    ) -> Result<Self> {
        let n = rows.len();
        let mut sizes: Vec<u32> = try_filled(n, 0, "components")?;
        let mut weights: Vec<usize> = try_filled(n, 0, "components")?;
        for (v, &first) in (0..).zip(components) {
            sizes[first as usize] += 1;
            weights[first as usize] += weight_of(v);
        }
        // Components follow each other by their smallest vertices, and in a component all by their numbers.
        let mut places: Vec<u32> = try_filled(n, NOBODY, "places")?;
        let mut next = sizes;
        let (mut len, mut part, mut starts) = (0, 0, vec![0]);
        for (v, &first) in components.iter().enumerate() {
            let first = first as usize;
            if rows.degree(v as u32) == 0 {
                continue;
            }
            if first == v {
                if starts.last() != Some(&(len as usize)) && is_full(part, weights[v]) {
                    starts.push(len as usize);
                    part = 0;
                }
                len += std::mem::replace(&mut next[v], len);
                part += weights[v];
            }
            places[v] = next[first];
            next[first] += 1;
        }
        if starts.last() != Some(&(len as usize)) {
            starts.push(len as usize);
        }
        let mut names: Vec<u32> = try_filled(len as usize, 0, "names")?;
        for (v, &place) in (0..).zip(&places) {
            if place != NOBODY {
                names[place as usize] = v;
            }
        }
        Ok(Self { rows, names, places, starts })
    }

    /// The vertices of a part.
    fn names(&self, part: usize) -> &[u32] {
        &self.names[self.starts[part]..self.starts[part + 1]]
    }

    fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Solves the parts on all threads.
    fn solve(&self, solve: Solver<'_>) -> Result<Solved> {
        self.gather(computed(self.len(), 1, "parts", |part| self.solve_part(part, solve))?)
    }

    /// The matching of all from those of the parts.
    fn gather(&self, solved: impl IntoIterator<Item = Result<Solved>>) -> Result<Solved> {
        // Who has no neighbours stays free.
        let n = self.rows.len();
        let mut all = Solved { partners: filled(n, NOBODY, "partners")?, labels: filled(n, Label::D, "labels")? };
        for (part, solved) in solved.into_iter().enumerate() {
            let (names, solved) = (self.names(part), solved?);
            for ((&name, &partner), &label) in names.iter().zip(&solved.partners).zip(&solved.labels) {
                all.labels[name as usize] = label;
                if partner != NOBODY {
                    all.partners[name as usize] = names[partner as usize];
                }
            }
        }
        Ok(all)
    }

    /// Solves a part in numbers of its own.
    fn solve_part(&self, part: usize, solve: &dyn Fn(Rows<'_>) -> Result<Solved>) -> Result<Solved> {
        let names = self.names(part);
        let mut offsets = try_with_capacity(names.len() + 1, "rows")?;
        let mut end = 0;
        offsets.push(end);
        for &v in names {
            end += self.rows.degree(v);
            offsets.push(end);
        }
        let mut targets: Vec<u32> = try_with_large_capacity(end, "rows")?;
        let start = self.starts[part] as u32;
        for &v in names {
            targets.extend(self.rows.row(v).iter().map(|&u| self.places[u as usize] - start));
        }
        solve(Rows::new(&offsets, &targets))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::time::{Duration, Instant};

    use super::*;
    use crate::Graph;

    /// Paths of three vertices.
    fn short_paths(count: u32) -> Graph {
        let edges: Vec<[u32; 2]> = (0..count).flat_map(|k| [[3 * k, 3 * k + 1], [3 * k + 1, 3 * k + 2]]).collect();
        Graph::from_edges(&edges, None).unwrap()
    }

    fn nobody(rows: Rows<'_>) -> Solved {
        Solved { partners: vec![NOBODY; rows.len()], labels: vec![Label::D; rows.len()] }
    }

    /// One part is not solved before another one has been begun.
    #[test]
    fn parts_are_solved_at_the_same_time() {
        let begun = AtomicUsize::new(0);
        let wait_for_another = |rows: Rows<'_>| {
            begun.fetch_add(1, SeqCst);
            let start = Instant::now();
            while begun.load(SeqCst) < 2 {
                assert!(start.elapsed() < Duration::from_secs(60), "nobody else solves a part");
                std::thread::yield_now();
            }
            Ok(nobody(rows))
        };
        let graph = short_paths(10_000);
        let solve = || in_parts(graph.rows(), &wait_for_another);
        thalweg_data::with_threads(2, solve).unwrap();
        assert!(begun.load(SeqCst) > 2);
    }

    #[test]
    fn small_components_share_a_part_and_large_ones_do_not() {
        let mut edges: Vec<[u32; 2]> = (0..50).map(|v| [v, v + 1]).collect();
        edges.extend((0..20).flat_map(|k| [[100 + 3 * k, 101 + 3 * k], [101 + 3 * k, 102 + 3 * k]]));
        let graph = Graph::from_edges(&edges, None).unwrap();
        let sizes = std::cell::RefCell::new(Vec::new());
        in_turns(graph.rows(), 20, &|rows| {
            sizes.borrow_mut().push(rows.len());
            Ok(nobody(rows))
        })
        .unwrap();
        assert_eq!(sizes.into_inner(), [51, 18, 18, 18, 6]);
    }
}
