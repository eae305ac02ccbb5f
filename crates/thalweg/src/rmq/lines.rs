//! The default engine: minima of cache lines, opened only where they can matter.
//!
//! The array stays where it is. Above it stand three levels of minima with 16 children each, so that the children of
//! a node are one cache line of 32-bit keys, and a sparse table over the top level:
//!
//! ```text
//! table     minimum of 2^k groups from every group on, and in which group it lies
//! groups    minimum of 4,096 elements, and its offset in the group
//! blocks    minimum of   256 elements, and its offset in the block
//! lines     minimum of    16 elements, and its offset in the line
//! array     cut into lines where the memory's own cache lines begin
//! ```
//!
//! A query is answered from the inside out: the groups strictly inside the range by two lookups in the table, then
//! the blocks, the lines and the elements at either end. An end is opened only if *its* minimum, one level up, beats
//! what is already known: on data without structure a wide range is answered by the table alone, from the cache
//! (Kowalski and Grabowski's BbST makes the same test). On sorted data one end is opened all the way: three cache
//! lines.
//!
//! Ties go to the leftmost position: the left end wins ties, the right end loses them.
//!
//! Batches are answered in portions of [`PORTION`] queries and in stages: all tables first, then all lines, then all
//! elements. Each stage appends the queries that the next one has to look at to a list, without a branch, and asks the
//! memory for what the next stage needs. So the misses of many queries overlap, and few branches are mispredicted.
//!
//! Build: O(n) work, O(log n) span. Query: O(1). Extra memory for 32-bit keys: 2.7 bits an element and the table,
//! which is less than 0.3 bits up to 2^30 elements.

use std::borrow::Cow;

use rayon::prelude::*;

use super::CpuEngine;
use crate::error::try_with_capacity;
use crate::key::Rank;
use crate::memory::{Aligned, zeroed};
use crate::simd::{dispatch, prefetch};
use crate::{Key, Order, Position, Result};

/// Children of a node: 16 keys of 32 bits fill a cache line of 64 bytes.
const FAN: usize = 16;
/// Elements in a line, a block, a group.
const LINE: usize = FAN;
const BLOCK: usize = FAN * LINE;
const GROUP: usize = FAN * BLOCK;

/// Queries whose stages are interleaved: enough to keep all of a core's outstanding misses busy, few enough that the
/// prefetched lines survive in the L1 cache until they are used.
const PORTION: usize = 64;

/// The index. See the module's text.
pub(super) struct Lines<'a, K: Key> {
    array: Cow<'a, [K]>,
    order: Order,
    /// Inside the index element `i` has place `i + shift`, so that lines begin where cache lines do.
    shift: usize,
    levels: Levels<K::Rank>,
    table: Table<K::Rank>,
}

/// The three levels of minima, each filled up to whole nodes. Places outside the array count as the worst rank.
struct Levels<R> {
    line: Aligned<R>,
    line_offset: Vec<u8>,
    block: Aligned<R>,
    block_offset: Vec<u8>,
    group: Vec<R>,
    group_offset: Vec<u16>,
}

/// A sparse table over the groups: row k holds, for every group, the best of 2^k groups from it on.
struct Table<R> {
    entries: Vec<Entry<R>>,
    /// Entries in a row: the number of groups.
    width: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry<R> {
    rank: R,
    group: u32,
}

/// The best found so far, and where: a node of some level. The worst rank need not have a node.
#[derive(Clone, Copy)]
struct Best<R> {
    rank: R,
    node: Node,
}

/// `index << 2 | level`. At level 3 the group itself; below, the first entry of the best's rank at or after `index`.
type Node = usize;

#[inline(always)]
fn node(level: usize, index: usize) -> Node {
    index << 2 | level
}

impl<R: Rank> Best<R> {
    const NOTHING: Self = Self { rank: R::WORST, node: 0 };

    /// Takes a candidate from further left: it wins ties.
    #[inline(always)]
    fn from_left(self, rank: R, node: Node) -> Self {
        if rank <= self.rank { Self { rank, node } } else { self }
    }

    /// Takes a candidate from further right: it loses ties.
    #[inline(always)]
    fn from_right(self, rank: R, node: Node) -> Self {
        if rank < self.rank { Self { rank, node } } else { self }
    }
}

impl<'a, K: Key> Lines<'a, K> {
    pub(super) fn new(array: Cow<'a, [K]>, order: Order) -> Result<Self> {
        let shift = (array.as_ptr() as usize % (LINE * size_of::<K>())) / size_of::<K>();
        let groups = if array.is_empty() { 0 } else { (array.len() + shift).div_ceil(GROUP) };
        let mut levels = Levels {
            line: Aligned::zeroed(groups * (GROUP / LINE), "line minima")?,
            line_offset: zeroed(groups * (GROUP / LINE), "line minima")?,
            block: Aligned::zeroed(groups * (GROUP / BLOCK), "block minima")?,
            block_offset: zeroed(groups * (GROUP / BLOCK), "block minima")?,
            group: zeroed(groups, "group minima")?,
            group_offset: zeroed(groups, "group minima")?,
        };
        levels.fill(&array, order, shift);
        let table = Table::new(&levels.group)?;
        Ok(Self { array, order, shift, levels, table })
    }
}

impl<R: Rank> Levels<R> {
    fn fill<K: Key<Rank = R>>(&mut self, array: &[K], order: Order, shift: usize) {
        (
            self.line.par_chunks_mut(GROUP / LINE),
            self.line_offset.par_chunks_mut(GROUP / LINE),
            self.block.par_chunks_mut(GROUP / BLOCK),
            self.block_offset.par_chunks_mut(GROUP / BLOCK),
            &mut self.group,
            &mut self.group_offset,
        )
            .into_par_iter()
            .with_min_len(8)
            .enumerate()
            .for_each(|(g, (line, line_offset, block, block_offset, group, group_offset))| {
                // Only the first and the last group have places outside the array.
                let start = (g * GROUP).saturating_sub(shift);
                let end = ((g + 1) * GROUP - shift).min(array.len());
                let first = start + shift - g * GROUP;
                fill_lines(&array[start..end], order, first, line, line_offset);
                for b in 0..FAN {
                    let offset;
                    (block[b], offset) = leftmost_min(children(line, b * FAN));
                    block_offset[b] = (offset * LINE) as u8 + line_offset[b * FAN + offset];
                }
                let offset;
                (*group, offset) = leftmost_min(children(block, 0));
                *group_offset = (offset * BLOCK) as u16 + u16::from(block_offset[offset]);
            });
    }
}

dispatch! {
    /// Line minima and their offsets for the elements of one group, which begin at place `first` of the group.
    fn fill_lines<K: Key>(
        elements: &[K], order: Order, first: usize, line: &mut [K::Rank], line_offset: &mut [u8],
    ) = fill_lines_body;
}

#[inline(always)]
fn fill_lines_body<K: Key>(elements: &[K], order: Order, first: usize, line: &mut [K::Rank], line_offset: &mut [u8]) {
    let (whole, rest) = if first == 0 { elements.as_chunks::<LINE>() } else { ([].as_slice(), elements) };
    for (elements, (line, offset)) in whole.iter().zip(line.iter_mut().zip(&mut *line_offset)) {
        let ranks = elements.map(|key| key.rank(order));
        let lane;
        (*line, lane) = leftmost_min(&ranks);
        *offset = lane as u8;
    }
    // The first and the last group: element by element.
    let mut place = first + whole.len() * LINE;
    line[place.div_ceil(LINE).min(place / LINE)..].fill(K::Rank::WORST);
    let mut started = usize::MAX;
    for key in rest {
        let (index, rank) = (place / LINE, key.rank(order));
        // The first element of a line counts even if its rank is the worst: the offset must name an element.
        if index != started || rank < line[index] {
            (line[index], line_offset[index]) = (rank, (place % LINE) as u8);
            started = index;
        }
        place += 1;
    }
}

impl<R: Rank> Table<R> {
    fn new(groups: &[R]) -> Result<Self> {
        let width = groups.len();
        let rows = if width == 0 { 0 } else { width.ilog2() as usize + 1 };
        let mut entries: Vec<Entry<R>> = try_with_capacity(rows * width, "table of groups")?;
        entries.par_extend(groups.par_iter().enumerate().map(|(g, &rank)| Entry { rank, group: g as u32 }));
        for k in 1..rows {
            let (last, half) = (&entries[(k - 1) * width..], 1 << (k - 1));
            // Beyond the last whole window the entry is never read; it is filled to keep rows of one width.
            let row: Vec<Entry<R>> =
                (0..width).into_par_iter().map(|g| last[g].min(last[(g + half).min(width - 1)])).collect();
            entries.extend(row);
        }
        Ok(Self { entries, width })
    }

    /// The best of groups `first..=last`.
    #[inline(always)]
    fn best(&self, first: usize, last: usize) -> Entry<R> {
        let row = (last - first + 1).ilog2();
        let start = row as usize * self.width;
        // An entry's group breaks ties to the left.
        self.entries[start + first].min(self.entries[start + last + 1 - (1 << row)])
    }
}

/// The children that lie in one node with entry `index` of a level.
#[inline(always)]
fn children<R>(level: &[R], index: usize) -> &[R; FAN] {
    level[index & !(FAN - 1)..].first_chunk().expect("levels are filled up to whole nodes")
}

/// Minimum of lanes `first..end`, the worst rank if there are none.
#[inline(always)]
fn min_of_lanes<R: Rank>(lanes: &[R; FAN], first: usize, end: usize) -> R {
    let (first, end) = (R::from(first as u8), R::from(end as u8));
    let mut kept = [R::WORST; FAN];
    for i in 0..FAN {
        let lane = R::from(i as u8);
        if lane >= first && lane < end {
            kept[i] = lanes[i];
        }
    }
    horizontal_min(kept)
}

/// First lane from `first` on that holds `rank`; `FAN` if none does.
#[inline(always)]
fn first_lane_with<R: Rank>(lanes: &[R; FAN], first: usize, rank: R) -> usize {
    let first = R::from(first as u8);
    let mut found = [R::from(FAN as u8); FAN];
    for i in 0..FAN {
        let lane = R::from(i as u8);
        if lane >= first && lanes[i] == rank {
            found[i] = lane;
        }
    }
    horizontal_min(found).to_u64() as usize
}

/// The minimum and the first lane that holds it.
#[inline(always)]
fn leftmost_min<R: Rank>(lanes: &[R; FAN]) -> (R, usize) {
    let rank = horizontal_min(*lanes);
    (rank, first_lane_with(lanes, 0, rank))
}

/// By halves, so that the compiler makes vector instructions of it.
#[inline(always)]
fn horizontal_min<R: Rank>(mut lanes: [R; FAN]) -> R {
    let mut width = FAN / 2;
    while width > 0 {
        for i in 0..width {
            lanes[i] = lanes[i].min(lanes[i + width]);
        }
        width /= 2;
    }
    lanes[0]
}

/// The two ends of a range at one level: entries of the level that the range covers entirely, without the two at its
/// ends, split at the borders of the nodes that hold the ends. Where both ends lie in one node, both parts are the same.
struct Ends {
    /// Lanes `0..FAN` of the left end's node.
    left: (usize, usize),
    /// Lanes of the right end's node.
    right: (usize, usize),
}

impl Ends {
    /// `left` and `right` are entries of a level; `inclusive` tells whether they are covered themselves.
    #[inline(always)]
    fn new(left: usize, right: usize, inclusive: bool) -> Self {
        let same = left / FAN == right / FAN;
        let inner = usize::from(!inclusive);
        let (first, end) = (left % FAN + inner, right % FAN + 1 - inner);
        Self { left: (first, if same { end } else { FAN }), right: (if same { first } else { 0 }, end) }
    }
}

impl<K: Key> Lines<'_, K> {
    /// Groups strictly inside the range; whether either end still has to be opened.
    #[inline(always)]
    fn ask_groups(&self, left: usize, right: usize) -> (Best<K::Rank>, bool) {
        let (l, r) = (left / GROUP, right / GROUP);
        if r < l + 2 {
            return (Best::NOTHING, true);
        }
        let Entry { rank, group } = self.table.best(l + 1, r - 1);
        let open = self.levels.group[l] <= rank || self.levels.group[r] < rank;
        (Best { rank, node: node(3, group as usize) }, open)
    }

    /// Entries of a level strictly between two of its entries, as far as they lie in the nodes of those two.
    #[inline(always)]
    fn ask_level(level: &[K::Rank], height: usize, left: usize, right: usize, best: Best<K::Rank>) -> Best<K::Rank> {
        let ends = Ends::new(left, right, false);
        let from_left = min_of_lanes(children(level, left), ends.left.0, ends.left.1);
        let from_right = min_of_lanes(children(level, right), ends.right.0, ends.right.1);
        best.from_left(from_left, node(height, left + 1)).from_right(from_right, node(height, right & !(FAN - 1)))
    }

    /// Blocks and lines at the ends. Only called where at least one end has to be opened.
    #[inline(always)]
    fn ask_blocks_and_lines(&self, left: usize, right: usize, mut best: Best<K::Rank>) -> (Best<K::Rank>, bool) {
        let (l, r) = (left / BLOCK, right / BLOCK);
        let levels = &self.levels;
        let mut open = true;
        if r >= l + 2 {
            best = Self::ask_level(&levels.block, 2, l, r, best);
            open = levels.block[l] <= best.rank || levels.block[r] < best.rank;
        }
        if open {
            let (l, r) = (left / LINE, right / LINE);
            best = Self::ask_level(&levels.line, 1, l, r, best);
            open = levels.line[l] <= best.rank || levels.line[r] < best.rank;
        }
        (best, open)
    }

    /// Elements at the ends.
    #[inline(always)]
    fn ask_elements(&self, left: usize, right: usize, best: Best<K::Rank>) -> Best<K::Rank> {
        let ends = Ends::new(left, right, true);
        let best = best.from_left(self.min_of_elements(left, ends.left), node(0, left));
        best.from_right(self.min_of_elements(right, ends.right), node(0, right & !(LINE - 1)))
    }

    /// The ranks of the line that holds `place`, if all of it lies in the array.
    #[inline(always)]
    fn line_of(&self, place: usize) -> Option<[K::Rank; LINE]> {
        let start = (place & !(LINE - 1)).checked_sub(self.shift)?;
        let elements = self.array.get(start..)?.first_chunk::<LINE>()?;
        Some(elements.map(|key| key.rank(self.order)))
    }

    #[inline(always)]
    fn min_of_elements(&self, place: usize, (first, end): (usize, usize)) -> K::Rank {
        match self.line_of(place) {
            Some(ranks) => min_of_lanes(&ranks, first, end),
            None => {
                let start = place & !(LINE - 1);
                (start + first..start + end).map(|i| self.rank_at(i)).min().unwrap_or(K::Rank::WORST)
            }
        }
    }

    #[inline(always)]
    fn rank_at(&self, place: usize) -> K::Rank {
        self.array[place - self.shift].rank(self.order)
    }

    /// The position in the array that a node stands for.
    #[inline(always)]
    fn position(&self, best: Best<K::Rank>) -> usize {
        let (level, index) = (best.node & 3, best.node >> 2);
        let levels = &self.levels;
        let lane = |entries: &[K::Rank]| {
            (index & !(FAN - 1)) + first_lane_with(children(entries, index), index % FAN, best.rank)
        };
        let place = match level {
            3 => index * GROUP + usize::from(levels.group_offset[index]),
            2 => {
                let block = lane(&levels.block);
                block * BLOCK + usize::from(levels.block_offset[block])
            }
            1 => {
                let line = lane(&levels.line);
                line * LINE + usize::from(levels.line_offset[line])
            }
            _ => match self.line_of(index) {
                Some(ranks) => (index & !(LINE - 1)) + first_lane_with(&ranks, index % LINE, best.rank),
                None => (index..).find(|&i| self.rank_at(i) == best.rank).expect("the rank was found here"),
            },
        };
        place - self.shift
    }

    /// One query, by places.
    #[inline(always)]
    fn ask(&self, left: usize, right: usize) -> Best<K::Rank> {
        let (mut best, mut open) = self.ask_groups(left, right);
        if open {
            (best, open) = self.ask_blocks_and_lines(left, right, best);
            if open {
                best = self.ask_elements(left, right, best);
            }
        }
        best
    }

    /// A chunk of a batch, in stages.
    #[inline(always)]
    fn answer<P: Position>(&self, queries: &[[P; 2]], mut sink: impl Sink<K>) -> Option<()> {
        let len = self.array.len();
        let mut list = [0usize; PORTION];
        let mut bests = [Best::NOTHING; PORTION];
        for (portion, queries) in queries.chunks(PORTION).enumerate() {
            let base = portion * PORTION;
            let place = |i: usize| (queries[i][0].get() + self.shift, queries[i][1].get() + self.shift);
            if queries.iter().any(|&[l, r]| l > r || r.get() >= len) {
                return None;
            }
            let mut listed = 0;
            for i in 0..queries.len() {
                let (l, r) = place(i);
                let (best, open) = self.ask_groups(l, r);
                if !open {
                    sink.put(base + i, best.rank, || self.position(best));
                }
                bests[i] = best;
                list[listed] = i;
                listed += usize::from(open);
            }
            for &i in &list[..listed] {
                let (l, r) = place(i);
                prefetch(&self.levels.line, l / LINE);
                prefetch(&self.levels.line, r / LINE);
                prefetch(&self.levels.line_offset, l / LINE);
            }
            let mut still = 0;
            for k in 0..listed {
                let i = list[k];
                let (l, r) = place(i);
                let (best, open) = self.ask_blocks_and_lines(l, r, bests[i]);
                bests[i] = best;
                if open {
                    prefetch(&self.array, l - self.shift);
                    prefetch(&self.array, r - self.shift);
                } else {
                    sink.put(base + i, best.rank, || self.position(best));
                }
                list[still] = i;
                still += usize::from(open);
            }
            for &i in &list[..still] {
                let (l, r) = place(i);
                let best = self.ask_elements(l, r, bests[i]);
                sink.put(base + i, best.rank, || self.position(best));
            }
        }
        Some(())
    }

    #[inline(always)]
    fn argmin_body<P: Position>(&self, queries: &[[P; 2]], out: &mut [P]) -> Option<()> {
        self.answer(queries, PositionSink(out))
    }

    #[inline(always)]
    fn min_body<P: Position>(&self, queries: &[[P; 2]], out: &mut [K]) -> Option<()> {
        self.answer(queries, ValueSink { out, array: &self.array, order: self.order })
    }

    #[inline(always)]
    fn single_body(&self, left: usize, right: usize) -> usize {
        self.position(self.ask(left + self.shift, right + self.shift))
    }
}

dispatch! { fn argmin_chunk<K: Key, P: Position>(index: &Lines<'_, K>, queries: &[[P; 2]], out: &mut [P]) -> Option<()> = Lines::argmin_body; }
dispatch! { fn min_chunk<K: Key, P: Position>(index: &Lines<'_, K>, queries: &[[P; 2]], out: &mut [K]) -> Option<()> = Lines::min_body; }
dispatch! { fn single<K: Key>(index: &Lines<'_, K>, left: usize, right: usize) -> usize = Lines::single_body; }

impl<K: Key> CpuEngine<K> for Lines<'_, K> {
    const NAME: &'static str = "lines";

    fn array(&self) -> &[K] {
        &self.array
    }

    fn extra_bytes(&self) -> usize {
        let levels = &self.levels;
        levels.line.bytes()
            + levels.line_offset.capacity()
            + levels.block.bytes()
            + levels.block_offset.capacity()
            + size_of_val(&levels.group[..])
            + size_of_val(&levels.group_offset[..])
            + self.table.entries.capacity() * size_of::<Entry<K::Rank>>()
    }

    fn argmin(&self, left: usize, right: usize) -> usize {
        single(self, left, right)
    }

    fn argmin_chunk<P: Position>(&self, queries: &[[P; 2]], out: &mut [P]) -> Option<()> {
        argmin_chunk(self, queries, out)
    }

    fn min_chunk<P: Position>(&self, queries: &[[P; 2]], out: &mut [K]) -> Option<()> {
        min_chunk(self, queries, out)
    }
}

/// A batch's output: positions or values.
trait Sink<K: Key> {
    /// Stores the answer to query `i`; the position is computed only where it is needed.
    fn put(&mut self, i: usize, rank: K::Rank, position: impl FnOnce() -> usize);
}

struct PositionSink<'o, P>(&'o mut [P]);

impl<K: Key, P: Position> Sink<K> for PositionSink<'_, P> {
    #[inline(always)]
    fn put(&mut self, i: usize, _: K::Rank, position: impl FnOnce() -> usize) {
        self.0[i] = P::new(position());
    }
}

struct ValueSink<'o, K> {
    out: &'o mut [K],
    array: &'o [K],
    order: Order,
}

impl<K: Key> Sink<K> for ValueSink<'_, K> {
    #[inline(always)]
    fn put(&mut self, i: usize, rank: K::Rank, position: impl FnOnce() -> usize) {
        // A rank that several bit patterns share (zeros, NaNs) is looked up; any other is the value itself.
        self.out[i] = K::from_rank(rank, self.order).unwrap_or_else(|| self.array[position()]);
    }
}
