//! From left to right with all segments that are there: the sequential peer of `merge`.
//!
//! The segments stand at the leaves of a tournament, from where they begin to where they end. A match is won by the one that
//! is lower right behind the sweep's place, and lasts until the two cross; every node knows the first crossing below it
//! that changes a match. So the next place is the first of an end and the root's crossing, and the root's winner is the
//! lowest segment (a kinetic tournament: Basch, Guibas and Hershberger 1997).
//!
//! Work O(n α(n) log² n), one thread.

use std::cmp::Ordering;

use thalweg_core::Result;
use thalweg_core::error::{try_filled, try_with_capacity};

use super::lines::Lines;
use super::place::{GAP, Origin, Piece, Place};

/// The envelope of all segments of some lines.
pub(super) fn of_lines(lines: &Lines) -> Result<Vec<Piece>> {
    let count = lines.proper() as u32;
    let mut ends: Vec<Place> = try_with_capacity(2 * count as usize, "ends of segments")?;
    ends.extend((0..count).flat_map(|line| [lines.left(line), lines.right(line)]));
    ends.sort_by(|p, q| lines.compare(p, q));
    let mut tournament = Tournament::new(lines, count as usize)?;
    let (mut ends, mut pieces, mut last) = (&ends[..], Vec::new(), GAP);
    while let Some(end) = ends.first() {
        let now = earlier(lines, Some(*end), tournament.next_change()).expect("there is an end");
        while let Some((end, rest)) = ends.split_first()
            && lines.compare(end, &now).is_le()
        {
            match end.origin() {
                Origin::Left(line) => tournament.set(line, line, &now),
                Origin::Right(line) => tournament.set(line, GAP, &now),
                Origin::Crossing(..) => unreachable!("these are ends"),
            }
            ends = rest;
        }
        tournament.replay(1, &now);
        let lowest = tournament.nodes[1].winner;
        if lowest != last {
            pieces.push(Piece { at: now, line: lowest });
            last = lowest;
        }
    }
    Ok(pieces)
}

/// A match of two, and of all below.
#[derive(Clone, Copy, Debug)]
struct Node {
    winner: u32,
    /// Where this match or one below it changes.
    change: Option<Place>,
}

/// A binary tree, the root at 1.
struct Tournament<'l> {
    lines: &'l Lines,
    nodes: Vec<Node>,
    leaves: usize,
}

impl<'l> Tournament<'l> {
    fn new(lines: &'l Lines, count: usize) -> Result<Self> {
        let leaves = count.next_power_of_two();
        let nodes = try_filled(2 * leaves, Node { winner: GAP, change: None }, "the tournament")?;
        Ok(Self { lines, nodes, leaves })
    }

    fn next_change(&self) -> Option<Place> {
        self.nodes[1].change
    }

    /// Puts a segment, or nothing, where a segment stands.
    fn set(&mut self, leaf: u32, line: u32, now: &Place) {
        let mut node = self.leaves + leaf as usize;
        self.nodes[node].winner = line;
        while node > 1 {
            node /= 2;
            self.play(node, now);
        }
    }

    /// Plays all matches again that have changed by now.
    fn replay(&mut self, node: usize, now: &Place) {
        if self.nodes[node].change.is_some_and(|change| self.lines.compare(&change, now).is_le()) {
            self.replay(2 * node, now);
            self.replay(2 * node + 1, now);
            self.play(node, now);
        }
    }

    fn play(&mut self, node: usize, now: &Place) {
        let (left, right) = (self.nodes[2 * node], self.nodes[2 * node + 1]);
        let (winner, change) = match (left.winner, right.winner) {
            (GAP, other) | (other, GAP) => (other, None),
            (one, two) => self.lines.lower_after(one, two, now),
        };
        let below = earlier(self.lines, left.change, right.change);
        self.nodes[node] = Node { winner, change: earlier(self.lines, change, below) };
    }
}

fn earlier(lines: &Lines, p: Option<Place>, q: Option<Place>) -> Option<Place> {
    match (p, q) {
        (Some(p), Some(q)) => Some(if lines.compare(&p, &q) == Ordering::Greater { q } else { p }),
        (p, q) => p.or(q),
    }
}
