//! The nearest smaller elements outside a part, for ranks that fall: an element after the other goes on where the one before
//! has ended.

use std::ops::Range;

use super::Job;
use super::minima::{Minima, Seen, Side};
use crate::ansv::PlacesRef;
use thalweg_core::Rank;
use thalweg_core::coding::Ranking;
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
    /// The tile that was entered; it may be empty.
    tile: Range<usize>,
}

impl<'s, R: Rank> Search<'s, R> {
    /// On this side, where these parts are seen.
    pub(super) fn new(job: &'s Job<'s, R>, minima: &'s [Minima<R>], side: Side, seen: &'s [Seen<R>]) -> Self {
        Self { job, minima, side, seen, part: 0, passed: usize::MAX, tile: 0..0 }
    }

    /// Finds the neighbours of a part's open elements; those of `out` lie from `start` on in the part.
    pub(super) fn settle(mut self, part: &[R], open: PlacesRef<'_>, start: usize, out: &mut [u64]) {
        let order = self.job.order;
        // What bits mean is asked here, and not for every element.
        match (order.float, self.job.strict) {
            (true, true) => self.settle_by::<true>(Ranking { float: true, ..order }, part, open, start, out),
            (true, false) => self.settle_by::<false>(Ranking { float: true, ..order }, part, open, start, out),
            (false, true) => self.settle_by::<true>(Ranking { float: false, ..order }, part, open, start, out),
            (false, false) => self.settle_by::<false>(Ranking { float: false, ..order }, part, open, start, out),
        }
    }

    #[inline(always)]
    fn settle_by<const STRICT: bool>(
        &mut self,
        order: Ranking<R>,
        part: &[R],
        open: PlacesRef<'_>,
        start: usize,
        out: &mut [u64],
    ) {
        // From the border inwards, against the side's direction.
        let side = self.side;
        let place = |i: usize| open.at(if side == Side::Left { i } else { open.len() - 1 - i });
        let mut settled = 0;
        while settled < open.len() {
            let (keys, first) = (&self.job.array[self.tile.clone()], self.tile.start as u64);
            let serves = |key: R, rank: R| if STRICT { key.ranked(order) < rank } else { key.ranked(order) <= rank };
            // Both ranks fall: each goes on where the one before has ended.
            match side {
                Side::Left => {
                    let mut end = keys.len();
                    while settled < open.len() {
                        let place = place(settled);
                        let rank = part[place].ranked(order);
                        while end > 0 && !serves(keys[end - 1], rank) {
                            end -= 1;
                        }
                        if end == 0 {
                            break;
                        }
                        out[place - start] = first + end as u64 - 1;
                        settled += 1;
                    }
                }
                Side::Right => {
                    let mut at = 0;
                    while settled < open.len() {
                        let place = place(settled);
                        let rank = part[place].ranked(order);
                        while at < keys.len() && !serves(keys[at], rank) {
                            at += 1;
                        }
                        if at == keys.len() {
                            break;
                        }
                        out[place - start] = first + at as u64;
                        settled += 1;
                    }
                }
            }
            if settled < open.len() {
                let rank = part[place(settled)].ranked(order);
                let is_one = |other: R| if STRICT { other < rank } else { other <= rank };
                self.leave_tile();
                if !self.enter_tile(is_one) && !self.enter_part(is_one) {
                    // Nor have those behind it one, which are smaller, or equal.
                    return;
                }
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
        self.tile = 0..0;
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
