//! Roots and depths of a forest in parts: pointer jumping.
//!
//! Every node holds an ancestor and the distance to it, its parent at first. In a round every node that has not arrived at its
//! root asks its ancestor, wherever that lies, for that one's ancestor and distance: so distances double, and there are as many
//! rounds as the depth has binary digits. Ancestors on the same rank are looked at where they are; of others that were asked for just
//! before the answer is shared, so that a node with many children is not asked by each.
//!
//! Work O(n log depth / p) a rank. Source: JáJá 1992.

use thalweg_core::error::{expect_len, try_with_capacity};
use thalweg_core::memory::computed;
use thalweg_core::parallel::for_each_chunk_mut;
use thalweg_core::simd::prefetch;
use thalweg_core::{Error, Position, PositionsRef, Result};
use thalweg_trees::tree::Forest;

use crate::Ranks;
use crate::list::links;
use crate::ranks::{exchange_any, exchange_items, owner_of, smallest};

/// Nodes that a task looks at.
const CHUNK: usize = 1 << 14;

/// Questions that a task remembers.
const RECENT: usize = 1 << 10;

/// Nodes ahead of which memory is asked for their ancestors.
const AHEAD: usize = 16;

/// No parent.
const NONE: u64 = u64::MAX;

/// Set in a distance that leads to a root.
const ARRIVED: u64 = 1 << 63;

/// The root and the depth of every node of this rank's part of a forest of `len` nodes, given by their parents: what
/// [`Forest`] tells of the whole. The contract is [that of one process](thalweg_trees::tree#the-contract-on-every-device).
///
/// # Errors
/// Those of the contract, the same at all ranks; [`Error::Length`] if the part is not this rank's; those of the transport.
pub fn roots_and_depths(ranks: &dyn Ranks, parents: PositionsRef<'_>, len: usize) -> Result<[Vec<u64>; 2]> {
    let (size, range) = (ranks.size(), ranks.part(len));
    expect_len("the part of this rank", parents.len(), range.len())?;
    if size == 1 {
        return match parents {
            PositionsRef::U32(parents) => alone(parents),
            PositionsRef::U64(parents) => alone(parents),
        };
    }
    let parents = match parents {
        PositionsRef::U32(parents) => links(ranks, parents, range.start, len, "node")?,
        PositionsRef::U64(parents) => links(ranks, parents, range.start, len, "node")?,
    };
    // Ancestor and distance.
    let mut nodes: Vec<[u64; 2]> = computed(parents.len(), CHUNK, "ancestors", |v| match parents[v] {
        NONE => [(range.start + v) as u64, ARRIVED],
        parent => [parent, 1],
    })?;
    drop(parents);
    let mut further = computed(nodes.len(), CHUNK, "ancestors", |_| [NONE; 2])?;
    // Whether nobody has an ancestor on another rank any more.
    let mut alone = false;
    // After so many rounds all have gone `len` links or more: who has not arrived is on a cycle or leads to one.
    for _ in 0..=len.max(1).ilog2() + 1 {
        let part = Part { nodes: &nodes, first: range.start, len, size };
        let chunks = nodes.len().div_ceil(CHUNK);
        let asked = if alone { Vec::new() } else { computed(chunks, 1, "questions", |c| part.ask(c))? };
        let (mut out, mut starts) = (vec![Vec::new(); size], Vec::with_capacity(asked.len()));
        for asked in &asked {
            starts.push(out.iter().map(Vec::len).collect::<Vec<_>>());
            out.iter_mut().zip(&asked.out).for_each(|(all, own)| all.extend_from_slice(own));
        }
        let told = match alone {
            true => None,
            false => exchange_any(ranks, &out)?,
        };
        alone = told.is_none();
        let told: Vec<Vec<[u64; 2]>> = match told {
            Some(questions) => {
                let answers = questions.iter().map(|questions| part.answer(questions)).collect::<Result<Vec<_>>>()?;
                exchange_items(ranks, &answers)?
            }
            None if nodes.iter().all(|&node| !is_going(node)) => break,
            None => Vec::new(),
        };
        for (asked, told) in out.iter().zip(&told) {
            expect_len("answers of other ranks", told.len(), asked.len())?;
        }
        for_each_chunk_mut(&mut further, CHUNK, &|start, further| {
            let chunk = start / CHUNK;
            let mut slots = asked.get(chunk).map(|asked| asked.slots.iter()).unwrap_or_default();
            for (v, out) in (start..).zip(further) {
                part.expect(v + AHEAD);
                let [ancestor, distance] = nodes[v];
                *out = [ancestor, distance];
                if is_going([ancestor, distance]) {
                    let [further, more] = match part.here(ancestor) {
                        Some(place) => nodes[place],
                        None => {
                            let owner = owner_of(len, ancestor as usize, size);
                            let &slot = slots.next().expect("who asks has a slot");
                            told[owner][starts[chunk][owner] + slot as usize]
                        }
                    };
                    *out = [further, distance + more];
                }
            }
        });
        std::mem::swap(&mut nodes, &mut further);
    }
    // All have gone the same number of links, more than there are nodes: the ancestors of nodes on a cycle are all of its nodes.
    let lowest = nodes.iter().filter(|&&node| is_going(node)).map(|&[ancestor, _]| ancestor).min();
    match smallest(ranks, lowest)? {
        Some(node) => Err(Error::Cycle { what: "node", element: node as usize }),
        None => unzipped(&nodes),
    }
}

/// Whether a node has not arrived at its root.
fn is_going([_, distance]: [u64; 2]) -> bool {
    distance & ARRIVED == 0
}

/// The nodes of this rank: ancestor and distance.
struct Part<'p> {
    nodes: &'p [[u64; 2]],
    first: usize,
    /// Nodes of all ranks.
    len: usize,
    size: usize,
}

/// What some nodes ask other ranks.
struct Asked {
    /// Of each rank.
    out: Vec<Vec<u64>>,
    /// For every node that asks, in order, which question is its own.
    slots: Vec<u32>,
}

impl Part<'_> {
    /// The place of a node, if this rank has it.
    fn here(&self, node: u64) -> Option<usize> {
        Some((node as usize).wrapping_sub(self.first)).filter(|&place| place < self.nodes.len())
    }

    /// Asks memory for the ancestor of a node that comes up soon.
    fn expect(&self, v: usize) {
        if let Some(&[ancestor, _]) = self.nodes.get(v) {
            prefetch(self.nodes, (ancestor as usize).wrapping_sub(self.first));
        }
    }

    /// The questions of a chunk of nodes.
    fn ask(&self, chunk: usize) -> Asked {
        let mut asked = Asked { out: vec![Vec::new(); self.size], slots: Vec::new() };
        let mut recent = vec![(NONE, 0); RECENT];
        let nodes = &self.nodes[chunk * CHUNK..self.nodes.len().min(chunk * CHUNK + CHUNK)];
        for &[ancestor, _] in
            nodes.iter().filter(|&&[ancestor, d]| is_going([ancestor, d]) && self.here(ancestor).is_none())
        {
            let known = &mut recent[ancestor as usize % RECENT];
            if known.0 != ancestor {
                let out = &mut asked.out[owner_of(self.len, ancestor as usize, self.size)];
                *known = (ancestor, out.len() as u32);
                out.push(ancestor);
            }
            asked.slots.push(known.1);
        }
        asked
    }

    /// What another rank asks.
    fn answer(&self, questions: &[u64]) -> Result<Vec<[u64; 2]>> {
        let place = |i: usize| questions.get(i).map_or(0, |&node| node as usize - self.first);
        computed(questions.len(), CHUNK, "answers", |i| {
            prefetch(self.nodes, place(i + AHEAD));
            self.nodes[place(i)]
        })
    }
}

/// Roots, and depths.
fn unzipped(nodes: &[[u64; 2]]) -> Result<[Vec<u64>; 2]> {
    let [mut roots, mut depths] = [try_with_capacity(nodes.len(), "roots")?, try_with_capacity(nodes.len(), "depths")?];
    roots.extend(nodes.iter().map(|&[root, _]| root));
    depths.extend(nodes.iter().map(|&[_, depth]| depth & !ARRIVED));
    Ok([roots, depths])
}

/// One process has all of it.
fn alone<P: Position>(parents: &[P]) -> Result<[Vec<u64>; 2]> {
    let (roots, depths) = Forest::from_parents(parents)?.into_roots_and_depths();
    Ok([roots, depths].map(|list| list.into_iter().map(|at| at.get() as u64).collect()))
}
