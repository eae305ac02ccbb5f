//! The nearest smaller elements outside a part, for ranks that fall: an element after the other goes on where the one before
//! has ended.

use std::ops::Range;

use super::Job;
use super::minima::{Minima, Seen, Side};
use thalweg_core::Rank;
use thalweg_core::parallel::chunk_range;

pub(super) struct Search<'s, R> {
    job: &'s Job<'s, R>,
    minima: &'s [Minima<R>],
    side: Side,
    /// Parts that may still have something, the nearest first.
    seen: &'s [Seen<R>],
    /// The part that was entered, and how many of its tiles have been passed.
    part: usize,
    passed: usize,
    /// The tile that was entered, and what is left of it: both may be empty.
    tile: Range<usize>,
    left: Range<usize>,
}

impl<'s, R: Rank> Search<'s, R> {
    /// On this side, where these parts are seen.
    pub(super) fn new(job: &'s Job<'s, R>, minima: &'s [Minima<R>], side: Side, seen: &'s [Seen<R>]) -> Self {
        Self { job, minima, side, seen, part: 0, passed: usize::MAX, tile: 0..0, left: 0..0 }
    }

    /// The nearest element of a smaller rank (not larger, unless the job is strict). Later calls must be for ranks that are not larger.
    pub(super) fn nearest(&mut self, rank: R) -> Option<usize> {
        let strict = self.job.strict;
        let is_one = |other: R| other < rank || !strict && other == rank;
        loop {
            if let Some(found) = self.in_tile(is_one) {
                return Some(found);
            }
            self.leave_tile();
            if !self.enter_tile(is_one) && !self.enter_part(is_one) {
                return None;
            }
        }
    }

    #[inline(always)]
    fn in_tile(&mut self, is_one: impl Fn(R) -> bool) -> Option<usize> {
        let order = self.job.order;
        let mut keys = self.job.array[self.left.clone()].iter();
        let is_one = |key: &R| is_one(key.ranked(order));
        match self.side {
            Side::Left => {
                let found = self.left.start + keys.rposition(is_one)?;
                self.left.end = found + 1;
                Some(found)
            }
            Side::Right => {
                self.left.start += keys.position(is_one)?;
                Some(self.left.start)
            }
        }
    }

    /// Enters the next tile of the part that has something.
    fn enter_tile(&mut self, is_one: impl Fn(R) -> bool) -> bool {
        let Some(minima) = self.minima.get(self.part).map(Minima::tiles) else { return false };
        while self.passed < minima.len() {
            let t = self.side.nth(self.passed, minima.len());
            self.passed += 1;
            if is_one(minima[t]) {
                let part = self.job.part(self.part);
                let tile = chunk_range(t, self.job.tile, part.len());
                self.tile = part.start + tile.start..part.start + tile.end;
                self.left = self.tile.clone();
                return true;
            }
        }
        false
    }

    /// Enters the next part that has something.
    fn enter_part(&mut self, is_one: impl Fn(R) -> bool) -> bool {
        self.seen = &self.seen[self.seen.partition_point(|seen| !is_one(seen.lowest))..];
        let Some((&Seen { part, .. }, further)) = self.seen.split_first() else { return false };
        (self.part, self.passed, self.seen) = (part, 0, further);
        true
    }

    fn leave_tile(&mut self) {
        self.give_back();
        (self.tile, self.left) = (0..0, 0..0);
    }
}

impl<R> Search<'_, R> {
    fn give_back(&self) {
        if !self.tile.is_empty() {
            // Systems map what lies around with what is touched.
            let around = self.tile.start.saturating_sub(self.job.tile)..self.tile.end + self.job.tile;
            (self.job.walk.done)(around.start..around.end.min(self.job.array.len()));
        }
    }
}

impl<R> Drop for Search<'_, R> {
    fn drop(&mut self) {
        self.give_back();
    }
}
