//! Everything in a range that is not above a threshold, from left to right.
//!
//! A stack holds what has not been looked at, the leftmost on top. If the least element of a range is above the threshold,
//! so is all of it. Otherwise the block around that element is looked at, and what lies to the left and to the right of
//! the block is put back: so every query but the last ones finds a block with something in it.

use std::iter::FusedIterator;

use super::Ranks;
use super::ranks::WORD;
use crate::rmq::RmqEngine;

/// Positions of the elements of a range that are not above a threshold, in ascending order; not below it, where the index
/// is for maxima. See [`Rmq::below`](crate::Rmq::below).
#[derive(Debug)]
pub struct Below<'r> {
    engine: &'r dyn RmqEngine,
    walk: Walk<'r>,
    /// The block in hand, and which of its elements are still to be told.
    block: usize,
    found: u64,
}

impl<'r> Below<'r> {
    /// `most` is the threshold's rank.
    pub(in crate::rmq) fn new(
        engine: &'r dyn RmqEngine,
        ranks: Ranks<'r>,
        range: Option<(usize, usize)>,
        most: u64,
    ) -> Self {
        let mut walk = Walk::new(ranks);
        walk.begin(range, most);
        Self { engine, walk, block: 0, found: 0 }
    }
}

impl Iterator for Below<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        while self.found == 0 {
            match self.walk.step()? {
                Step::Question(left, right) => {
                    let position = self.engine.position(left, right);
                    self.walk.answer(position);
                }
                Step::Found(block, found) => (self.block, self.found) = (block, found),
            }
        }
        let lane = self.found.trailing_zeros() as usize;
        self.found &= self.found - 1;
        Some(self.block + lane)
    }
}

impl FusedIterator for Below<'_> {}

/// What has not been looked at of a range.
#[derive(Debug)]
pub(super) struct Walk<'r> {
    ranks: Ranks<'r>,
    most: u64,
    /// The leftmost on top.
    parts: Vec<(usize, usize)>,
}

/// What comes next.
pub(super) enum Step {
    /// The least element of this range is to be found.
    Question(usize, usize),
    /// These elements from a position on, a bit each. There may be none.
    Found(usize, u64),
}

impl<'r> Walk<'r> {
    /// Of no range yet.
    pub(super) fn new(ranks: Ranks<'r>) -> Self {
        Self { ranks, most: 0, parts: Vec::new() }
    }

    /// Begins with a range, whatever was before, and the rank of a threshold.
    pub(super) fn begin(&mut self, range: Option<(usize, usize)>, most: u64) {
        self.parts.clear();
        self.parts.extend(range);
        self.most = most;
    }

    /// What comes next, if anything. A question has to be answered before the next step.
    pub(super) fn step(&mut self) -> Option<Step> {
        let &(left, right) = self.parts.last()?;
        if right - left >= WORD {
            return Some(Step::Question(left, right));
        }
        self.parts.pop();
        Some(Step::Found(left, self.ranks.not_above(left, right - left + 1, self.most)))
    }

    /// The position of the least element of the range in question.
    pub(super) fn answer(&mut self, position: usize) {
        let Some((left, right)) = self.parts.pop() else { return };
        // An index from a damaged file may say anything: the answer stays inside the range, and the range gets shorter.
        let position = position.clamp(left, right);
        if self.ranks.at(position) > self.most {
            return;
        }
        let (first, last) = (position / WORD * WORD, position / WORD * WORD + WORD - 1);
        if right > last {
            self.parts.push((last + 1, right));
        }
        self.parts.push((left.max(first), right.min(last)));
        if left < first {
            self.parts.push((left, first - 1));
        }
    }
}
