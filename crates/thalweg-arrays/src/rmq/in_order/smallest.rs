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
        let mut walk = Walk::new(ranks);
        if let Some((left, right)) = range {
            walk.begin(left, right);
        }
        Self { engine, walk }
    }
}

impl Iterator for Smallest<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        let mut positions = [0; 2];
        for (&[left, right], position) in self.walk.questions().iter().zip(&mut positions) {
            *position = self.engine.position(left, right);
        }
        self.walk.answer(positions);
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
    /// Ranges whose least elements are not known yet, and how many of the two there are.
    unknown: ([[usize; 2]; 2], usize),
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
    /// Of no range yet.
    pub(super) fn new(ranks: Ranks<'r>) -> Self {
        Self { ranks, parts: BinaryHeap::new(), unknown: ([[0; 2]; 2], 0), remaining: 0 }
    }

    /// Begins with a range, whatever was before.
    pub(super) fn begin(&mut self, left: usize, right: usize) {
        self.parts.clear();
        self.unknown.1 = 0;
        self.remaining = right - left + 1;
        self.add(left, right);
    }

    /// The ranges whose least elements are to be found before the next position can be told.
    pub(super) fn questions(&self) -> &[[usize; 2]] {
        &self.unknown.0[..self.unknown.1]
    }

    /// The positions of those elements, in the same order.
    pub(super) fn answer(&mut self, positions: [usize; 2]) {
        let (ranges, count) = self.unknown;
        self.unknown.1 = 0;
        for ([left, right], position) in ranges.into_iter().zip(positions).take(count) {
            // An index from a damaged file may say anything: the answer stays inside the range, and the range gets shorter.
            let position = position.clamp(left, right);
            self.parts.push(Reverse(Part { rank: self.ranks.at(position), position, rest: Rest::Range(left, right) }));
        }
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
            self.unknown.0[self.unknown.1] = [left, right];
            self.unknown.1 += 1;
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
