//! Roots and depths by pointer jumping: everybody's link jumps over its parent until it points to the root.
//!
//! A cell holds a node's link and the number of edges that it spans, in one word: so it is read and written as one, and
//! the jumps need no second array. A jump that reads a link that has already jumped in this round gets further, so there
//! are at most log2 of the depth rounds and often fewer. Nodes that have arrived leave the race.
//!
//! JáJá 1992, section 2.2 ("roots of a forest"). Work O(n log depth), span O(log depth · log n) with the compactions.
//! Extra memory: 8 bytes a node, and 4 for every node that is deeper than 1.

use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;

use crate::list::links::follow;
use thalweg_core::memory::collected;
use thalweg_core::primitives::{compact_in_place, positions_where};
use thalweg_core::{Error, Position, Result};

/// Nodes at most: a link and a depth share a word.
pub(super) const MOST: usize = u32::MAX as usize - 1;

/// Roots and depths; `None` if there is a cycle. All links are inside.
pub(super) fn roots_and_depths<P: Position>(parents: &[P]) -> Result<Option<(Vec<P>, Vec<P>)>> {
    let len = parents.len();
    if len > MOST {
        let reason = format!("pointer_jumping takes at most {MOST} nodes, not {len}");
        return Err(Error::BadOption { option: "engine", reason });
    }
    let start = |i: usize| AtomicU64::new(follow(parents, i).map_or((i as u64) << 32, |up| (up as u64) << 32 | 1));
    let cells = collected((0..len).into_par_iter().map(start), "links and depths")?;
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
    if (0..len).into_par_iter().with_min_len(1 << 14).any(round) {
        return Ok(None);
    }
    let roots = collected(cells.par_iter().map(|cell| P::new((cell.load(Ordering::Relaxed) >> 32) as usize)), "roots")?;
    let depths =
        collected(cells.par_iter().map(|cell| P::new(cell.load(Ordering::Relaxed) as u32 as usize)), "depths")?;
    Ok(Some((roots, depths)))
}
