//! Queries, one by one and in batches: from the inside out, and no end that cannot matter.
#![allow(unsafe_code)]

use super::build::{ASCENDING, DESCENDING, Shape};
use super::lanes::{Machine, at, children, first_entry_with, kernel, window};
use super::{BLOCK, FAN, GROUP, LINE, Lines};
use crate::rmq::stages::{List, PORTION, Ticket, most};
use crate::rmq::table::Entry;
use thalweg_core::bits::BitsMut;
use thalweg_core::coding::Ranking;
use thalweg_core::simd::{Level, prefetch};
use thalweg_core::{Pairs, Position, PositionsMut, Rank};

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
    fn or_left(self, rank: R, node: Node) -> Self {
        if rank <= self.rank { Self { rank, node } } else { self }
    }

    /// Takes a candidate from further right: it loses ties.
    #[inline(always)]
    fn or_right(self, rank: R, node: Node) -> Self {
        if rank < self.rank { Self { rank, node } } else { self }
    }
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
    fn look<M: Machine>(&mut self, level: usize, size: usize, nodes: [&[R; FAN]; 2]) {
        let (left, right) = (self.left / size, self.right / size);
        let same = left / FAN == right / FAN;
        let inner = usize::from(level > 0);
        let (first, end) = (left % FAN + inner, right % FAN + 1 - inner);
        let left_end = if same { end } else { FAN };
        let right_first = if same { first } else { 0 };
        let from_left = M::least(nodes[0], if self.open.0 { first } else { FAN }, left_end);
        let from_right = M::least(nodes[1], right_first, if self.open.1 { end } else { 0 });
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
pub(super) struct View<'v, R: Rank> {
    pub(super) array: &'v [R],
    pub(super) order: Ranking<R>,
    pub(super) shift: usize,
    pub(super) line: &'v [R],
    pub(super) line_offset: &'v [u8],
    pub(super) block: &'v [R],
    pub(super) block_offset: &'v [u8],
    pub(super) group: &'v [R],
    pub(super) group_offset: &'v [u16],
    pub(super) shape: &'v [Shape],
    pub(super) ask_shapes: bool,
    pub(super) table: &'v [Entry<R>],
    /// Entries in a row of the table.
    pub(super) width: usize,
}

impl<R: Rank> Lines<'_, R> {
    #[inline(always)]
    pub(super) fn view(&self) -> View<'_, R> {
        View {
            array: &self.array,
            order: self.order,
            shift: self.shift,
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
    /// The positions of a chunk of queries, or `None` if one of them is bad.
    pub(super) fn answer_positions(&self, queries: Pairs<'_>, out: PositionsMut<'_>) -> Option<()> {
        match (queries, out) {
            (Pairs::U32(queries), PositionsMut::U32(out)) => positions(self, queries, out),
            (Pairs::U64(queries), PositionsMut::U64(out)) => positions(self, queries, out),
            _ => unreachable!("queries and positions have one width"),
        }
    }

    /// The same for values, in the array's width.
    pub(super) fn answer_values(&self, queries: Pairs<'_>, out: BitsMut<'_>) -> Option<()> {
        let out = R::of_bits_mut(out)?;
        match queries {
            Pairs::U32(queries) => values(self, queries, out),
            Pairs::U64(queries) => values(self, queries, out),
        }
    }

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

    /// Whether a range is answered by [`View::look_at_short`]: the lines strictly inside it are at most [`FAN`].
    #[inline(always)]
    fn is_short(&self, left: usize, right: usize) -> bool {
        let (first, last) = (left.wrapping_add(self.shift) / LINE, right.wrapping_add(self.shift) / LINE);
        (last.wrapping_sub(first) <= FAN + 1) & !self.ask_shapes
    }

    /// Asks the memory for what [`View::look_at_short`] will read.
    #[inline(always)]
    fn ask_for_lines(&self, left: usize, right: usize) {
        let (first, last) = (left / LINE, right / LINE);
        prefetch(self.line, first);
        prefetch(self.line, last);
        prefetch(self.line_offset, first);
        prefetch(self.line_offset, last);
    }

    /// The lines of a short range, whatever nodes they lie in: the best rank, the line whose minimum it is, and which ends
    /// have to be opened. An end whose line has its minimum inside the range is known as well as a whole line.
    #[inline(always)]
    fn look_at_short<M: Machine>(&self, left: usize, right: usize, ties: bool) -> (R, usize, (bool, bool)) {
        let (first, last) = (left / LINE, right / LINE);
        // One node where they lie in one, so that nothing is touched that nobody has asked for.
        let one_node = (first + 1) / FAN >= last.wrapping_sub(1) / FAN;
        let start = if one_node { (first + 1) / FAN * FAN } else { first + 1 }.min(self.line.len() - FAN);
        let lanes = window(self.line, start);
        let begin = first + 1 - start;
        let mut rank = M::least(lanes, begin, last.max(first + 1) - start);
        let mut line = start + M::first_with(lanes, begin, rank);
        let same = first == last;
        let (left_rank, right_rank) = (at(self.line, first), at(self.line, last));
        let left_inside = (usize::from(at(self.line_offset, first)) >= left % LINE)
            & (!same | (usize::from(at(self.line_offset, first)) <= right % LINE));
        let right_inside = usize::from(at(self.line_offset, last)) <= right % LINE;
        let left_matters = same | (left_rank < rank) | (ties & (left_rank == rank));
        let left_wins = left_matters & left_inside;
        (rank, line) = if left_wins { (left_rank, first) } else { (rank, line) };
        let right_matters = !same & (right_rank < rank);
        let right_wins = right_matters & right_inside;
        (rank, line) = if right_wins { (right_rank, last) } else { (rank, line) };
        (rank, line, (left_matters & !left_inside, right_matters & !right_inside))
    }

    /// Whether there are whole blocks inside the range that the groups do not account for.
    #[inline(always)]
    fn has_blocks(item: &Item<R>) -> bool {
        item.right / BLOCK > item.left / BLOCK + 1
    }

    #[inline(always)]
    fn look_at_blocks<M: Machine>(&self, item: &mut Item<R>) {
        let [left, right] = item.ends(BLOCK);
        item.look::<M>(2, BLOCK, [children(self.block, left), children(self.block, right)]);
        item.narrow(at(self.block, left), at(self.block, right));
    }

    #[inline(always)]
    fn look_at_lines<M: Machine>(&self, item: &mut Item<R>) {
        let [left, right] = item.ends(LINE);
        item.look::<M>(1, LINE, [children(self.line, left), children(self.line, right)]);
        item.narrow(at(self.line, left), at(self.line, right));
    }

    #[inline(always)]
    fn look_at_elements<M: Machine>(&self, item: &mut Item<R>) {
        let [left, right] = item.ends(1);
        item.look::<M>(0, 1, [&self.line_of(left), &self.line_of(right)]);
    }

    /// The ranks of the line that holds `place`. Lanes outside the array are of no importance: nobody selects them.
    #[inline(always)]
    fn line_of(&self, place: usize) -> [R; LINE] {
        let start = (place / LINE * LINE).wrapping_sub(self.shift);
        // The first line may begin before the array, and then `start` has wrapped around.
        if start >= (self.array.len() + 1).saturating_sub(LINE) {
            return self.partial_line(start);
        }
        let mut ranks = [R::WORST; LINE];
        // SAFETY: there are at least `LINE` elements from `start` on.
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
    fn position<M: Machine>(&self, best: Best<R>) -> usize {
        let (level, index) = (best.node & 3, best.node >> 2);
        let place = match level {
            3 => {
                // A table from a file may hold anything.
                let index = index.min(self.width - 1);
                index * GROUP + usize::from(at(self.group_offset, index))
            }
            // Chosen without a branch, which would be mispredicted on ranges about as long as a block.
            1 | 2 => {
                let (minima, offsets, size) = match level {
                    1 => (self.line, self.line_offset, LINE),
                    _ => (self.block, self.block_offset, BLOCK),
                };
                let entry = first_entry_with::<M, R>(children(minima, index), index, best.rank);
                entry * size + usize::from(at(offsets, entry))
            }
            _ => first_entry_with::<M, R>(&self.line_of(index), index, best.rank),
        };
        // So may its offsets: the position stays inside the array whatever they say.
        place.wrapping_sub(self.shift).min(self.array.len() - 1)
    }

    /// The position of a line's minimum.
    #[inline(always)]
    fn minimum_of_line(&self, line: usize) -> usize {
        let place = line * LINE + usize::from(at(self.line_offset, line));
        place.wrapping_sub(self.shift).min(self.array.len() - 1)
    }

    /// One query outside a batch: whatever is not needed is not touched.
    #[inline(always)]
    fn ask<M: Machine>(&self, left: usize, right: usize) -> usize {
        if self.is_short(left, right) {
            prefetch(self.array, left);
            prefetch(self.array, right);
            let (left, right) = (left + self.shift, right + self.shift);
            let (rank, line, open) = self.look_at_short::<M>(left, right, true);
            if !(open.0 | open.1) {
                return self.minimum_of_line(line);
            }
            let mut item = Item { left, right, best: Best { rank, node: node(1, line) }, open, ties: true };
            self.look_at_elements::<M>(&mut item);
            return self.position::<M>(item.best);
        }
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
            self.look_at_blocks::<M>(&mut item);
        }
        if item.is_open() {
            self.look_at_lines::<M>(&mut item);
            if item.is_open() {
                self.look_at_elements::<M>(&mut item);
            }
        }
        self.position::<M>(item.best)
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
    fn answer<M: Machine, P: Position>(&self, queries: &[[P; 2]], mut sink: impl Sink<R>) -> Option<()> {
        let ties = sink.ties(self);
        let mut bests = [Best::NOTHING; PORTION];
        let mut lookups = [Lookup::default(); PORTION];
        let [mut short, mut wide, mut opened, mut with_blocks] = [List::EMPTY; 4];
        let [mut with_lines, mut with_elements, mut done] = [List::EMPTY; 3];
        for (portion, queries) in queries.chunks(PORTION).enumerate() {
            // Plain arithmetic in a loop of its own, which becomes vector instructions.
            let (mut bad, mut count) = (false, 0);
            for (&[left, right], lookup) in queries.iter().zip(&mut lookups) {
                bad |= (left > right) | (right.get() >= self.array.len());
                *lookup = self.lookup(left.get(), right.get());
                count += usize::from(self.is_short(left.get(), right.get()));
            }
            if bad {
                return None;
            }
            let base = portion * PORTION;
            if count > 0 {
                for (i, &[left, right]) in queries.iter().enumerate() {
                    let is_short = self.is_short(left.get(), right.get());
                    short.push_if(is_short, Ticket::new(i, (true, true)));
                    wide.push_if(!is_short, Ticket::new(i, (true, true)));
                }
                for &ticket in short.tickets() {
                    let [left, right] = at(queries, ticket.query()).map(|bound| bound.get() + self.shift);
                    self.ask_for_lines(left, right);
                }
            }
            let wide = wide.drain();
            for k in 0..queries.len() - count {
                let i = if count > 0 { at(wide, k).query() } else { k };
                let (best, open) = self.look_at_groups(lookups[i], ties);
                // Most wide queries end here; for the others the answer is overwritten later.
                sink.put::<M>(base + i, best, self);
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
                self.look_at_blocks::<M>(&mut item);
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
                self.look_at_lines::<M>(&mut item);
                bests[ticket.query()] = item.best;
                let ticket = Ticket::new(ticket.query(), item.open);
                with_elements.push_if(item.is_open(), ticket);
                done.push_if(!item.is_open(), ticket);
            }
            for &ticket in short.drain() {
                let i = ticket.query();
                let [left, right] = at(queries, i).map(|bound| bound.get() + self.shift);
                let (rank, line, open) = self.look_at_short::<M>(left, right, ties);
                // As above: most short queries end here.
                sink.put_line(base + i, rank, line, self);
                bests[i] = Best { rank, node: node(1, line) };
                with_elements.push_if(open.0 | open.1, Ticket::new(i, open));
            }
            for &ticket in with_elements.tickets() {
                let Item { left, right, open, .. } = self.item(ticket, queries, &bests, ties);
                prefetch(self.array, if open.0 { left } else { right } - self.shift);
                prefetch(self.array, if open.1 { right } else { left } - self.shift);
            }
            for &ticket in done.drain() {
                sink.put::<M>(base + ticket.query(), bests[ticket.query()], self);
            }
            for &ticket in with_elements.drain() {
                let mut item = self.item(ticket, queries, &bests, ties);
                self.look_at_elements::<M>(&mut item);
                sink.put::<M>(base + ticket.query(), item.best, self);
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

kernel! {
    /// The positions of a chunk of queries, or `None` if one of them is bad. For both widths: queries and answers that are
    /// converted take a batch of wide ranges 9 % more time, and 15 % where values are asked for.
    pub(super) positions, positions_body<R: Rank, P: Position>(
        view: &View<'_, R>, queries: &[[P; 2]], out: &mut [P]
    ) -> Option<()> = view.answer::<M, P>(queries, PositionSink(out)), up to Level::Avx512
}
kernel! {
    /// The same for values.
    pub(super) values, values_body<R: Rank, P: Position>(
        view: &View<'_, R>, queries: &[[P; 2]], out: &mut [R]
    ) -> Option<()> = view.answer::<M, P>(queries, ValueSink(out)), up to Level::Avx512
}
kernel! {
    /// The answer to one query.
    pub(super) single, single_body<R: Rank>(
        view: &View<'_, R>, left: usize, right: usize
    ) -> usize = view.ask::<M>(left, right), up to most::<R>()
}

/// A batch's output: positions or values.
trait Sink<R: Rank> {
    /// Whether it matters which one of several elements of the best rank is found. Where it does not, an end that is only
    /// as good as what is known stays closed. (What that saves on arrays of few values has not been measured.)
    fn ties(&self, view: &View<'_, R>) -> bool;
    /// Stores the answer to query `i`.
    fn put<M: Machine>(&mut self, i: usize, best: Best<R>, view: &View<'_, R>);
    /// The same for the minimum of a line.
    fn put_line(&mut self, i: usize, rank: R, line: usize, view: &View<'_, R>);
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
    fn put<M: Machine>(&mut self, i: usize, best: Best<R>, view: &View<'_, R>) {
        self.0[i] = P::new(view.position::<M>(best));
    }

    #[inline(always)]
    fn put_line(&mut self, i: usize, _: R, line: usize, view: &View<'_, R>) {
        self.0[i] = P::new(view.minimum_of_line(line));
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
    fn put<M: Machine>(&mut self, i: usize, best: Best<R>, view: &View<'_, R>) {
        self.0[i] = match best.rank.unrank(view.order) {
            Some(bits) => bits,
            // A rank that several bit patterns share (zeros, NaNs): look it up.
            None => view.array[view.position::<M>(best)],
        };
    }

    #[inline(always)]
    fn put_line(&mut self, i: usize, rank: R, line: usize, view: &View<'_, R>) {
        self.0[i] = match rank.unrank(view.order) {
            Some(bits) => bits,
            None => view.array[view.minimum_of_line(line)],
        };
    }

    #[inline(always)]
    fn put_position(&mut self, i: usize, position: usize, view: &View<'_, R>) {
        self.0[i] = at(view.array, position);
    }
}
