//! Roots and depths by pointer jumping: everybody's link jumps over its parent until it points to the root.
//!
//! A cell holds a node's link and the number of edges that it spans, in one word: so it is read and written as one, and
//! the jumps need no second array. A jump that reads a link that has already jumped in this round gets further, so there
//! are at most log2 of the depth rounds and often fewer. Nodes that have arrived leave the race.
//!
//! JáJá 1992, section 2.2 ("roots of a forest"). Work O(n log depth), span O(log depth · log n) with the compactions.
//! Extra memory: 8 bytes a node, and 4 for every node that is deeper than 1.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::links::follow;
use thalweg_core::memory::computed;
use thalweg_core::parallel::try_for_each_chunk;
use thalweg_core::primitives::{compact_in_place, positions_where};
use thalweg_core::{Error, Position, Result};

/// Nodes at most: a link and a depth share a word.
pub(super) const MOST: usize = u32::MAX as usize - 1;

/// Nodes that a task takes at once.
const GRAIN: usize = 1 << 14;

/// Roots and depths; `None` if there is a cycle. All links are inside.
pub(super) fn roots_and_depths<P: Position>(parents: &[P]) -> Result<Option<[Vec<P>; 2]>> {
    let len = parents.len();
    if len > MOST {
        let reason = format!("pointer_jumping takes at most {MOST} nodes, not {len}");
        return Err(Error::BadOption { option: "engine", reason });
    }
    let start = |i: usize| AtomicU64::new(follow(parents, i).map_or((i as u64) << 32, |up| (up as u64) << 32 | 1));
    let cells = computed(len, GRAIN, "links and depths", start)?;
    let load = |i: u64| cells[i as usize].load(Ordering::Relaxed);
    // Jumps, and tells whether it is worth another try: whether the link pointed to a node that is no root.
    let jump = |i: u64| {
        let own = load(i);
        let onto = load(own >> 32);
        let arrived = onto >> 32 == own >> 32;
        if !arrived {
            // On a cycle the number of edges overflows, and nobody will ask for it.
            let edges = (own as u32).wrapping_add(onto as u32);
            cells[i as usize].store(onto >> 32 << 32 | u64::from(edges), Ordering::Relaxed);
        }
        !arrived
    };
    let mut active: Vec<u32> = positions_where(len, |i| jump(i as u64))?;
    let mut span = 2u64;
    while !active.is_empty() {
        if span > len as u64 {
            return Ok(None);
        }
        compact_in_place(&mut active, |&i| jump(i.into()))?;
        span *= 2;
    }
    // A cycle may have shrunk to a node that points to itself, as a root does.
    let round = |i: usize| load(i as u64) >> 32 == i as u64 && follow(parents, i).is_some();
    if !try_for_each_chunk(len, GRAIN, &|mut range| !range.any(round)) {
        return Ok(None);
    }
    let roots = computed(len, GRAIN, "roots", |i| P::new((load(i as u64) >> 32) as usize))?;
    let depths = computed(len, GRAIN, "depths", |i| P::new(load(i as u64) as u32 as usize))?;
    Ok(Some([roots, depths]))
}
