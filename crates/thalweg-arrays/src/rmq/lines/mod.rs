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
//! (Kowalski and Grabowski's BbST makes the same test). On data with trends one end is opened all the way: three cache
//! lines.
//!
//! On sorted data that would be every query. But a group whose elements are all in order ([`Shape`]) need not be
//! opened: the range's own first element, or its last, is the best of its part of the range. One comparison of that
//! element with what is known of the others ends the query; within one group there is nothing to compare.
//!
//! Ties go to the leftmost position: the left end wins ties, the right end loses them.
//!
//! Batches are answered in portions of [`PORTION`] queries and in stages: all tables first, then all blocks, all lines,
//! all elements. A stage has no branch that depends on the data: it appends the queries that a later one has to look at
//! to its list, and that one asks the memory for everything it needs before it begins. So the misses of many queries
//! overlap, and hardly a branch is mispredicted.
//!
//! Build: O(n) work, O(log n) span. Query: O(1). Extra memory for 32-bit keys: 2.7 bits an element and the table,
//! which is less than 0.3 bits up to 2^30 elements.

#![allow(unsafe_code)]

use rayon::prelude::*;

use super::batch::CpuEngine;
#[cfg(feature = "file")]
use super::file::contents::{Contents, Sections};
use super::stages::{List, PORTION, Ticket};
use thalweg_core::bits::{Bits, BitsMut};
use thalweg_core::coding::Ranking;
use thalweg_core::dispatch;
use thalweg_core::error::try_with_capacity;
use thalweg_core::memory::Aligned;
use thalweg_core::simd::prefetch;
use thalweg_core::storage::{AnyBits, Storage};
use thalweg_core::{Pairs, Position, PositionsMut, Rank, Result};

/// Children of a node: 16 keys of 32 bits fill a cache line of 64 bytes.
const FAN: usize = 16;
/// Elements in a line, a block, a group.
const LINE: usize = FAN;
const BLOCK: usize = FAN * LINE;
const GROUP: usize = FAN * BLOCK;

/// One in so many groups must be monotone before queries ask for the shapes at all. On 2^24 random numbers asking in
/// vain takes a batch 1 ns of 17 on medium ranges and 2 ns of 51 on short ones; an answer saves 70 ns or more.
const MONOTONE_SHARE: usize = 16;

/// The index. See the module's text.
pub(super) struct Lines<'a, R: Rank> {
    array: Storage<'a, R>,
    order: Ranking<R>,
    /// Inside the index element `i` has place `i + shift`, so that lines begin where cache lines do.
    shift: usize,
    levels: Levels<'a, R>,
    table: Table<'a, R>,
    /// Whether enough groups are monotone to ask for their shapes: see [`MONOTONE_SHARE`].
    ask_shapes: bool,
}

/// The three levels of minima, each filled up to whole nodes. Places outside the array count as the worst rank.
struct Levels<'a, R> {
    line: Storage<'a, R>,
    line_offset: Storage<'a, u8>,
    block: Storage<'a, R>,
    block_offset: Storage<'a, u8>,
    group: Storage<'a, R>,
    group_offset: Storage<'a, u16>,
    shape: Storage<'a, Shape>,
}

/// Whether the ranks of a whole group are in order.
type Shape = u8;
const MIXED: Shape = 0;
/// No rank is below the one before it: whichever part of the group is asked for, its first element is the answer.
const ASCENDING: Shape = 1;
/// Every rank is below the one before it: the last element is the answer.
const DESCENDING: Shape = 2;

/// A sparse table over the groups: row k holds, for every group, the best of 2^k groups from it on.
pub(super) struct Table<'a, R> {
    pub(super) entries: Storage<'a, Entry<R>>,
    /// Entries in a row: the number of groups.
    pub(super) width: usize,
}

/// Files hold it as it lies in memory, with zeros between and behind the fields.
#[repr(C)]
#[derive(Clone, Copy, Default)]
pub(super) struct Entry<R> {
    pub(super) rank: R,
    pub(super) group: u32,
}

// SAFETY: both are integers.
unsafe impl<R: Rank> AnyBits for Entry<R> {}

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

impl<R: Rank> Entry<R> {
    /// The better of two windows, of which `self` begins further left: it wins ties.
    #[inline(always)]
    pub(super) fn or_right(self, right: Self) -> Self {
        if right.rank < self.rank { right } else { self }
    }
}

impl<R: Rank> Best<R> {
    const NOTHING: Self = Self { rank: R::WORST, node: 0 };

    /// Takes a candidate from further left: it wins ties.
    #[inline(always)]
    fn or_left(self, rank: R, node: Node) -> Self {
        if rank <= self.rank { Self { rank, node } } else { self }
    }

    /// Takes a candidate from further right: it loses ties.
    #[inline(always)]
    fn or_right(self, rank: R, node: Node) -> Self {
        if rank < self.rank { Self { rank, node } } else { self }
    }
}

impl<'a, R: Rank> Lines<'a, R> {
    pub(super) fn new(array: Storage<'a, R>, order: Ranking<R>) -> Result<Self> {
        let shift = (array.as_ptr() as usize % (LINE * size_of::<R>())) / size_of::<R>();
        let groups = groups(array.len(), shift);
        let levels = Levels::new(&array, order, shift, groups)?;
        let entries = levels.group.par_iter().enumerate().map(|(g, &rank)| Entry { rank, group: g as u32 });
        let table = Table::new(entries)?;
        let monotone = levels.shape.par_iter().filter(|&&shape| shape != MIXED).count();
        Ok(Self { array, order, shift, levels, table, ask_shapes: monotone * MONOTONE_SHARE > groups })
    }
}

#[cfg(feature = "file")]
impl<R: Rank> Lines<'static, R> {
    /// The index from a file.
    pub(super) fn load(from: &mut Sections<'_>, order: Ranking<R>) -> Result<Self> {
        let shift = from.option("shift", 0..=LINE - 1)?;
        let ask_shapes = from.option("ask_shapes", 0..=1)? == 1;
        let groups = groups(from.len(), shift);
        let levels = Levels {
            line: from.part("line", groups * (GROUP / LINE))?,
            line_offset: from.part("line_offset", groups * (GROUP / LINE))?,
            block: from.part("block", groups * (GROUP / BLOCK))?,
            block_offset: from.part("block_offset", groups * (GROUP / BLOCK))?,
            group: from.part("group", groups)?,
            group_offset: from.part("group_offset", groups)?,
            shape: from.part("shape", groups)?,
        };
        let table = Table::load(from, groups)?;
        Ok(Self { array: from.array()?, order, shift, levels, table, ask_shapes })
    }
}

/// The number of groups of an array.
fn groups(len: usize, shift: usize) -> usize {
    if len == 0 { 0 } else { len.saturating_add(shift).div_ceil(GROUP) }
}

/// The number of rows of a table over so many groups.
fn rows(groups: usize) -> usize {
    if groups == 0 { 0 } else { groups.ilog2() as usize + 1 }
}

impl<R: Rank> Levels<'_, R> {
    fn new(array: &[R], order: Ranking<R>, shift: usize, groups: usize) -> Result<Self> {
        let mut line = Aligned::zeroed(groups * (GROUP / LINE), "line minima")?;
        let mut line_offset = Aligned::zeroed(groups * (GROUP / LINE), "line minima")?;
        let mut block = Aligned::zeroed(groups * (GROUP / BLOCK), "block minima")?;
        let mut block_offset = Aligned::zeroed(groups * (GROUP / BLOCK), "block minima")?;
        let mut group = Aligned::zeroed(groups, "group minima")?;
        let mut group_offset = Aligned::zeroed(groups, "group minima")?;
        let mut shape = Aligned::zeroed(groups, "shapes of groups")?;
        (
            line.par_chunks_mut(GROUP / LINE),
            line_offset.par_chunks_mut(GROUP / LINE),
            block.par_chunks_mut(GROUP / BLOCK),
            block_offset.par_chunks_mut(GROUP / BLOCK),
            group.par_iter_mut(),
            group_offset.par_iter_mut(),
            shape.par_iter_mut(),
        )
            .into_par_iter()
            .with_min_len(8)
            .enumerate()
            .for_each(|(g, (line, line_offset, block, block_offset, group, group_offset, shape))| {
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
                *shape = shape_of(&array[start..end], order, usize::from(*group_offset) - first);
            });
        Ok(Self {
            line: line.into(),
            line_offset: line_offset.into(),
            block: block.into(),
            block_offset: block_offset.into(),
            group: group.into(),
            group_offset: group_offset.into(),
            shape: shape.into(),
        })
    }
}

dispatch! {
    /// Line minima and their offsets for the elements of one group, which begin at place `first` of the group.
    fn fill_lines<R: Rank>(
        elements: &[R], order: Ranking<R>, first: usize, line: &mut [R], line_offset: &mut [u8],
    ) = fill_lines_body;
}

#[inline(always)]
fn fill_lines_body<R: Rank>(elements: &[R], order: Ranking<R>, first: usize, line: &mut [R], line_offset: &mut [u8]) {
    let (whole, rest) = if first == 0 { elements.as_chunks::<LINE>() } else { ([].as_slice(), elements) };
    for (elements, (line, offset)) in whole.iter().zip(line.iter_mut().zip(&mut *line_offset)) {
        let mut ranks = [R::WORST; LINE];
        R::rank_all(elements, order, &mut ranks);
        let lane;
        (*line, lane) = leftmost_min(&ranks);
        *offset = lane as u8;
    }
    // The first and the last group: element by element.
    let start = first + whole.len() * LINE;
    line[start / LINE..].fill(R::WORST);
    let mut started = usize::MAX;
    for (place, key) in (start..).zip(rest) {
        let (index, rank) = (place / LINE, key.ranked(order));
        // The first element of a line counts even if its rank is the worst: the offset must name an element.
        if index != started || rank < line[index] {
            (line[index], line_offset[index]) = (rank, (place % LINE) as u8);
            started = index;
        }
    }
}

dispatch! {
    /// The shape of a group whose leftmost minimum is element `best`.
    fn shape_of<R: Rank>(elements: &[R], order: Ranking<R>, best: usize) -> Shape = shape_of_body;
}

#[inline(always)]
fn shape_of_body<R: Rank>(elements: &[R], order: Ranking<R>, best: usize) -> Shape {
    // The minimum's place rules out nearly all groups that are not in order.
    if best == 0 && all_pairs(elements, |a, b| a.ranked(order) <= b.ranked(order)) {
        ASCENDING
    } else if best == elements.len() - 1 && all_pairs(elements, |a, b| a.ranked(order) > b.ranked(order)) {
        DESCENDING
    } else {
        MIXED
    }
}

/// Whether all neighbours are in a relation. Without an early exit, so that it becomes vector instructions.
#[inline(always)]
fn all_pairs<R: Rank>(elements: &[R], related: impl Fn(R, R) -> bool) -> bool {
    elements.iter().zip(&elements[1..]).fold(true, |all, (&a, &b)| all & related(a, b))
}

impl<R: Rank> Table<'_, R> {
    /// The table over groups that are given by their own entries, the first row.
    pub(super) fn new(groups: impl IndexedParallelIterator<Item = Entry<R>>) -> Result<Self> {
        let width = groups.len();
        let rows = rows(width);
        let mut entries: Vec<Entry<R>> = try_with_capacity(rows * width, "table of groups")?;
        entries.par_extend(groups);
        for k in 1..rows {
            let (last, half) = (&entries[(k - 1) * width..], 1 << (k - 1));
            // Beyond the last whole window the entry is never read; it is filled to keep rows of one width.
            let row: Vec<Entry<R>> =
                (0..width).into_par_iter().map(|g| last[g].or_right(last[(g + half).min(width - 1)])).collect();
            entries.extend(row);
        }
        Ok(Self { entries: entries.into(), width })
    }

    /// The entries as they lie in a file, in section `table`.
    #[cfg(feature = "file")]
    pub(super) fn to_bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = try_with_capacity(size_of_val(&self.entries[..]), "the table's bytes")?;
        for (i, entry) in self.entries.iter().enumerate() {
            bytes.extend_from_slice(&entry.rank.to_u64().to_le_bytes()[..size_of::<R>()]);
            bytes.resize(i * size_of::<Entry<R>>() + std::mem::offset_of!(Entry<R>, group), 0);
            bytes.extend_from_slice(&entry.group.to_le_bytes());
            bytes.resize((i + 1) * size_of::<Entry<R>>(), 0);
        }
        Ok(bytes)
    }
}

#[cfg(feature = "file")]
impl<R: Rank> Table<'static, R> {
    /// The table over so many groups, from a file. Its groups may be any numbers.
    pub(super) fn load(from: &mut Sections<'_>, groups: usize) -> Result<Self> {
        Ok(Self { entries: from.part("table", rows(groups) * groups)?, width: groups })
    }
}

/// The children that lie in one node with entry `index` of a level.
#[inline(always)]
fn children<R>(level: &[R], index: usize) -> &[R; FAN] {
    let start = index / FAN * FAN;
    debug_assert!(start + FAN <= level.len());
    // SAFETY: levels are filled up to whole nodes (`Lines::new`, `Lines::load`), and every index comes from a place inside the array
    // (`View::answer` and the front door check all ranges first) or from an entry of a higher level.
    unsafe { &*level.as_ptr().add(start).cast() }
}

/// Element `index` of a level, its offsets or the table.
#[inline(always)]
fn at<T: Copy>(slice: &[T], index: usize) -> T {
    debug_assert!(index < slice.len());
    // SAFETY: as for `children`, but for groups named by the table, which `View::position` compares with their number; the table has a row for every power of two up to the number of groups, and positions
    // in the array are a range's ends.
    unsafe { *slice.get_unchecked(index) }
}

/// Minimum of lanes `first..end`, the worst rank if there are none.
#[inline(always)]
fn min_of_lanes<R: Rank>(lanes: &[R; FAN], first: usize, end: usize) -> R {
    let before: &[R; FAN] = R::MASK[FAN - first..].first_chunk().expect("first <= FAN");
    let behind: &[R; FAN] = R::MASK[2 * FAN - end..].first_chunk().expect("end <= FAN");
    let mut kept = *lanes;
    for i in 0..FAN {
        kept[i] = kept[i] | before[i] | behind[i];
    }
    horizontal_min(kept)
}

/// First lane from `first` on that holds `rank`; `FAN` or more if none does.
#[inline(always)]
fn first_lane_with<R: Rank>(lanes: &[R; FAN], first: usize, rank: R) -> usize {
    let before: &[R; FAN] = R::MASK[FAN - first..].first_chunk().expect("first <= FAN");
    let mut found = R::LANES;
    for i in 0..FAN {
        found[i] = (if lanes[i] == rank { found[i] } else { R::WORST }) | before[i];
    }
    horizontal_min(found).to_u64() as usize
}

/// First entry from `index` on in its node that holds `rank`; there is one.
#[inline(always)]
fn first_entry_with<R: Rank>(lanes: &[R; FAN], index: usize, rank: R) -> usize {
    index / FAN * FAN + first_lane_with(lanes, index % FAN, rank) % FAN
}

/// The minimum and the first lane that holds it.
#[inline(always)]
fn leftmost_min<R: Rank>(lanes: &[R; FAN]) -> (R, usize) {
    let rank = horizontal_min(*lanes);
    (rank, first_lane_with(lanes, 0, rank))
}

/// One after the other: compilers know this form of a reduction, and make vector instructions of it.
#[inline(always)]
fn horizontal_min<R: Rank>(lanes: [R; FAN]) -> R {
    lanes.into_iter().fold(R::WORST, R::min)
}

/// A query on its way through the stages, by places.
#[derive(Clone, Copy)]
struct Item<R> {
    left: usize,
    right: usize,
    best: Best<R>,
    /// Whether the left end may still hold something as good; whether the right end may hold something better.
    open: (bool, bool),
    /// Whether something as good matters: see [`Sink::ties`].
    ties: bool,
}

impl<R: Rank> Item<R> {
    /// The entries whose nodes [`Item::look`] wants to see, at a level of entries of `size` elements. A closed end is not
    /// touched: the other end's node stands in for it.
    #[inline(always)]
    fn ends(&self, size: usize) -> [usize; 2] {
        let (left, right) = (self.left / size, self.right / size);
        [if self.open.0 { left } else { right }, if self.open.1 { right } else { left }]
    }

    /// Looks at the entries of a level strictly between those of the two ends (with the ends themselves at level 0), as
    /// far as they lie in the ends' own nodes; what lies between those nodes has been looked at one level up.
    ///
    /// No lane of a closed end is selected. Where both ends lie in one node, both sides look at the same lanes.
    #[inline(always)]
    fn look(&mut self, level: usize, size: usize, nodes: [&[R; FAN]; 2]) {
        let (left, right) = (self.left / size, self.right / size);
        let same = left / FAN == right / FAN;
        let inner = usize::from(level > 0);
        let (first, end) = (left % FAN + inner, right % FAN + 1 - inner);
        let left_end = if same { end } else { FAN };
        let right_first = if same { first } else { 0 };
        let from_left = min_of_lanes(nodes[0], if self.open.0 { first } else { FAN }, left_end);
        let from_right = min_of_lanes(nodes[1], right_first, if self.open.1 { end } else { 0 });
        self.best = self
            .best
            .or_left(from_left, node(level, left + inner))
            .or_right(from_right, node(level, right / FAN * FAN + right_first));
    }

    /// Closes the ends whose own minima, `left` and `right`, cannot matter any more. What stands for a closed end is of
    /// no importance.
    #[inline(always)]
    fn narrow(&mut self, left: R, right: R) {
        self.open.0 &= (left < self.best.rank) | (self.ties & (left == self.best.rank));
        self.open.1 &= right < self.best.rank;
    }

    #[inline(always)]
    fn is_open(&self) -> bool {
        self.open.0 | self.open.1
    }
}

/// The index as the query loops see it: bare slices, so that nothing is looked up twice.
struct View<'v, R: Rank> {
    array: &'v [R],
    order: Ranking<R>,
    shift: usize,
    /// From positions below this one on, a whole line can be read.
    whole: usize,
    line: &'v [R],
    line_offset: &'v [u8],
    block: &'v [R],
    block_offset: &'v [u8],
    group: &'v [R],
    group_offset: &'v [u16],
    shape: &'v [Shape],
    ask_shapes: bool,
    table: &'v [Entry<R>],
    width: usize,
}

impl<R: Rank> Lines<'_, R> {
    #[inline(always)]
    fn view(&self) -> View<'_, R> {
        View {
            array: &self.array,
            order: self.order,
            shift: self.shift,
            whole: (self.array.len() + 1).saturating_sub(LINE),
            line: &self.levels.line,
            line_offset: &self.levels.line_offset,
            block: &self.levels.block,
            block_offset: &self.levels.block_offset,
            group: &self.levels.group,
            group_offset: &self.levels.group_offset,
            shape: &self.levels.shape,
            ask_shapes: self.ask_shapes,
            table: &self.table.entries,
            width: self.table.width,
        }
    }
}

impl<R: Rank> View<'_, R> {
    /// Where in the table the groups strictly inside a range are to be looked up.
    #[inline(always)]
    fn lookup(&self, left: usize, right: usize) -> Lookup {
        // A bad query may overflow here; it is refused before the lookup is used.
        let (left, right) = (left.wrapping_add(self.shift) / GROUP, right.wrapping_add(self.shift) / GROUP);
        let wide = right > left + 1;
        // Without a group inside, any entry will do: it is thrown away.
        let first = if wide { left + 1 } else { 0 };
        let count = if wide { right - left - 1 } else { 1 };
        let row = usize::BITS - 1 - count.leading_zeros();
        let begin = row as usize * self.width + first;
        Lookup { left, right, begin, end: begin + count - (1 << row) }
    }

    /// Looks at those groups. Tells which ends have to be opened.
    #[inline(always)]
    fn look_at_groups(&self, lookup: Lookup, ties: bool) -> (Best<R>, (bool, bool)) {
        let entry = at(self.table, lookup.begin).or_right(at(self.table, lookup.end));
        let wide = lookup.right > lookup.left + 1;
        let rank = if wide { entry.rank } else { R::WORST };
        let best = Best { rank, node: node(3, entry.group as usize) };
        let (left, right) = (at(self.group, lookup.left), at(self.group, lookup.right));
        (best, (!wide | (left < rank) | (ties & (left == rank)), !wide | (right < rank)))
    }

    /// Whether the range's first element is the best of its group's part of the range, whether the last one is, as far
    /// as the shapes of the groups tell; not both, and only for open ends.
    #[inline(always)]
    fn best_ends(&self, lookup: Lookup, open: (bool, bool)) -> (bool, bool) {
        let first = open.0 & (at(self.shape, lookup.left) == ASCENDING);
        let last = open.1 & (at(self.shape, lookup.right) == DESCENDING);
        (first, last & !first)
    }

    /// Whether the element at one end of a range over several groups, the best of its own group's part of it (the
    /// range's `first` element or its last), is the best of all. `false` may mean that the other end has to be opened
    /// to find out.
    #[inline(always)]
    fn is_best(&self, first: bool, position: usize, lookup: Lookup, best: R, open: (bool, bool)) -> bool {
        let (other, other_open) = if first { (lookup.right, open.1) } else { (lookup.left, open.0) };
        let rival = if other_open { best.min(at(self.group, other)) } else { best };
        let rank = at(self.array, position).ranked(self.order);
        (rank < rival) | ((rank == rival) & first)
    }

    /// Whether there are whole blocks inside the range that the groups do not account for.
    #[inline(always)]
    fn has_blocks(item: &Item<R>) -> bool {
        item.right / BLOCK > item.left / BLOCK + 1
    }

    #[inline(always)]
    fn look_at_blocks(&self, item: &mut Item<R>) {
        let [left, right] = item.ends(BLOCK);
        item.look(2, BLOCK, [children(self.block, left), children(self.block, right)]);
        item.narrow(at(self.block, left), at(self.block, right));
    }

    #[inline(always)]
    fn look_at_lines(&self, item: &mut Item<R>) {
        let [left, right] = item.ends(LINE);
        item.look(1, LINE, [children(self.line, left), children(self.line, right)]);
        item.narrow(at(self.line, left), at(self.line, right));
    }

    #[inline(always)]
    fn look_at_elements(&self, item: &mut Item<R>) {
        let [left, right] = item.ends(1);
        item.look(0, 1, [&self.line_of(left), &self.line_of(right)]);
    }

    /// The ranks of the line that holds `place`. Lanes outside the array are of no importance: nobody selects them.
    #[inline(always)]
    fn line_of(&self, place: usize) -> [R; LINE] {
        let start = (place / LINE * LINE).wrapping_sub(self.shift);
        if start >= self.whole {
            return self.partial_line(start);
        }
        let mut ranks = [R::WORST; LINE];
        // SAFETY: below `whole` there are at least `LINE` elements from `start` on.
        let elements: &[R; LINE] = unsafe { &*self.array.as_ptr().add(start).cast() };
        R::rank_all(elements, self.order, &mut ranks);
        ranks
    }

    /// The first or the last line.
    #[cold]
    #[inline(never)]
    fn partial_line(&self, start: usize) -> [R; LINE] {
        std::array::from_fn(|lane| {
            self.array.get(start.wrapping_add(lane)).map_or(R::WORST, |key| key.ranked(self.order))
        })
    }

    /// The position in the array that the best node stands for.
    #[inline(always)]
    fn position(&self, best: Best<R>) -> usize {
        let (level, index) = (best.node & 3, best.node >> 2);
        let place = match level {
            3 => {
                // A table from a file may hold anything.
                let index = index.min(self.width - 1);
                index * GROUP + usize::from(at(self.group_offset, index))
            }
            2 => {
                let block = first_entry_with(children(self.block, index), index, best.rank);
                block * BLOCK + usize::from(at(self.block_offset, block))
            }
            1 => {
                let line = first_entry_with(children(self.line, index), index, best.rank);
                line * LINE + usize::from(at(self.line_offset, line))
            }
            _ => first_entry_with(&self.line_of(index), index, best.rank),
        };
        // So may its offsets: the position stays inside the array whatever they say.
        place.wrapping_sub(self.shift).min(self.array.len() - 1)
    }

    /// One query outside a batch: whatever is not needed is not touched.
    #[inline(always)]
    fn ask(&self, left: usize, right: usize) -> usize {
        if right - left < 2 * GROUP {
            // A short range will most likely need its ends: ask for everything at once, not one after the other.
            let (first, last) = ((left + self.shift) / LINE, (right + self.shift) / LINE);
            prefetch(self.line, first);
            prefetch(self.line, last);
            prefetch(self.line_offset, first);
            prefetch(self.array, left);
            prefetch(self.array, right);
        }
        let lookup = self.lookup(left, right);
        let (best, open) = self.look_at_groups(lookup, true);
        if self.ask_shapes {
            let (first, last) = self.best_ends(lookup, open);
            let position = if first { left } else { right };
            let one_group = lookup.left == lookup.right;
            if (first | last) && (one_group || self.is_best(first, position, lookup, best.rank, open)) {
                return position;
            }
        }
        let mut item = Item { left: left + self.shift, right: right + self.shift, best, open, ties: true };
        if item.is_open() && Self::has_blocks(&item) {
            self.look_at_blocks(&mut item);
        }
        if item.is_open() {
            self.look_at_lines(&mut item);
            if item.is_open() {
                self.look_at_elements(&mut item);
            }
        }
        self.position(item.best)
    }

    /// The query that a ticket stands for.
    #[inline(always)]
    fn item<P: Position>(&self, ticket: Ticket, queries: &[[P; 2]], bests: &[Best<R>; PORTION], ties: bool) -> Item<R> {
        let [left, right] = at(queries, ticket.query());
        let (left, right) = (left.get() + self.shift, right.get() + self.shift);
        Item { left, right, best: bests[ticket.query()], open: ticket.open(), ties }
    }

    /// A chunk of a batch, in stages.
    #[inline(always)]
    fn answer<P: Position>(&self, queries: &[[P; 2]], mut sink: impl Sink<R>) -> Option<()> {
        let ties = sink.ties(self);
        let mut bests = [Best::NOTHING; PORTION];
        let mut lookups = [Lookup::default(); PORTION];
        let [mut opened, mut with_blocks, mut with_lines, mut with_elements, mut done] = [List::EMPTY; 5];
        for (portion, queries) in queries.chunks(PORTION).enumerate() {
            // Plain arithmetic in a loop of its own, which becomes vector instructions.
            let mut bad = false;
            for (&[left, right], lookup) in queries.iter().zip(&mut lookups) {
                bad |= (left > right) | (right.get() >= self.array.len());
                *lookup = self.lookup(left.get(), right.get());
            }
            if bad {
                return None;
            }
            let base = portion * PORTION;
            for (i, &lookup) in lookups[..queries.len()].iter().enumerate() {
                let (best, open) = self.look_at_groups(lookup, ties);
                // Most wide queries end here; for the others the answer is overwritten later.
                sink.put(base + i, best, self);
                bests[i] = best;
                opened.push_if(open.0 | open.1, Ticket::new(i, open));
            }
            if self.ask_shapes {
                opened = self.answer_at_ends(base, queries, &lookups, &bests, &opened, &mut sink);
            }
            for &ticket in opened.drain() {
                let blocks = Self::has_blocks(&self.item(ticket, queries, &bests, ties));
                with_blocks.push_if(blocks, ticket);
                with_lines.push_if(!blocks, ticket);
            }
            for &ticket in with_blocks.drain() {
                let mut item = self.item(ticket, queries, &bests, ties);
                self.look_at_blocks(&mut item);
                bests[ticket.query()] = item.best;
                let ticket = Ticket::new(ticket.query(), item.open);
                with_lines.push_if(item.is_open(), ticket);
                done.push_if(!item.is_open(), ticket);
            }
            for &ticket in with_lines.tickets() {
                let Item { left, right, open, .. } = self.item(ticket, queries, &bests, ties);
                prefetch(self.line, if open.0 { left } else { right } / LINE);
                prefetch(self.line, if open.1 { right } else { left } / LINE);
                prefetch(self.line_offset, left / LINE);
            }
            for &ticket in with_lines.drain() {
                let mut item = self.item(ticket, queries, &bests, ties);
                self.look_at_lines(&mut item);
                bests[ticket.query()] = item.best;
                let ticket = Ticket::new(ticket.query(), item.open);
                with_elements.push_if(item.is_open(), ticket);
                done.push_if(!item.is_open(), ticket);
            }
            for &ticket in with_elements.tickets() {
                let Item { left, right, open, .. } = self.item(ticket, queries, &bests, ties);
                prefetch(self.array, if open.0 { left } else { right } - self.shift);
                prefetch(self.array, if open.1 { right } else { left } - self.shift);
            }
            for &ticket in done.drain() {
                sink.put(base + ticket.query(), bests[ticket.query()], self);
            }
            for &ticket in with_elements.drain() {
                let mut item = self.item(ticket, queries, &bests, ties);
                self.look_at_elements(&mut item);
                sink.put(base + ticket.query(), item.best, self);
            }
        }
        Some(())
    }

    /// Answers those of the open queries whose minimum is at one of their ends because its group is monotone. Returns
    /// the others.
    #[inline(always)]
    fn answer_at_ends<P: Position>(
        &self,
        base: usize,
        queries: &[[P; 2]],
        lookups: &[Lookup; PORTION],
        bests: &[Best<R>; PORTION],
        opened: &List,
        sink: &mut impl Sink<R>,
    ) -> List {
        let [mut settled, mut tried, mut rest] = [List::EMPTY; 3];
        for &ticket in opened.tickets() {
            let lookup = lookups[ticket.query()];
            let (first, last) = self.best_ends(lookup, ticket.open());
            let one_group = lookup.left == lookup.right;
            settled.push_if((first | last) & one_group, ticket.at_first(first));
            tried.push_if((first | last) & !one_group, ticket.at_first(first));
            rest.push_if(!(first | last), ticket);
        }
        for &ticket in tried.tickets() {
            prefetch(self.array, ticket.end(queries));
        }
        for &ticket in settled.tickets() {
            sink.put_position(base + ticket.query(), ticket.end(queries), self);
        }
        for &ticket in tried.tickets() {
            let (i, end) = (ticket.query(), ticket.end(queries));
            // If it is not the best, the answer is overwritten later.
            sink.put_position(base + i, end, self);
            rest.push_if(!self.is_best(ticket.is_first(), end, lookups[i], bests[i].rank, ticket.open()), ticket);
        }
        rest
    }
}

/// The groups of a range's ends, and the two entries of the table that cover the groups between.
#[derive(Clone, Copy, Default)]
struct Lookup {
    left: usize,
    right: usize,
    begin: usize,
    end: usize,
}

impl Ticket {
    /// Marks the range's first element, or its last, as a candidate.
    #[inline(always)]
    fn at_first(self, first: bool) -> Self {
        self.marked(first)
    }

    #[inline(always)]
    fn is_first(self) -> bool {
        self.mark()
    }

    /// The candidate's position.
    #[inline(always)]
    fn end<P: Position>(self, queries: &[[P; 2]]) -> usize {
        let [left, right] = at(queries, self.query());
        if self.is_first() { left.get() } else { right.get() }
    }
}

#[inline(always)]
fn argmin_body<R: Rank, P: Position>(index: &Lines<'_, R>, queries: &[[P; 2]], out: &mut [P]) -> Option<()> {
    index.view().answer(queries, PositionSink(out))
}

#[inline(always)]
fn min_body<R: Rank, P: Position>(index: &Lines<'_, R>, queries: &[[P; 2]], out: &mut [R]) -> Option<()> {
    index.view().answer(queries, ValueSink(out))
}

#[inline(always)]
fn single_body<R: Rank>(index: &Lines<'_, R>, left: usize, right: usize) -> usize {
    index.view().ask(left, right)
}

dispatch! {
    fn argmin_chunk<R: Rank, P: Position>(
        index: &Lines<'_, R>, queries: &[[P; 2]], out: &mut [P],
    ) -> Option<()> = argmin_body;
}
dispatch! {
    fn min_chunk<R: Rank, P: Position>(
        index: &Lines<'_, R>, queries: &[[P; 2]], out: &mut [R],
    ) -> Option<()> = min_body;
}
dispatch! {
    fn single<R: Rank>(index: &Lines<'_, R>, left: usize, right: usize) -> usize = single_body;
}

impl<R: Rank> CpuEngine for Lines<'_, R> {
    fn name(&self) -> &'static str {
        "lines"
    }

    fn len(&self) -> usize {
        self.array.len()
    }

    fn array(&self) -> Option<Bits<'_>> {
        Some(R::erase(&self.array))
    }

    fn extra_bytes(&self) -> usize {
        let levels = &self.levels;
        levels.line.held_bytes()
            + levels.line_offset.held_bytes()
            + levels.block.held_bytes()
            + levels.block_offset.held_bytes()
            + levels.group.held_bytes()
            + levels.group_offset.held_bytes()
            + levels.shape.held_bytes()
            + self.table.entries.held_bytes()
    }

    #[cfg(feature = "file")]
    fn contents(&self) -> Result<Contents<'_>> {
        let (levels, table) = (&self.levels, self.table.to_bytes()?);
        Ok(Contents::new()
            .option("shift", self.shift)
            .option("ask_shapes", usize::from(self.ask_shapes))
            .part("line", &levels.line)
            .part("line_offset", &levels.line_offset)
            .part("block", &levels.block)
            .part("block_offset", &levels.block_offset)
            .part("group", &levels.group)
            .part("group_offset", &levels.group_offset)
            .part("shape", &levels.shape)
            .converted("table", size_of::<Entry<R>>(), table)
            .array(&self.array, self.shift))
    }

    fn position(&self, left: usize, right: usize) -> usize {
        single(self, left, right)
    }

    fn answer(&self, queries: Pairs<'_>, out: PositionsMut<'_>) -> Option<()> {
        match (queries, out) {
            (Pairs::U32(queries), PositionsMut::U32(out)) => argmin_chunk(self, queries, out),
            (Pairs::U64(queries), PositionsMut::U64(out)) => argmin_chunk(self, queries, out),
            _ => unreachable!("queries and positions have one width"),
        }
    }

    fn finds_values(&self) -> bool {
        true
    }

    fn answer_values(&self, queries: Pairs<'_>, out: BitsMut<'_>) -> Option<()> {
        let out = R::of_bits_mut(out)?;
        match queries {
            Pairs::U32(queries) => min_chunk(self, queries, out),
            Pairs::U64(queries) => min_chunk(self, queries, out),
        }
    }
}

/// A batch's output: positions or values.
trait Sink<R: Rank> {
    /// Whether it matters which one of several elements of the best rank is found. Where it does not, an end that is only
    /// as good as what is known stays closed. (What that saves on arrays of few values has not been measured.)
    fn ties(&self, view: &View<'_, R>) -> bool;
    /// Stores the answer to query `i`.
    fn put(&mut self, i: usize, best: Best<R>, view: &View<'_, R>);
    /// The same for an answer whose position is known.
    fn put_position(&mut self, i: usize, position: usize, view: &View<'_, R>);
}

struct PositionSink<'o, P>(&'o mut [P]);

impl<R: Rank, P: Position> Sink<R> for PositionSink<'_, P> {
    #[inline(always)]
    fn ties(&self, _: &View<'_, R>) -> bool {
        true
    }

    #[inline(always)]
    fn put(&mut self, i: usize, best: Best<R>, view: &View<'_, R>) {
        self.0[i] = P::new(view.position(best));
    }

    #[inline(always)]
    fn put_position(&mut self, i: usize, position: usize, _: &View<'_, R>) {
        self.0[i] = P::new(position);
    }
}

struct ValueSink<'o, R>(&'o mut [R]);

impl<R: Rank> Sink<R> for ValueSink<'_, R> {
    #[inline(always)]
    fn ties(&self, view: &View<'_, R>) -> bool {
        // Several floats may share a rank, so the value is that of the leftmost place; an integer is itself.
        view.order.float
    }

    #[inline(always)]
    fn put(&mut self, i: usize, best: Best<R>, view: &View<'_, R>) {
        self.0[i] = match best.rank.unrank(view.order) {
            Some(bits) => bits,
            // A rank that several bit patterns share (zeros, NaNs): look it up.
            None => view.array[view.position(best)],
        };
    }

    #[inline(always)]
    fn put_position(&mut self, i: usize, position: usize, view: &View<'_, R>) {
        self.0[i] = at(view.array, position);
    }
}
