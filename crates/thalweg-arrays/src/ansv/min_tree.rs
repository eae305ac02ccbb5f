//! A tree of minima: the nearest element below a bound, from anywhere, in either direction.
//!
//! This is the *basic search procedure* of Berkman, Schieber and Vishkin (1993). Walk up until a sibling on the wanted
//! side is small enough, then walk down to its nearest small enough leaf. Their tree is binary; this one is wider, as
//! a node's children lie in one or two cache lines and looking at all of them costs little more than at two. The
//! leaves are the array itself, and all nodes above it lie in one flat buffer, level by level, without pointers.

use std::fmt;

use thalweg_core::coding::Ranking;
use thalweg_core::error::try_filled;
use thalweg_core::parallel::for_each_chunk_mut;
use thalweg_core::{Rank, Result};

/// Children of a node. 16 ranks of 32 bits are one cache line.
const FANOUT: usize = 16;

/// Nodes of one parallel task when a level is built.
const NODES_PER_TASK: usize = 1024;

/// The tree. Building: work O(n), span O(log n); n/15 ranks of memory. Searching: O(log d), d being the distance.
pub struct MinTree<'a, R: Rank> {
    array: &'a [R],
    order: Ranking<R>,
    /// Minima of groups of [`FANOUT`], then of groups of those, down to a level of one group.
    minima: Vec<R>,
    /// Where each level starts in `minima`; the last entry is its length.
    starts: Vec<usize>,
}

impl<R: Rank> fmt::Debug for MinTree<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MinTree").field("len", &self.array.len()).finish_non_exhaustive()
    }
}

impl<'a, R: Rank> MinTree<'a, R> {
    /// The tree over an array, by an order.
    pub fn build(array: &'a [R], order: Ranking<R>) -> Result<Self> {
        let starts = level_starts(array.len());
        let mut minima = try_filled(starts[starts.len() - 1], R::WORST, "the tree of minima")?;
        let mut rest = &mut minima[..];
        let mut below: &[R] = &[];
        for level in starts.windows(2) {
            let (nodes, above) = rest.split_at_mut(level[1] - level[0]);
            for_each_chunk_mut(nodes, NODES_PER_TASK, &|first, nodes| {
                if level[0] == 0 {
                    reduce(nodes, &array[first * FANOUT..], |group| group.iter().map(|key| key.ranked(order)).min());
                } else {
                    reduce(nodes, &below[first * FANOUT..], |group| group.iter().copied().min());
                }
            });
            (below, rest) = (nodes, above);
        }
        Ok(Self { array, order, minima, starts })
    }

    /// Bytes that a tree over `len` elements takes.
    pub fn bytes(len: usize) -> usize {
        let starts = level_starts(len);
        starts[starts.len() - 1] * size_of::<R>() + starts.capacity() * size_of::<usize>()
    }

    /// The first position at or after `from` whose rank is `wanted`; if one rank is, all better ones must be.
    #[inline]
    pub fn first_from(&self, from: usize, wanted: impl Fn(R) -> bool) -> Option<usize> {
        let (mut height, mut node) = (0, from);
        // Up: to the right of where we are, group by group, each level sixteen times as fast.
        node = loop {
            let len = self.len_at(height);
            let end = len.min((node / FANOUT + 1) * FANOUT);
            match (node..end).find(|&node| wanted(self.rank_at(height, node))) {
                Some(found) => break found,
                None if end == len => return None,
                None => (height, node) = (height + 1, end / FANOUT),
            }
        };
        // Down: the first child that keeps the promise of its parent.
        while height > 0 {
            height -= 1;
            let children = node * FANOUT..self.len_at(height).min((node + 1) * FANOUT);
            node = first_in(children, |child| wanted(self.rank_at(height, child)));
        }
        Some(node)
    }

    /// The last position before `end` whose rank is `wanted`; if one rank is, all better ones must be.
    #[inline]
    pub fn last_before(&self, end: usize, wanted: impl Fn(R) -> bool) -> Option<usize> {
        let (mut height, mut end) = (0, end);
        let mut node = loop {
            let start = end.checked_sub(1)? / FANOUT * FANOUT;
            match (start..end).rev().find(|&node| wanted(self.rank_at(height, node))) {
                Some(found) => break found,
                None if start == 0 => return None,
                None => (height, end) = (height + 1, start / FANOUT),
            }
        };
        while height > 0 {
            height -= 1;
            let children = node * FANOUT..self.len_at(height).min((node + 1) * FANOUT);
            node = first_in(children.rev(), |child| wanted(self.rank_at(height, child)));
        }
        Some(node)
    }

    #[inline]
    fn rank_at(&self, height: usize, node: usize) -> R {
        if height == 0 { self.array[node].ranked(self.order) } else { self.minima[self.starts[height - 1] + node] }
    }

    #[inline]
    fn len_at(&self, height: usize) -> usize {
        if height == 0 { self.array.len() } else { self.starts[height] - self.starts[height - 1] }
    }
}

/// Where the levels above an array of `len` elements start, and the length of them all.
fn level_starts(mut len: usize) -> Vec<usize> {
    let mut starts = vec![0];
    while len > FANOUT {
        len = len.div_ceil(FANOUT);
        starts.push(starts[starts.len() - 1] + len);
    }
    starts
}

/// Writes the minimum of every group of `below` to its node.
fn reduce<R>(nodes: &mut [R], below: &[R], minimum: impl Fn(&[R]) -> Option<R>) {
    for (node, group) in nodes.iter_mut().zip(below.chunks(FANOUT)) {
        *node = minimum(group).expect("a chunk is not empty");
    }
}

#[inline]
fn first_in(mut children: impl Iterator<Item = usize>, wanted: impl Fn(usize) -> bool) -> usize {
    children.find(|&child| wanted(child)).expect("a node's minimum is one of its children's")
}

/// The condition on a neighbour of an element of this rank.
#[inline]
pub fn neighbour_of<R: Rank>(rank: R, strict: bool) -> impl Fn(R) -> bool {
    move |other| other < rank || !strict && other == rank
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_core::Order;
    use thalweg_core::coding::Ranking;

    #[test]
    fn searches_agree_with_scans() {
        for len in [0, 1, 2, 15, 16, 17, 255, 256, 257, 300, 4097] {
            let array: Vec<u16> =
                (0..len as u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 20) as u16 % 1000).collect();
            let tree = MinTree::build(&array, Ranking::of::<u16>(Order::Min)).unwrap();
            for from in (0..=len).step_by(1 + len / 300) {
                for bound in [0, 1, 2, 10, 100, 999, 1000] {
                    let wanted = |rank: u16| rank < bound;
                    assert_eq!(tree.first_from(from, wanted), (from..len).find(|&i| wanted(array[i])));
                    assert_eq!(tree.last_before(from, wanted), (0..from).rev().find(|&i| wanted(array[i])));
                }
            }
        }
    }
}
