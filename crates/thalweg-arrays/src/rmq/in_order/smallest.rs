//! The smallest elements of a range, one after the other.
//!
//! A heap holds parts of the range that do not overlap, each with its least element, and the parts together hold
//! everything that has not been told yet. A part is a range, whose least element a query has found, or what is left of a
//! block. Telling the least element of a range cuts it into the block around that element, and what lies to the left and
//! to the right of the block; those two are asked for only when the next element is wanted.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::iter::FusedIterator;

use super::Ranks;
use super::ranks::LINE;
use crate::rmq::RmqEngine;

/// Positions of the elements of a range in ascending order of their values, the leftmost first on ties; the largest first
/// where the index is for maxima. See [`Rmq::smallest`](crate::Rmq::smallest).
#[derive(Debug)]
pub struct Smallest<'r> {
    engine: &'r dyn RmqEngine,
    walk: Walk<'r>,
}

impl<'r> Smallest<'r> {
    pub(in crate::rmq) fn new(engine: &'r dyn RmqEngine, ranks: Ranks<'r>, range: Option<(usize, usize)>) -> Self {
        Self { engine, walk: Walk::new(ranks, range) }
    }
}

impl Iterator for Smallest<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        while let Some((left, right)) = self.walk.question() {
            let position = self.engine.position(left, right);
            self.walk.answer(left, right, position);
        }
        self.walk.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.walk.remaining, Some(self.walk.remaining))
    }
}

impl ExactSizeIterator for Smallest<'_> {}
impl FusedIterator for Smallest<'_> {}

/// What is known of a range, and what has to be asked before its next element can be told.
#[derive(Debug)]
pub(super) struct Walk<'r> {
    ranks: Ranks<'r>,
    parts: BinaryHeap<Reverse<Part>>,
    /// Ranges whose least elements are not known yet: at most two.
    unknown: Vec<(usize, usize)>,
    remaining: usize,
}

/// A part of the range. Parts do not overlap, so no two have a position in common, and what follows it decides nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    rank: u64,
    /// Where its least element is.
    position: usize,
    rest: Rest,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rest {
    /// All positions from the first to the second.
    Range(usize, usize),
    /// Some elements of the block that holds the position: a bit each.
    Block(u16),
}

impl<'r> Walk<'r> {
    /// Nothing is in no range.
    pub(super) fn new(ranks: Ranks<'r>, range: Option<(usize, usize)>) -> Self {
        let mut walk = Self { ranks, parts: BinaryHeap::new(), unknown: Vec::new(), remaining: 0 };
        if let Some((left, right)) = range {
            walk.remaining = right - left + 1;
            walk.add(left, right);
        }
        walk
    }

    /// A range whose least element is to be found. To ask again is no harm: the last answer counts.
    pub(super) fn question(&self) -> Option<(usize, usize)> {
        self.unknown.last().copied()
    }

    /// The position of the least element of the range that was asked for last.
    pub(super) fn answer(&mut self, left: usize, right: usize, position: usize) {
        self.unknown.pop();
        // An index from a damaged file may say anything: the answer stays inside the range, and the range gets shorter.
        let position = position.clamp(left, right);
        self.parts.push(Reverse(Part { rank: self.ranks.at(position), position, rest: Rest::Range(left, right) }));
    }

    /// The next position, once there is nothing to ask.
    pub(super) fn next(&mut self) -> Option<usize> {
        let Reverse(Part { position, rest, .. }) = self.parts.pop()?;
        self.remaining -= 1;
        let block = position / LINE * LINE;
        let mask = match rest {
            Rest::Block(mask) => mask,
            Rest::Range(left, right) => {
                if left < block {
                    self.add(left, block - 1);
                }
                if right >= block + LINE {
                    self.add(block + LINE, right);
                }
                mask_of(left.max(block), right.min(block + LINE - 1))
            }
        };
        self.add_block(block, mask & !(1 << (position - block)));
        Some(position)
    }

    /// A range that has not been looked at.
    fn add(&mut self, left: usize, right: usize) {
        if left / LINE == right / LINE {
            self.add_block(left / LINE * LINE, mask_of(left, right));
        } else {
            self.unknown.push((left, right));
        }
    }

    fn add_block(&mut self, block: usize, mask: u16) {
        if mask != 0 {
            let (rank, position) = self.ranks.least(block, mask);
            self.parts.push(Reverse(Part { rank, position, rest: Rest::Block(mask) }));
        }
    }
}

/// The elements `left..=right` of the block that holds them all.
fn mask_of(left: usize, right: usize) -> u16 {
    (u16::MAX << (left % LINE)) & (u16::MAX >> (LINE - 1 - right % LINE))
}
