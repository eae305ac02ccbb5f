//! Roots and depths of a forest in parts: pointer jumping, by those whom others look at.
//!
//! Every node holds an ancestor and the distance to it, its parent at first. In a round nodes ask their ancestors, wherever these lie, for
//! theirs and the distance: so distances double, and there are as many rounds as the depth has binary digits. Whom nobody asks, as
//! nobody asks leaves, has something to do for himself only: he *rests*, and asks again when his ancestor has arrived at its root, who
//! rested last first. (An ancestor that was told in a round was asked in it, and so rests later, or not at all.) So of a random
//! forest half take part in the second round and a sixth in the third, instead of all, and a node asks 2.7 times in all, with the one
//! question in the end.
//!
//! Ancestors on the same rank are looked at where they are; of others that were asked for just before the answer is shared, so that a node
//! with many children is not asked by each.
//!
//! Work O(n log depth / p) a rank at worst, a path; O(n / p) where most nodes have few below them. Source: JáJá 1992 for the jumping.

use std::sync::atomic::{AtomicBool, Ordering};

use thalweg_core::error::{expect_len, try_filled, try_with_capacity};
use thalweg_core::memory::computed;
use thalweg_core::parallel::for_each_chunk_mut;
use thalweg_core::simd::prefetch;
use thalweg_core::{Error, Position, PositionsRef, Result};
use thalweg_trees::tree::Forest;

use crate::Ranks;
use crate::list::links;
use crate::ranks::{Owners, exchange_any, exchange_items, smallest};

/// Nodes that a task looks at.
const CHUNK: usize = 1 << 15;

/// Questions that a task remembers.
const RECENT: usize = 1 << 12;

/// Nodes ahead of which memory is asked for their ancestors.
const AHEAD: usize = 16;

/// The root and the depth of every node of this rank's part of a forest of `len` nodes, given by their parents: what
/// [`Forest`] tells of the whole. The contract is [that of one process](thalweg_trees::tree#the-contract-on-every-device).
///
/// # Errors
/// Those of the contract, the same at all ranks; [`Error::Length`] if the part is not this rank's; those of the transport.
pub fn roots_and_depths(ranks: &dyn Ranks, parents: PositionsRef<'_>, len: usize) -> Result<[Vec<u64>; 2]> {
    let range = ranks.part(len);
    expect_len("the part of this rank", parents.len(), range.len())?;
    if ranks.size() == 1 {
        return match parents {
            PositionsRef::U32(parents) => alone(parents),
            PositionsRef::U64(parents) => alone(parents),
        };
    }
    let parents = match parents {
        PositionsRef::U32(parents) => links(ranks, parents, range.start, len, "node")?,
        PositionsRef::U64(parents) => links(ranks, parents, range.start, len, "node")?,
    };
    // On a cycle distances grow to four times the length, and they have a bit more.
    match u32::fits(len.saturating_mul(8)) {
        true => solve::<u32>(ranks, parents, len),
        false => solve::<u64>(ranks, parents, len),
    }
}

/// An ancestor, and the distance to it: which is a root if the distance has its highest bit.
type Node<P> = [P; 2];

/// The bit of a distance that leads to a root.
const fn arrived<P>() -> usize {
    1 << (8 * size_of::<P>() - 1)
}

/// Whether a node has not arrived at its root.
fn is_going<P: Position>([_, distance]: Node<P>) -> bool {
    distance.get() & arrived::<P>() == 0
}

fn solve<P: Position>(ranks: &dyn Ranks, parents: Vec<u64>, len: usize) -> Result<[Vec<u64>; 2]> {
    let first = ranks.part(len).start;
    let mut part = Part::<P> {
        nodes: computed(parents.len(), CHUNK, "ancestors", |v| match parents[v] {
            u64::NONE => [P::new(first + v), P::new(arrived::<P>())],
            parent => [P::new(parent as usize), P::new(1)],
        })?,
        asked: computed(parents.len(), CHUNK, "marks of nodes", |_| AtomicBool::new(false))?,
        first,
        owners: Owners::new(len, ranks.size()),
    };
    drop(parents);
    let mut active = try_with_capacity(part.nodes.len(), "nodes on their way")?;
    active.extend((0..part.nodes.len()).filter(|&v| is_going(part.nodes[v])).map(P::new));
    // Who rests since which round, and whether ranks had to do with each other in it.
    let (mut resting, mut together) = (Vec::new(), true);
    // After so many rounds all that are active have gone `len` links or more: who has not arrived is on a cycle or leads to one.
    for _ in 0..=len.max(1).ilog2() + 1 {
        if !together && active.is_empty() {
            break;
        }
        together = part.jump(together.then_some(ranks), &active, true)?;
        let mut rest = Vec::new();
        active.retain(|&v| {
            let asked = &part.asked[v.get()];
            // Not a swap, which other cores would have to know of.
            let is_asked = asked.load(Ordering::Relaxed);
            asked.store(false, Ordering::Relaxed);
            let goes = is_going(part.nodes[v.get()]);
            if goes && !is_asked {
                rest.push(v);
            }
            goes && is_asked
        });
        resting.push((rest, together));
    }
    // All have gone the same number of links, more than there are nodes: the ancestors of nodes on a cycle are all of its nodes.
    let lowest = active.iter().map(|&v| part.nodes[v.get()][0].get() as u64).min();
    if let Some(node) = smallest(ranks, lowest)? {
        return Err(Error::Cycle { what: "node", element: node as usize });
    }
    while let Some((rest, together)) = resting.pop() {
        part.jump(together.then_some(ranks), &rest, false)?;
    }
    part.unzipped()
}

/// The nodes of this rank.
struct Part<P> {
    nodes: Vec<Node<P>>,
    /// Whether anybody asked for them in this round.
    asked: Vec<AtomicBool>,
    first: usize,
    owners: Owners,
}

/// What some nodes ask other ranks.
struct Asked<P> {
    /// Of each rank.
    out: Vec<Vec<P>>,
    /// For every node that asks, in order, which question is its own.
    slots: Vec<u32>,
}

impl<P: Position> Part<P> {
    /// Nodes, by their places in order, go on to what their ancestors have: those that are asked for are marked if that is wanted. Without
    /// ranks all ancestors are here. Whether anybody asked another rank.
    fn jump(&mut self, ranks: Option<&dyn Ranks>, nodes: &[P], marks: bool) -> Result<bool> {
        let size = self.owners.count();
        let asked = computed(nodes.len().div_ceil(CHUNK), 1, "questions", |c| {
            self.ask(&nodes[c * CHUNK..nodes.len().min(c * CHUNK + CHUNK)], marks)
        })?;
        let (mut out, mut starts) = (vec![Vec::new(); size], Vec::with_capacity(asked.len()));
        for asked in &asked {
            starts.push(out.iter().map(Vec::len).collect::<Vec<_>>());
            out.iter_mut().zip(&asked.out).for_each(|(all, own)| all.extend_from_slice(own));
        }
        let questions = match ranks {
            Some(ranks) => exchange_any(ranks, &out)?.map(|questions| (ranks, questions)),
            None => None,
        };
        let told = match &questions {
            Some((ranks, questions)) => {
                let answers = questions.iter().map(|questions| self.answer(questions, marks));
                exchange_items(*ranks, &answers.collect::<Result<Vec<_>>>()?)?
            }
            None => Vec::new(),
        };
        for (asked, told) in out.iter().zip(&told) {
            expect_len("answers of other ranks", told.len(), asked.len())?;
        }
        let mut found = try_filled(nodes.len(), [P::NONE; 2], "ancestors")?;
        for_each_chunk_mut(&mut found, CHUNK, &|start, found| {
            let chunk = start / CHUNK;
            let mut slots = asked[chunk].slots.iter();
            for (i, found) in (start..).zip(found) {
                self.expect(nodes.get(i + AHEAD));
                let [ancestor, distance] = self.nodes[nodes[i].get()].map(P::get);
                let [further, more] = match self.here(ancestor) {
                    Some(place) => self.nodes[place],
                    None => {
                        let owner = self.owners.of(ancestor);
                        let &slot = slots.next().expect("who asks has a slot");
                        told[owner][starts[chunk][owner] + slot as usize]
                    }
                };
                *found = [further, P::new(distance + more.get())];
            }
        });
        // A task's nodes lie in a stretch of their own.
        let (mut tasks, mut start, mut rest) = (Vec::with_capacity(asked.len()), 0, &mut self.nodes[..]);
        for (places, found) in nodes.chunks(CHUNK).zip(found.chunks(CHUNK)) {
            let end = places[places.len() - 1].get() + 1;
            let (stretch, behind) = rest.split_at_mut(end - start);
            tasks.push((start, places, found, stretch));
            (start, rest) = (end, behind);
        }
        for_each_chunk_mut(&mut tasks, 1, &|_, tasks| {
            for (start, places, found, stretch) in tasks {
                places.iter().zip(*found).for_each(|(v, found)| stretch[v.get() - *start] = *found);
            }
        });
        Ok(questions.is_some())
    }

    /// The place of a node, if this rank has it.
    fn here(&self, node: usize) -> Option<usize> {
        Some(node.wrapping_sub(self.first)).filter(|&place| place < self.nodes.len())
    }

    /// Asks memory for the ancestor of a node that comes up soon.
    fn expect(&self, node: Option<&P>) {
        if let Some(v) = node {
            prefetch(&self.nodes, self.nodes[v.get()][0].get().wrapping_sub(self.first));
        }
    }

    /// The questions of a chunk of nodes.
    fn ask(&self, nodes: &[P], marks: bool) -> Asked<P> {
        let mut asked = Asked { out: vec![Vec::new(); self.owners.count()], slots: Vec::new() };
        let mut recent = [(P::NONE, 0); RECENT];
        for v in nodes {
            let ancestor = self.nodes[v.get()][0];
            match self.here(ancestor.get()) {
                Some(place) if marks => self.asked[place].store(true, Ordering::Relaxed),
                Some(_) => {}
                None => {
                    let known = &mut recent[ancestor.get() % RECENT];
                    if known.0 != ancestor {
                        let out = &mut asked.out[self.owners.of(ancestor.get())];
                        *known = (ancestor, out.len() as u32);
                        out.push(ancestor);
                    }
                    asked.slots.push(known.1);
                }
            }
        }
        asked
    }

    /// What another rank asks.
    fn answer(&self, questions: &[P], marks: bool) -> Result<Vec<Node<P>>> {
        let place = |i: usize| questions.get(i).map_or(0, |&node| node.get() - self.first);
        computed(questions.len(), CHUNK, "answers", |i| {
            prefetch(&self.nodes, place(i + AHEAD));
            if marks {
                self.asked[place(i)].store(true, Ordering::Relaxed);
            }
            self.nodes[place(i)]
        })
    }

    /// Roots, and depths.
    fn unzipped(&self) -> Result<[Vec<u64>; 2]> {
        let depth = |distance: P| distance.get() & !arrived::<P>();
        let roots = computed(self.nodes.len(), CHUNK, "roots", |v| self.nodes[v][0].get() as u64)?;
        Ok([roots, computed(self.nodes.len(), CHUNK, "depths", |v| depth(self.nodes[v][1]) as u64)?])
    }
}

/// One process has all of it.
fn alone<P: Position>(parents: &[P]) -> Result<[Vec<u64>; 2]> {
    let (roots, depths) = Forest::from_parents(parents)?.into_roots_and_depths();
    Ok([roots, depths].map(|list| list.into_iter().map(|at| at.get() as u64).collect()))
}
