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
    let weight = (rows.len() + rows.arcs()) / MAX_PARTS;
    Parts::new(rows, &linked.finish()?, weight)?.solve(solve)
}

/// Solves every component alone.
pub(super) fn by_components(rows: Rows<'_>, solve: Solver<'_>) -> Result<Solved> {
    Parts::new(rows, &Linked::new(rows)?.finish()?, 0)?.solve(solve)
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
    /// Parts that have at least this weight, vertices and arcs together, but for the last. `components` are the smallest
    /// vertices of everybody's component.
    fn new(rows: Rows<'a>, components: &[u32], weight: usize) -> Result<Self> {
        let n = rows.len();
        let mut sizes: Vec<u32> = try_filled(n, 0, "components")?;
        let mut weights: Vec<usize> = try_filled(n, 0, "components")?;
        for (v, &first) in (0..).zip(components) {
            sizes[first as usize] += 1;
            weights[first as usize] += 1 + rows.degree(v);
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
                len += std::mem::replace(&mut next[v], len);
                part += weights[v];
                if part >= weight {
                    starts.push(len as usize);
                    part = 0;
                }
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

    fn solve(&self, solve: Solver<'_>) -> Result<Solved> {
        let solved = computed(self.starts.len() - 1, 1, "parts", |part| self.solve_part(part, solve))?;
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
    fn solve_part(&self, part: usize, solve: Solver<'_>) -> Result<Solved> {
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
