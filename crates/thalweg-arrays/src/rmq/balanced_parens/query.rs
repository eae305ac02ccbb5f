//! Queries, one by one and in batches.
//!
//! The arrays may come from a file that nobody has checked. Their lengths are what [`Lengths`] says, but whatever is read
//! from them and says where to read next is kept inside first: nonsense leads to wrong answers inside the range, never
//! outside of anything.
#![allow(unsafe_code)]

use super::block::{self, BITS, Block};
use super::{BalancedParens, HINT, Lengths, STEPS, SUPERBLOCK};
use crate::rmq::stages::{List, PORTION, Ticket};
use thalweg_core::dispatch;
use thalweg_core::simd::{prefetch, prefetch_line};
use thalweg_core::{Pairs, Position, PositionsMut};

/// The index as the query loops see it: bare slices, of the lengths that [`Lengths`] says. None is empty if there is a
/// query.
struct View<'v> {
    len: usize,
    bits: &'v [u64],
    blocks: &'v [Block],
    ranks: &'v [u16],
    minima: &'v [[u16; SUPERBLOCK]],
    hints: &'v [u32],
    heights: &'v [u64],
    lowest: &'v [u64],
    table: &'v [u32],
}

/// Where an element's opening is: the block, and how many openings of the block come before.
#[derive(Clone, Copy, Default)]
struct Place {
    block: usize,
    ordinal: usize,
}

/// The lowest found so far: how high it lies, and what it is.
#[derive(Clone, Copy, Default)]
struct Best {
    height: i64,
    node: Node,
}

/// `index << 2 | kind`, with one of the kinds below.
type Node = usize;
const ELEMENT: usize = 0;
const IN_BLOCK: usize = 1;
const IN_SUPERBLOCK: usize = 2;

#[inline(always)]
fn node(kind: usize, index: usize) -> Node {
    index << 2 | kind
}

/// A query that has to be looked at closely.
#[derive(Clone, Copy, Default)]
struct Item {
    left: usize,
    right: usize,
    first: Place,
    last: Place,
    best: Best,
    /// Nothing in the first block and in the last block lies lower than this.
    low: (i64, i64),
}

/// Eight words that begin at word `start`, and the places of a range's ends in them.
#[derive(Clone, Copy, Default)]
struct Window {
    start: usize,
    from: usize,
    to: usize,
}

impl Window {
    /// Whether the range ends in the window.
    #[inline(always)]
    fn fits(self) -> bool {
        self.to < BITS
    }
}

impl Best {
    /// Takes a candidate from further right: it wins ties.
    #[inline(always)]
    fn or_right(self, height: i64, node: Node) -> Self {
        if height <= self.height { Self { height, node } } else { self }
    }

    /// Takes a candidate from further left: it loses ties.
    #[inline(always)]
    fn or_left(self, height: i64, node: Node) -> Self {
        if height < self.height { Self { height, node } } else { self }
    }
}

impl Item {
    /// Whether the ends lie in one block or in neighbours.
    #[inline(always)]
    fn is_narrow(&self) -> bool {
        self.last.block.wrapping_sub(self.first.block) <= 1
    }

    #[inline(always)]
    fn is_in_block(&self) -> bool {
        self.best.node & 3 == IN_BLOCK
    }

    /// The excess before a block in which an element has the given place.
    #[inline(always)]
    fn excess(element: usize, place: Place) -> i64 {
        2 * element.wrapping_sub(place.ordinal) as i64 - (BITS * place.block) as i64
    }
}

impl BalancedParens<'_> {
    #[inline(always)]
    fn view(&self) -> View<'_> {
        let view = View {
            len: self.len,
            bits: &self.bits,
            blocks: self.bits.as_chunks().0,
            ranks: &self.ranks,
            minima: self.minima.as_chunks().0,
            hints: &self.hints,
            heights: &self.heights,
            lowest: &self.lowest,
            table: &self.table,
        };
        debug_assert_eq!(view.lengths(), Lengths::new(self.len, view.blocks.len()));
        view
    }
}

/// Element `index`, which the caller has made sure of.
#[inline(always)]
fn at<T>(slice: &[T], index: usize) -> &T {
    debug_assert!(index < slice.len());
    // SAFETY: whoever makes an index, from an array or from a file, makes parts of the lengths of `Lengths`. And every index
    // comes from a position of the range, which is inside the array, or has been cut to the number of blocks or superblocks.
    unsafe { slice.get_unchecked(index) }
}

impl View<'_> {
    #[cfg_attr(not(debug_assertions), allow(dead_code))]
    fn lengths(&self) -> Lengths {
        Lengths {
            bits: self.bits.len(),
            ranks: self.ranks.len(),
            minima: SUPERBLOCK * self.minima.len(),
            hints: self.hints.len(),
            superblocks: self.heights.len().min(self.lowest.len()),
            table: self.table.len(),
        }
    }

    /// The first and the last block that may hold an element's opening.
    #[inline(always)]
    fn blocks_around(&self, element: usize) -> (usize, usize) {
        let end = self.blocks.len() - 1;
        let hint = |index: usize| (*at(self.hints, index) as usize).min(end);
        (hint(element / HINT), hint(element / HINT + 1))
    }

    /// Looks at the superblocks that surely lie inside the range. Returns the lowest element there, and whether that is
    /// the answer because nothing at the ends is lower.
    #[inline(always)]
    fn look_from_afar(&self, left: usize, right: usize) -> (usize, bool) {
        let superblocks = |(first, last): (usize, usize)| (first / SUPERBLOCK, last / SUPERBLOCK);
        let (left_first, left_last) = superblocks(self.blocks_around(left));
        let (right_first, right_last) = superblocks(self.blocks_around(right));
        let wide = right_first > left_last + 1;
        let best = self.between(left_last, right_first);
        let height = self.height(best);
        // Two superblocks may hold an end: then both count. If there are more, the ranks have to tell.
        let narrow = (left_last.wrapping_sub(left_first) <= 1) & (right_last.wrapping_sub(right_first) <= 1);
        let at_left = self.height(left_first).min(self.height(left_last));
        let at_right = self.height(right_first).min(self.height(right_last));
        // The left end loses ties.
        let settled = wide & narrow & (at_left >= height) & (at_right > height);
        (inside(*at(self.lowest, best) as usize, left, right), settled)
    }

    #[inline(always)]
    fn height(&self, superblock: usize) -> i64 {
        *at(self.heights, superblock) as i64
    }

    /// The lowest superblock strictly between two others, the last one on ties; any if there are none.
    #[inline(always)]
    fn between(&self, left: usize, right: usize) -> usize {
        let width = self.heights.len();
        let wide = right > left + 1;
        let first = if wide { left + 1 } else { 0 };
        let count = if wide { right - left - 1 } else { 1 };
        let row = count.ilog2() as usize;
        let begin = row * width + first;
        let entry = |index: usize| (*at(self.table, index) as usize).min(width - 1);
        let (a, b) = (entry(begin), entry(begin + count - (1 << row)));
        if self.height(b) <= self.height(a) { b } else { a }
    }

    /// The openings before a block, of which only the low bits are known, less those before an element.
    #[inline(always)]
    fn rank_from(&self, block: usize, element: usize) -> i16 {
        at(self.ranks, block).wrapping_sub(element as u16) as i16
    }

    /// Finds an element's opening.
    #[inline(always)]
    fn place(&self, element: usize) -> Place {
        let (first, last) = self.blocks_around(element);
        // The last block with no more openings before it than the element. All differences are small: the block lies
        // between two hints, and so does the element.
        let block = if last <= first + STEPS {
            debug_assert!(first + 1 + STEPS <= self.ranks.len());
            // SAFETY: behind the ranks of all blocks, of which this is one, there are as many entries of filling.
            let ranks: &[u16; STEPS] = unsafe { &*self.ranks.as_ptr().add(first + 1).cast() };
            // -1 for every block with no more openings before it.
            let steps = ranks.map(|rank| (rank.wrapping_sub(element as u16).wrapping_sub(1) as i16) >> 15);
            let steps = -steps.into_iter().sum::<i16>() as u16;
            (first + usize::from(steps)).min(self.blocks.len() - 1)
        } else {
            self.bisect(first, last, element)
        };
        Place { block, ordinal: usize::from((element as u16).wrapping_sub(*at(self.ranks, block))) }
    }

    /// The same where hints are far from each other.
    #[cold]
    #[inline(never)]
    fn bisect(&self, mut first: usize, mut last: usize, element: usize) -> usize {
        while first < last {
            let middle = last - (last - first) / 2;
            if self.rank_from(middle, element) <= 0 { first = middle } else { last = middle - 1 }
        }
        first
    }

    #[inline(always)]
    fn item(&self, left: usize, right: usize) -> Item {
        Item { left, right, first: self.place(left), last: self.place(right), ..Item::default() }
    }

    /// Finds the lowest of the blocks between those of the two ends.
    #[inline(always)]
    fn look_at_blocks(&self, item: &mut Item) {
        let (first, last) = (item.first.block, item.last.block);
        let (left, right) = (first / SUPERBLOCK, last / SUPERBLOCK);
        let same = left == right;
        let left_end = if same { last % SUPERBLOCK } else { SUPERBLOCK };
        let right_end = if same { 0 } else { last % SUPERBLOCK };
        let (left_low, left_lane) = last_lowest(at(self.minima, left), first % SUPERBLOCK + 1, left_end);
        let (right_low, right_lane) = last_lowest(at(self.minima, right), 0, right_end);
        let (left_base, right_base) =
            (self.superblock_excess(left, item.left), self.superblock_excess(right, item.right));
        let between = self.between(left, right);
        let height = if right > left + 1 { self.height(between) } else { i64::MAX };
        item.best = Best { height: left_base + left_low, node: node(IN_BLOCK, left * SUPERBLOCK + left_lane) }
            .or_right(height, node(IN_SUPERBLOCK, between))
            .or_right(right_base + right_low, node(IN_BLOCK, right * SUPERBLOCK + right_lane));
        item.low = (left_base + self.minimum(first), right_base + self.minimum(last));
    }

    /// The same for neighbours: there is nothing between, so the last block has to be searched.
    #[inline(always)]
    fn expect_two(&self, item: &mut Item) {
        let base = self.superblock_excess(item.first.block / SUPERBLOCK, item.left);
        item.best = Best { height: i64::MAX, node: node(ELEMENT, item.left) };
        item.low = (base + self.minimum(item.first.block), i64::MIN);
    }

    /// The lowest excess in a block, from the superblock's beginning.
    #[inline(always)]
    fn minimum(&self, block: usize) -> i64 {
        i64::from(at(self.minima, block / SUPERBLOCK)[block % SUPERBLOCK] as i16)
    }

    /// The excess before a superblock that holds an element's opening.
    #[inline(always)]
    fn superblock_excess(&self, superblock: usize, element: usize) -> i64 {
        let ordinal = usize::from((element as u16).wrapping_sub(*at(self.ranks, superblock * SUPERBLOCK)));
        Item::excess(element, Place { block: superblock * SUPERBLOCK, ordinal })
    }

    /// Searches the last block, up to the range's last element.
    #[inline(always)]
    fn look_at_last(&self, item: &mut Item) {
        let (block, before) = (at(self.blocks, item.last.block), item.right.wrapping_sub(item.last.ordinal));
        let low = block::lowest_between(block, 0, block::select(block, item.last.ordinal));
        let height = Item::excess(item.right, item.last) + i64::from(low.excess);
        item.best = item.best.or_right(height, node(ELEMENT, before.wrapping_add(low.ones)));
    }

    /// Searches the first block, from the range's first element on.
    #[inline(always)]
    fn look_at_first(&self, item: &mut Item) {
        let block = at(self.blocks, item.first.block);
        let from = block::select(block, item.first.ordinal);
        // The range goes on behind the block, so what lies lower than closings at its end has been found already.
        let low = block::lowest_from(block, from);
        let height = 2 * item.left as i64 - (item.first.block * BITS + from) as i64 + i64::from(low.excess);
        item.best = item.best.or_left(height, node(ELEMENT, item.left + low.ones));
    }

    /// Where in the whole sequence an opening is.
    #[inline(always)]
    fn bit(&self, place: Place) -> usize {
        BITS * place.block + block::select(at(self.blocks, place.block), place.ordinal)
    }

    /// Eight words that hold the whole range, wherever they begin, if it is short enough.
    #[inline(always)]
    fn window(&self, item: &Item) -> Window {
        let (from, to) = (self.bit(item.first), self.bit(item.last));
        let start = (from / 64).min(self.bits.len() - block::WORDS);
        Window { start, from: from - 64 * start, to: to.wrapping_sub(64 * start) }
    }

    #[inline(always)]
    fn look_at_window(&self, window: Window, left: usize, right: usize) -> usize {
        // SAFETY: there are that many words from `start` on: see `View::window`.
        let words: &Block = unsafe { &*self.bits.as_ptr().add(window.start).cast() };
        (left + block::lowest_between(words, window.from, window.to).ones).min(right)
    }

    /// The block in which the best lies, if that is all that is known of it.
    #[inline(always)]
    fn block_of_best(&self, item: &Item) -> usize {
        (item.best.node >> 2).min(self.blocks.len() - 1)
    }

    /// The answer, unless it lies [`IN_BLOCK`].
    #[inline(always)]
    fn known(&self, item: &Item) -> usize {
        let (kind, index) = (item.best.node & 3, item.best.node >> 2);
        let lowest = *at(self.lowest, if kind == IN_SUPERBLOCK { index } else { 0 }) as usize;
        inside(if kind == IN_SUPERBLOCK { lowest } else { index }, item.left, item.right)
    }

    /// Searches the block of the best, which is whole and near one of the ends, for the answer.
    #[inline(always)]
    fn look_at_best(&self, item: &Item) -> usize {
        let number = self.block_of_best(item);
        let near_left = number / SUPERBLOCK == item.first.block / SUPERBLOCK;
        let end = if near_left { item.left } else { item.right };
        let before = end.wrapping_add_signed(isize::from(self.rank_from(number, end)));
        let block = at(self.blocks, number);
        // Nothing in the range lies lower, so no closings at the block's end do either.
        let low = block::lowest_from(block, 0);
        inside(before.wrapping_add(low.ones), item.left, item.right)
    }

    /// One query outside a batch: whatever is not needed is not touched.
    #[inline(always)]
    fn ask(&self, left: usize, right: usize) -> usize {
        assert!(left <= right && right < self.len, "the front door lets no other range in");
        let (element, settled) = self.look_from_afar(left, right);
        if settled {
            return element;
        }
        let mut item = self.item(left, right);
        if item.is_narrow() {
            let window = self.window(&item);
            if window.fits() {
                return self.look_at_window(window, left, right);
            }
            self.expect_two(&mut item);
        } else {
            self.look_at_blocks(&mut item);
        }
        if item.low.1 <= item.best.height {
            self.look_at_last(&mut item);
        }
        if item.low.0 < item.best.height {
            self.look_at_first(&mut item);
        }
        if item.is_in_block() { self.look_at_best(&item) } else { self.known(&item) }
    }

    /// A chunk of a batch, in stages. For both widths: the kernel does not depend on the keys, and conversions would take a
    /// batch of wide ranges 6 % more time.
    #[inline(always)]
    fn answer<P: Position>(&self, queries: &[[P; 2]], out: &mut [P]) -> Option<()> {
        let mut items = [Item::default(); PORTION];
        let mut windows = [Window::default(); PORTION];
        let [mut open, mut narrow, mut in_window, mut two, mut more, mut at_last, mut at_first, mut in_block] =
            [List::EMPTY; 8];
        for (queries, out) in queries.chunks(PORTION).zip(out.chunks_mut(PORTION)) {
            let mut bad = false;
            for &[left, right] in queries {
                bad |= (left > right) | (right.get() >= self.len);
            }
            if bad {
                return None;
            }
            for (i, (&[left, right], out)) in queries.iter().zip(&mut *out).enumerate() {
                let (element, settled) = self.look_from_afar(left.get(), right.get());
                // Most wide queries end here; for the others the answer is overwritten later.
                *out = P::new(element);
                open.push_if(!settled, Ticket::new(i, (false, false)));
            }
            for &ticket in open.tickets() {
                let [left, right] = queries[ticket.query()].map(P::get);
                prefetch(self.ranks, self.blocks_around(left).0);
                prefetch(self.ranks, self.blocks_around(right).0);
            }
            for &ticket in open.drain() {
                let [left, right] = queries[ticket.query()].map(P::get);
                let item = self.item(left, right);
                let is_narrow = item.is_narrow();
                for block in [item.first.block, item.last.block] {
                    let (bits, minima) =
                        (&raw const *at(self.blocks, block), at(self.minima, block / SUPERBLOCK).as_ptr());
                    prefetch_line(if is_narrow { bits.cast() } else { minima });
                }
                narrow.push_if(is_narrow, ticket);
                more.push_if(!is_narrow, ticket);
                items[ticket.query()] = item;
            }
            for &ticket in narrow.drain() {
                let window = self.window(&items[ticket.query()]);
                windows[ticket.query()] = window;
                in_window.push_if(window.fits(), ticket);
                two.push_if(!window.fits(), ticket);
            }
            for &ticket in in_window.drain() {
                let [left, right] = queries[ticket.query()].map(P::get);
                out[ticket.query()] = P::new(self.look_at_window(windows[ticket.query()], left, right));
            }
            for &ticket in more.tickets() {
                let item = &mut items[ticket.query()];
                self.look_at_blocks(item);
                // The blocks that will be read, or the best's again.
                let (open_first, open_last) = (item.low.0 < item.best.height, item.low.1 <= item.best.height);
                let best = self.block_of_best(item);
                prefetch(self.blocks, if open_first { item.first.block } else { best });
                prefetch(self.blocks, if open_last { item.last.block } else { best });
                at_last.push_if(open_last, ticket);
            }
            for &ticket in two.drain() {
                self.expect_two(&mut items[ticket.query()]);
                at_last.push_if(true, ticket);
                more.push_if(true, ticket);
            }
            for &ticket in at_last.drain() {
                self.look_at_last(&mut items[ticket.query()]);
            }
            for &ticket in more.tickets() {
                let item = &items[ticket.query()];
                at_first.push_if(item.low.0 < item.best.height, ticket);
            }
            for &ticket in at_first.drain() {
                self.look_at_first(&mut items[ticket.query()]);
            }
            for &ticket in more.drain() {
                let item = &items[ticket.query()];
                out[ticket.query()] = P::new(self.known(item));
                in_block.push_if(item.is_in_block(), ticket);
            }
            for &ticket in in_block.drain() {
                out[ticket.query()] = P::new(self.look_at_best(&items[ticket.query()]));
            }
        }
        Some(())
    }
}

/// A position cut to a range.
#[inline(always)]
fn inside(position: usize, left: usize, right: usize) -> usize {
    position.max(left).min(right)
}

/// The lowest of lanes `first..end` and the last one that is as low.
#[inline(always)]
fn last_lowest(lanes: &[u16; SUPERBLOCK], first: usize, end: usize) -> (i64, usize) {
    let (first, count) = (first as u32, end.saturating_sub(first) as u32);
    // One number a lane, of which the lowest is the lowest lane's: its minimum and behind it the lane, from the end.
    let mut best = i32::MAX;
    for (lane, &minimum) in (0..).zip(lanes) {
        let number = i32::from(minimum as i16) << 5 | (SUPERBLOCK as i32 - 1 - lane);
        let inside = (lane as u32).wrapping_sub(first) < count;
        best = best.min(if inside { number } else { i32::MAX });
    }
    (i64::from(best >> 5), SUPERBLOCK - 1 - (best & 31) as usize)
}

#[inline(always)]
fn single_body(index: &BalancedParens<'_>, left: usize, right: usize) -> usize {
    index.view().ask(left, right)
}

#[inline(always)]
fn positions_body(index: &BalancedParens<'_>, queries: Pairs<'_>, out: PositionsMut<'_>) -> Option<()> {
    match (queries, out) {
        (Pairs::U32(queries), PositionsMut::U32(out)) => index.view().answer(queries, out),
        (Pairs::U64(queries), PositionsMut::U64(out)) => index.view().answer(queries, out),
        _ => unreachable!("queries and positions have one width"),
    }
}

dispatch! {
    /// The answer to one query.
    pub(super) fn single<>(index: &BalancedParens<'_>, left: usize, right: usize) -> usize = single_body;
}
dispatch! {
    /// The answers to a chunk of queries, or `None` if one of them is bad.
    pub(super) fn positions<>(
        index: &BalancedParens<'_>, queries: Pairs<'_>, out: PositionsMut<'_>,
    ) -> Option<()> = positions_body;
}
