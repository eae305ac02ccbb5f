//! `chains`: sorted by x, chains of blocks, joined by tangents.
//!
//! Andrew's monotone chains ("Another efficient algorithm for convex hulls in two dimensions", 1979), in parallel: a radix
//! sort by x; a task makes the lower and the upper chain of a block of columns, with a stack each; and two neighbouring
//! chains are joined by their common tangent (`tangent.rs`), pairs of blocks at the same time, then pairs of pairs. What lies
//! under a tangent is cut off, and nothing is moved: a joined chain is a list of pieces of the blocks' chains.
//!
//! Work O(n) after the sort, O(log^2 n) for each of a few hundred tangents. Extra memory: 12 bytes a point to sort 32 or 64
//! bits, 24 for every point of the chains.

pub(super) mod tangent;

use std::cmp::Ordering;

use thalweg_core::memory::computed;
use thalweg_core::parallel::chunk_range;
use thalweg_core::{Position, Positions, Result};

use self::tangent::Chain;
use super::answer::{Pieces, around, drop_first, drop_last};
use super::columns::{Side, Site, by_x, for_each_column, in_width, inner_points_of_ends};
use crate::number::Number;

/// Points of a block at least, and blocks at most.
const BLOCK: usize = 1 << 13;
const BLOCKS: usize = 256;

/// The hull of points, all of them finite.
pub(super) fn hull<N: Number>(points: &[[N; 2]], boundary: bool) -> Result<Positions> {
    let order = by_x(points)?;
    let blocks = of_blocks(points, &order, boundary)?;
    let (lower, upper) =
        rayon::join(|| joined(&blocks, Side::Lower, boundary), || joined(&blocks, Side::Upper, boundary));
    let inner_points = if boundary { inner_points_of_ends(points, &order)? } else { [Vec::new(), Vec::new()] };
    around(lower.pieces, upper.pieces, &inner_points, points.len())
}

/// The lower and the upper chain of points, all of them finite, from left to right, corners alone. Not closed: where several
/// points are leftmost or rightmost, the lower chain ends in the lowest of them and the upper chain in the highest.
pub(super) fn lower_and_upper<N: Number>(points: &[[N; 2]]) -> Result<[Vec<[N; 2]>; 2]> {
    let blocks = of_blocks(points, &by_x(points)?, false)?;
    Ok([Side::Lower, Side::Upper].map(|side| {
        let chain = joined(&blocks, side, false);
        chain.pieces.iter().flat_map(|piece| piece.iter()).map(|site| site.point).collect()
    }))
}

/// The chains of a block.
struct Block<N> {
    lower: Vec<Site<N>>,
    upper: Vec<Site<N>>,
}

fn of_blocks<N: Number>(points: &[[N; 2]], order: &Positions, boundary: bool) -> Result<Vec<Block<N>>> {
    let len = points.len();
    let block = len.div_ceil(BLOCKS).max(BLOCK);
    in_width!(order, order => computed(len.div_ceil(block), 1, "chains", |i| {
        let order = &order[chunk_range(i, block, len)];
        if boundary { of_block::<N, _, true>(points, order) } else { of_block::<N, _, false>(points, order) }
    }))
}

fn of_block<N: Number, P: Position, const BOUNDARY: bool>(points: &[[N; 2]], order: &[P]) -> Block<N> {
    let mut block = Block { lower: Vec::new(), upper: Vec::new() };
    for_each_column(points, order, |lowest, highest| {
        push::<N, BOUNDARY>(&mut block.lower, Side::Lower, lowest);
        push::<N, BOUNDARY>(&mut block.upper, Side::Upper, highest);
    });
    block
}

/// Adds a point to the right of a chain, and drops those that it hides.
#[inline(always)]
fn push<N: Number, const BOUNDARY: bool>(chain: &mut Vec<Site<N>>, side: Side, site: Site<N>) {
    while let [.., before, last] = chain[..] {
        match side.turn(before.point, last.point, site.point) {
            Ordering::Greater => break,
            Ordering::Equal if BOUNDARY => break,
            _ => _ = chain.pop(),
        }
    }
    chain.push(site);
}

/// A chain in pieces.
struct Rope<'a, N> {
    pieces: Pieces<'a, N>,
    /// How many points there are up to the end of each piece.
    ends: Vec<usize>,
}

impl<'a, N> Rope<'a, N> {
    fn new(pieces: Pieces<'a, N>) -> Self {
        let count = |end: &mut usize, piece: &&[Site<N>]| {
            *end += piece.len();
            Some(*end)
        };
        let ends = pieces.iter().scan(0, count).collect();
        Self { pieces, ends }
    }

    /// The piece that holds a point, and its place there.
    fn place(&self, i: usize) -> (usize, usize) {
        let piece = self.ends.partition_point(|&end| end <= i);
        (piece, i + self.pieces[piece].len() - self.ends[piece])
    }
}

impl<N: Copy> Chain<N> for Rope<'_, N> {
    fn len(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    fn point(&self, i: usize) -> [N; 2] {
        let (piece, place) = self.place(i);
        self.pieces[piece][place].point
    }
}

/// One chain of the chains of all blocks.
fn joined<N: Number>(blocks: &[Block<N>], side: Side, boundary: bool) -> Rope<'_, N> {
    match blocks {
        [] => Rope::new(Vec::new()),
        [block] => Rope::new(match side {
            Side::Lower => vec![&block.lower],
            Side::Upper => vec![&block.upper],
        }),
        _ => {
            let (left, right) = blocks.split_at(blocks.len() / 2);
            let (left, right) = rayon::join(|| joined(left, side, boundary), || joined(right, side, boundary));
            join(left, right, side, boundary)
        }
    }
}

/// Two neighbours, neither of which is empty, as one chain.
fn join<'a, N: Number>(left: Rope<'a, N>, right: Rope<'a, N>, side: Side, boundary: bool) -> Rope<'a, N> {
    let (last, first) = (left.point(left.len() - 1), right.point(0));
    let (mut left, mut right) = (left, right);
    if last[0] == first[0] {
        // A column in two blocks: one point of it counts, the left one if they are equal, for its position is lower. What
        // the other hid, this one hides.
        if side.is_outside(first[1], last[1]) {
            drop_last(&mut left.pieces);
            left = Rope::new(left.pieces);
        } else {
            drop_first(&mut right.pieces);
            right = Rope::new(right.pieces);
        }
    }
    if left.pieces.is_empty() {
        return right;
    }
    if right.pieces.is_empty() {
        return left;
    }
    let (i, j) = tangent::common(&left, &right, side, boundary);
    let (piece, place) = left.place(i);
    left.pieces.truncate(piece + 1);
    left.pieces[piece] = &left.pieces[piece][..=place];
    let (piece, place) = right.place(j);
    left.pieces.push(&right.pieces[piece][place..]);
    left.pieces.extend(&right.pieces[piece + 1..]);
    Rope::new(left.pieces)
}
