//! Pointer jumping: in every round everybody's link jumps over its successor, and takes the successor's sum along.
//!
//! After k rounds a link spans 2^k elements, so log2 n rounds reach all ends. Every round reads a random place for every
//! element that has not arrived, which makes n log n random reads where a walk has n: simple, and the slowest one for
//! anything that does not fit a cache. From the head, the lists are turned round first.
//!
//! Wyllie 1979. Work O(n log n), span O(log n). Extra memory: two links and sums an element.

use rayon::prelude::*;

use super::links::{check, diagnose, follow, reversed};
use super::{Direction, Load, Words};
use thalweg_core::memory::collected;
use thalweg_core::{Position, Result};

/// Elements that a task takes at once.
const GRAIN: usize = 1 << 12;

pub(super) fn rank<P: Position, L: Load>(next: &[P], load: &L, direction: Direction) -> Result<Vec<L::Out>> {
    check(next)?;
    let links = |next: &[P]| {
        let start = |i: usize| (follow(next, i).map_or(P::NONE, P::new), load.of(i));
        collected((0..next.len()).into_par_iter().map(start), "links and sums")
    };
    let cells = match direction {
        Direction::ToEnd => links(next)?,
        Direction::FromHead => links(&reversed(next)?)?,
    };
    let sums = jump(cells)?.ok_or_else(|| diagnose(next))?;
    collected(sums.into_par_iter().map(|(_, sum)| L::out(sum)), "ranks")
}

/// Sums to the end, with links that have arrived; `None` if some never do.
pub(super) fn jump<P: Position, W: Words>(mut cells: Vec<(P, W)>) -> Result<Option<Vec<(P, W)>>> {
    let len = cells.len();
    let mut jumped = collected(cells.par_iter().copied(), "links and sums")?;
    // In round k every link spans 2^k elements or has arrived.
    let mut span = 1;
    while cells.par_iter().with_min_len(GRAIN).any(|(link, _)| *link != P::NONE) {
        if span >= len {
            return Ok(None);
        }
        jumped.par_iter_mut().zip(&cells).with_min_len(GRAIN).for_each(|(to, &(link, sum))| {
            *to = match link.checked() {
                Some(over) => (cells[over].0, sum.plus(cells[over].1)),
                None => (link, sum),
            };
        });
        std::mem::swap(&mut cells, &mut jumped);
        span = span.saturating_mul(2);
    }
    Ok(Some(cells))
}
