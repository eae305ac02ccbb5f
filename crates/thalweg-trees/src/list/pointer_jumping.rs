//! Pointer jumping: in every round everybody's link jumps over its successor, and takes the successor's sum along.
//!
//! After k rounds a link spans 2^k elements, so log2 n rounds reach all ends. Every round reads a random place for every
//! element that has not arrived, which makes n log n random reads where a walk has n: simple, and the slowest one for
//! anything that does not fit a cache. From the head, the lists are turned round first.
//!
//! Wyllie 1979. Work O(n log n), span O(log n). Extra memory: two links and sums an element.
#![allow(unsafe_code)]

use super::load::{Load, Store, plus};
use super::options::Direction;
use crate::links::{check, diagnose, follow, reversed};
use thalweg_core::memory::computed;
use thalweg_core::parallel::{for_each_chunk, for_each_chunk_mut, try_for_each_chunk};
use thalweg_core::{Position, Result};

/// Elements that a task takes at once.
const GRAIN: usize = 1 << 12;

/// A link, or [`Position::NONE`], and the sum of what it has jumped over.
pub(super) type Cell<P, const C: usize> = (P, [u64; C]);

pub(super) fn rank<P: Position, const C: usize>(
    next: &[P],
    load: &Load<'_>,
    direction: Direction,
    out: &impl Store<C>,
) -> Result<()> {
    check(next)?;
    let ranked = jump(cells(next, load, direction)?)?.ok_or_else(|| diagnose(next))?;
    put(&ranked, out);
    Ok(())
}

/// The links and what the elements weigh, from the head backwards. The links have passed [`check`].
pub(super) fn cells<P: Position, const C: usize>(
    next: &[P],
    load: &Load<'_>,
    direction: Direction,
) -> Result<Vec<Cell<P, C>>> {
    let links = |next: &[P]| {
        let cell = |i: usize| (follow(next, i).map_or(P::NONE, P::new), load.of(i));
        computed(next.len(), GRAIN, "links and sums", cell)
    };
    match direction {
        Direction::ToEnd => links(next),
        Direction::FromHead => links(&reversed(next)?),
    }
}

/// Puts the sums.
pub(super) fn put<P: Position, const C: usize>(cells: &[Cell<P, C>], out: &impl Store<C>) {
    assert_eq!(out.room(), cells.len());
    for_each_chunk(cells.len(), GRAIN, &|range| {
        for i in range {
            // SAFETY: there is room for all elements, and ranges do not overlap.
            unsafe { out.put(i, cells[i].1) };
        }
    });
}

/// Sums to the end, with links that have arrived; `None` if some never do.
pub(super) fn jump<P: Position, const C: usize>(mut cells: Vec<Cell<P, C>>) -> Result<Option<Vec<Cell<P, C>>>> {
    let len = cells.len();
    let mut jumped = computed(len, GRAIN, "links and sums", |i| cells[i])?;
    // In round k every link spans 2^k elements or has arrived.
    let mut span = 1;
    while !try_for_each_chunk(len, GRAIN, &|range| cells[range].iter().all(|(link, _)| *link == P::NONE)) {
        if span >= len {
            return Ok(None);
        }
        for_each_chunk_mut(&mut jumped, GRAIN, &|start, jumped| {
            for (to, &(link, sum)) in jumped.iter_mut().zip(&cells[start..]) {
                *to = match link.checked() {
                    Some(over) => (cells[over].0, plus(sum, cells[over].1)),
                    None => (link, sum),
                };
            }
        });
        std::mem::swap(&mut cells, &mut jumped);
        span = span.saturating_mul(2);
    }
    Ok(Some(cells))
}
