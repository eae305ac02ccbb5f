//! The smallest rank of every part, and of its tiles: all that is kept of parts that are not looked at.

use std::ops::Range;

use crate::least::least_rank;
use thalweg_core::coding::Ranking;
use thalweg_core::memory::computed;
use thalweg_core::parallel::chunk_range;
use thalweg_core::{Rank, Result};

/// Where neighbours are looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Side {
    Left,
    Right,
}

impl Side {
    /// The `i`-th of so many that lie in a row on this side of somebody, from the nearest on.
    pub(super) fn nth(self, i: usize, count: usize) -> usize {
        match self {
            Self::Left => count - 1 - i,
            Self::Right => i,
        }
    }
}

/// The minima of a part.
pub(super) struct Minima<R> {
    lowest: R,
    tiles: Vec<R>,
}

impl<R: Rank> Minima<R> {
    /// Those of a part, in tiles of so many elements.
    pub(super) fn of(part: &[R], order: Ranking<R>, tile: usize) -> Result<Self> {
        let minimum = |t: usize| least_rank(&part[chunk_range(t, tile, part.len())], order);
        let tiles = computed(part.len().div_ceil(tile), 16, "the minima of a part", minimum)?;
        Ok(Self { lowest: tiles.iter().copied().min().unwrap_or(R::WORST), tiles })
    }

    /// Of its tiles, from left to right.
    pub(super) fn tiles(&self) -> &[R] {
        &self.tiles
    }
}

/// A part that is seen from another: no part between them has so small a rank.
#[derive(Clone, Copy)]
pub(super) struct Seen<R> {
    pub(super) lowest: R,
    pub(super) part: usize,
}

/// Those of a row of parts that are seen from one side of it, the nearest first: their ranks fall.
pub(super) fn seen<R: Rank>(minima: &[Minima<R>], row: Range<usize>, side: Side) -> Vec<Seen<R>> {
    let mut seen: Vec<Seen<R>> = Vec::new();
    for i in 0..row.len() {
        let part = row.start + side.nth(i, row.len());
        let lowest = minima[part].lowest;
        if seen.last().is_none_or(|last| lowest < last.lowest) {
            seen.push(Seen { lowest, part });
        }
    }
    seen
}
