//! Roots and depths of a forest in parts: pointer jumping.
//!
//! Every node holds an ancestor and the distance to it, its parent at first. In a round every node that has not arrived at its
//! root asks its ancestor, wherever that lies, for that one's ancestor and distance: so distances double, and there are as many
//! rounds as the depth has binary digits. Nodes of a rank that have the same ancestor ask once, and soon there are few others.
//!
//! Work O(n log depth / p) a rank. Source: JáJá 1992.

use thalweg_core::bits::BitsMut;
use thalweg_core::error::{expect_len, try_with_capacity};
use thalweg_core::memory::computed;
use thalweg_core::primitives::sort::{Engine, sort_bits};
use thalweg_core::{Coding, Error, Order, Position, PositionsRef, Result};
use thalweg_trees::tree::Forest;

use crate::Ranks;
use crate::list::links;
use crate::ranks::{exchange_any, exchange_items, owner_of, part_of, smallest};

/// Nodes that a task looks at.
const CHUNK: usize = 1 << 12;

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
    let (size, range) = (ranks.size(), part_of(len, ranks.rank(), ranks.size()));
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
    let is_going = |&[_, distance]: &[u64; 2]| distance & ARRIVED == 0;
    // After so many rounds all have gone `len` links or more: who has not arrived is on a cycle or leads to one.
    for _ in 0..=len.max(1).ilog2() + 1 {
        let mut asked: Vec<u64> = nodes.iter().filter(|node| is_going(node)).map(|&[ancestor, _]| ancestor).collect();
        sort_bits(BitsMut::U64(&mut asked), Coding::of::<u64>(Order::Min), Engine::Radix)?;
        asked.dedup();
        let mut out = vec![Vec::new(); size];
        for &ancestor in &asked {
            out[owner_of(len, ancestor as usize, size)].push(ancestor);
        }
        // Nobody asks: all have arrived.
        let Some(questions) = exchange_any(ranks, &out)? else { return unzipped(&nodes) };
        let answers: Vec<Vec<[u64; 2]>> = questions
            .into_iter()
            .map(|asked| asked.into_iter().map(|ancestor| nodes[ancestor as usize - range.start]).collect())
            .collect();
        // Owners are in the order of what they own, so answers are in that of the questions.
        let told = exchange_items(ranks, &answers)?.concat();
        expect_len("answers of other ranks", told.len(), asked.len())?;
        nodes = computed(nodes.len(), CHUNK, "ancestors", |v| {
            let [ancestor, distance] = nodes[v];
            if distance & ARRIVED != 0 {
                return nodes[v];
            }
            let [further, more] = told[asked.partition_point(|&a| a < ancestor)];
            [further, distance + more]
        })?;
    }
    // All have gone the same number of links, more than there are nodes: the ancestors of nodes on a cycle are all of its nodes.
    let lowest = nodes.iter().filter(|node| is_going(node)).map(|&[ancestor, _]| ancestor).min();
    match smallest(ranks, lowest)? {
        Some(node) => Err(Error::Cycle { what: "node", element: node as usize }),
        None => Err(crate::ranks::garbled()),
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
