//! Queries, one by one and in batches: superblocks first, then the words of what has to be opened, then codes.

use std::hint::select_unpredictable as pick;

use super::word::Word;
use super::{Dictionary, FAN, PaddedTree, Shape};
use crate::rmq::stages::{List, PORTION, Ranges, load, most, store};
use crate::rmq::table::Entry;
use thalweg_core::coding::Ranking;
use thalweg_core::dispatch;
use thalweg_core::simd::prefetch;
use thalweg_core::{Pairs, PositionsMut, Rank};

/// The best superblock inside the range so far, if there is one.
#[derive(Clone, Copy)]
struct Best<R> {
    rank: R,
    superblock: usize,
}

impl<R: Rank> Best<R> {
    const NOTHING: Self = Self { rank: R::WORST, superblock: usize::MAX };

    #[inline(always)]
    fn known(self) -> bool {
        self.superblock != usize::MAX
    }

    /// The better of two, on ties the left one. Which one it is cannot be predicted.
    #[inline(always)]
    fn or(self, other: Self) -> Self {
        let wins = (other.rank < self.rank) | ((other.rank == self.rank) & (other.superblock < self.superblock));
        other.only_if(wins, self)
    }

    #[inline(always)]
    fn only_if(self, really: bool, other: Self) -> Self {
        Self { rank: pick(really, self.rank, other.rank), superblock: pick(really, self.superblock, other.superblock) }
    }
}

/// The superblocks of a range's ends, and the two entries of the table that cover the groups between their groups.
#[derive(Clone, Copy, Default)]
struct Lookup {
    left: usize,
    right: usize,
    wide: bool,
    begin: usize,
    end: usize,
}

impl Lookup {
    /// Whether there are superblocks between those of the ends.
    #[inline(always)]
    fn has_superblocks(self) -> bool {
        self.right > self.left + 1
    }
}

/// What the superblocks tell of a range.
struct Looked<R> {
    best: Best<R>,
    /// The part at its left end, or all of the range if that is one part; the part at its right end.
    parts: [(usize, usize); 2],
    /// Which of them have to be opened.
    open: [bool; 2],
}

/// What the words of a part tell.
struct Opened {
    /// The best position among those that are known, if there are any.
    position: usize,
    known: bool,
    /// Whether the block of either end may hold something better.
    open: [bool; 2],
}

/// The index as the query loops see it: bare slices, so that nothing is looked up twice.
struct View<'v, R: Rank> {
    array: &'v [R],
    order: Ranking<R>,
    shape: Shape,
    dictionary: Dictionary,
    codes: &'v [u32],
    blocks: &'v [u32],
    minima: &'v [R],
    superblocks: &'v [u32],
    table: &'v [Entry<R>],
    width: usize,
}

impl<R: Rank> PaddedTree<'_, R> {
    #[inline(always)]
    fn view(&self) -> View<'_, R> {
        View {
            array: &self.array,
            order: self.order,
            shape: self.shape,
            dictionary: self.dictionary,
            codes: &self.codes,
            blocks: &self.blocks,
            minima: &self.minima,
            superblocks: &self.superblocks,
            table: &self.table.entries,
            width: self.table.width,
        }
    }
}

/// An element whose index may come from a damaged file: then it is none, and anything will do.
#[inline(always)]
fn at<T: Copy + Default>(slice: &[T], index: usize) -> T {
    slice.get(index).copied().unwrap_or_default()
}

/// Two of `begin..end`, one of which is the best. There must be one at least; all must be in one superblock, or group.
#[inline(always)]
fn rivals(words: &[u32], begin: usize, end: usize) -> (usize, usize) {
    let k = (usize::BITS - 1 - (end - begin).leading_zeros()).min(5);
    let last = end - (1 << k);
    (begin + Word(at(words, begin)).best_of(k), last + Word(at(words, last)).best_of(k))
}

impl<R: Rank> View<'_, R> {
    /// Where in the table the groups between those of the ends are to be looked up.
    #[inline(always)]
    fn lookup(&self, left: usize, right: usize) -> Lookup {
        let (left, right) = (left >> self.shape.superblock(), right >> self.shape.superblock());
        let wide = right / FAN > left / FAN + 1;
        // Without a group between, any entry will do: it is thrown away.
        let first = if wide { left / FAN + 1 } else { 0 };
        let count = if wide { right / FAN - first } else { 1 };
        let row = usize::BITS - 1 - count.leading_zeros();
        let begin = row as usize * self.width + first;
        Lookup { left, right, wide, begin, end: begin + count - (1 << row) }
    }

    /// Looks at those groups. Tells whether the group of either end has to be looked at.
    #[inline(always)]
    fn look_at_groups(&self, lookup: Lookup) -> (Best<R>, bool) {
        let Lookup { left, right, wide, begin, end } = lookup;
        let entry = at(self.table, begin).or_right(at(self.table, end));
        let (left, right) = (at(self.table, left / FAN).rank, at(self.table, right / FAN).rank);
        let best = Best { rank: entry.rank, superblock: entry.group as usize };
        (best.only_if(wide, Best::NOTHING), !wide | (left <= best.rank) | (right < best.rank))
    }

    #[inline(always)]
    fn superblock(&self, superblock: usize) -> Best<R> {
        Best { rank: at(self.minima, superblock), superblock }
    }

    /// The best of superblocks `begin..end` of one group, if there are any.
    #[inline(always)]
    fn best_between(&self, begin: usize, end: usize) -> Best<R> {
        let some = begin < end;
        // Without any, one that is there stands in.
        let (a, b) = rivals(self.superblocks, pick(some, begin, end), end + usize::from(!some));
        self.superblock(a).or(self.superblock(b)).only_if(some, Best::NOTHING)
    }

    /// Looks at the superblocks between those of the ends, as far as they lie in the groups of the ends.
    #[inline(always)]
    fn look_at_superblocks(&self, lookup: Lookup, best: Best<R>) -> Best<R> {
        let (first, last) = (lookup.left, lookup.right);
        // In one group, the left side does it all.
        let left_end = last.min((first | (FAN - 1)) + 1);
        let right_begin = (last & !(FAN - 1)).max(left_end);
        best.or(self.best_between(first + 1, left_end)).or(self.best_between(right_begin, last))
    }

    /// Looks at the superblocks of the ends.
    #[inline(always)]
    fn look_at_ends(&self, left: usize, right: usize, lookup: Lookup, mut best: Best<R>) -> Looked<R> {
        let (first, last) = (lookup.left, lookup.right);
        let size = self.shape.superblock();
        let (from, to) = (left & ((1 << size) - 1), right & ((1 << size) - 1));
        let one = first == last;
        let (left_best, right_best) = (self.superblock(first), self.superblock(last));
        let left_open = one | (left_best.rank <= best.rank);
        let left_known = left_open & !one & (Word(at(self.superblocks, first)).offset() >= from);
        best = left_best.only_if(left_known, best);
        // If nothing is known there is a part at the left end, which wins ties.
        let right_open = !one & (right_best.rank < best.rank);
        let right_known = right_open & (Word(at(self.superblocks, last)).offset() <= to);
        best = right_best.only_if(right_known, best);
        let left_last = pick(one, right, left | ((1 << size) - 1));
        Looked {
            best,
            parts: [(left, left_last), (last << size, right)],
            open: [left_open & !left_known, right_open & !right_known],
        }
    }

    /// The position of a superblock's minimum.
    #[inline(always)]
    fn position(&self, superblock: usize) -> usize {
        // An offset from a damaged file may be too large.
        let offset = Word(at(self.superblocks, superblock)).offset();
        let position = (superblock << self.shape.superblock()).wrapping_add(offset);
        position.min(self.array.len() - 1)
    }

    #[inline(always)]
    fn is_one_block(&self, (left, right): (usize, usize)) -> bool {
        left >> self.shape.block == right >> self.shape.block
    }

    /// Asks for the words of a part's ends' blocks.
    #[inline(always)]
    fn prefetch_words(&self, (left, right): (usize, usize)) {
        let (first, last) = (left >> self.shape.block, right >> self.shape.block);
        prefetch(self.blocks, first);
        prefetch(self.blocks, last);
    }

    /// Looks at the words of a part that is more than one block.
    #[inline(always)]
    fn open(&self, (left, right): (usize, usize)) -> Opened {
        let (first, last) = (left >> self.shape.block, right >> self.shape.block);
        let (from, to) = (left & ((1 << self.shape.block) - 1), right & ((1 << self.shape.block) - 1));
        let (first_word, last_word) = (Word(at(self.blocks, first)), Word(at(self.blocks, last)));
        // The blocks between; without any, the last stands in.
        let between = last > first + 1;
        let (a, b) = rivals(self.blocks, pick(between, first + 1, last), last + usize::from(!between));
        let (a_word, b_word) = (Word(at(self.blocks, a)), Word(at(self.blocks, b)));
        let b_wins = b_word.place() < a_word.place();
        let (inside, inside_word) = (pick(b_wins, b, a), pick(b_wins, b_word.0, a_word.0));
        // Every block as its place; one whose minimum is not known to be in the range as the number behind the last.
        let none = FAN as u32;
        let first_place = pick(first_word.offset_in_block() >= from, first_word.place(), none);
        let last_place = pick(last_word.offset_in_block() <= to, last_word.place(), none);
        let inside_place = pick(between, Word(inside_word).place(), none);
        let best = first_place.min(last_place).min(inside_place);
        let (is_inside, is_last) = (best == inside_place, best == last_place);
        let block = pick(is_last, last, pick(is_inside, inside, first));
        let word = Word(pick(is_last, last_word.0, pick(is_inside, inside_word, first_word.0)));
        Opened {
            position: ((block << self.shape.block) + word.offset_in_block()).min(self.array.len() - 1),
            known: best < none,
            open: [first_word.place() < best, last_word.place() < best],
        }
    }

    /// The ranges inside one block at either end of a part that is more than one.
    #[inline(always)]
    fn ends(&self, (left, right): (usize, usize)) -> [(usize, usize); 2] {
        let size = 1 << self.shape.block;
        [(left, left | (size - 1)), (right & !(size - 1), right)]
    }

    #[inline(always)]
    fn prefetch_code(&self, position: usize) {
        prefetch(self.codes, position >> 4);
    }

    /// The best position of a range inside one block.
    #[inline(always)]
    fn in_block(&self, (left, right): (usize, usize)) -> usize {
        let start = left >> self.shape.block << self.shape.block;
        let code = at(self.codes, start >> 4) >> ((2 * start) & 31);
        start + self.dictionary.argmin(code, (left - start) as u32, (right - start) as u32) as usize
    }

    #[inline(always)]
    fn ranked(&self, position: usize) -> (R, usize) {
        (at(self.array, position).ranked(self.order), position)
    }

    /// One query outside a batch: whatever is not needed is not touched.
    #[inline(always)]
    fn ask(&self, left: usize, right: usize) -> usize {
        let lookup = self.lookup(left, right);
        let (best, open) = self.look_at_groups(lookup);
        if !open {
            return self.position(best.superblock);
        }
        let best = if lookup.has_superblocks() { self.look_at_superblocks(lookup, best) } else { best };
        let looked = self.look_at_ends(left, right, lookup, best);
        let best = looked.best;
        // Everything at once, not one after the other: what is found in an end's block is near the end.
        for (part, _) in looked.parts.into_iter().zip(looked.open).filter(|(_, open)| *open) {
            self.prefetch_words(part);
            for end in [part.0, part.1] {
                self.prefetch_code(end);
                prefetch(self.array, end);
            }
        }
        let mut slots = Slots::default();
        for (part, _) in looked.parts.into_iter().zip(looked.open).filter(|(_, open)| *open) {
            if self.is_one_block(part) {
                slots.push_if(true, self.in_block(part));
                continue;
            }
            let opened = self.open(part);
            slots.push_if(opened.known, opened.position);
            for (range, _) in self.ends(part).into_iter().zip(opened.open).filter(|(_, open)| *open) {
                slots.push_if(true, self.in_block(range));
            }
        }
        if best.known() | (slots.len > 1) { self.settle(best, &slots) } else { slots.positions[0] }
    }

    /// The best one of a query's candidates.
    #[inline(always)]
    fn settle(&self, best: Best<R>, slots: &Slots) -> usize {
        let nothing = (R::WORST, usize::MAX);
        let known = if best.known() { (best.rank, self.position(best.superblock)) } else { nothing };
        slots.get().iter().map(|&position| self.ranked(position)).fold(known, Ord::min).1
    }

    /// A chunk of a batch, in stages.
    #[inline(always)]
    fn answer(&self, queries: Pairs<'_>, mut out: PositionsMut<'_>) -> Option<()> {
        let mut ranges_of: Ranges = [[0; 2]; PORTION];
        let mut lookups = [Lookup::default(); PORTION];
        let mut answers = [0; PORTION];
        let mut bests = [Best::NOTHING; PORTION];
        let mut slots = [Slots::default(); PORTION];
        let [mut opened, mut inner, mut unsettled, mut rivals] = [List::<usize, PORTION>::new(0); 4];
        let mut parts = List::<(usize, (usize, usize)), { 2 * PORTION }>::new((0, (0, 0)));
        // At most one of either part, unless a file is damaged.
        let mut ranges = List::<(usize, (usize, usize)), { 4 * PORTION }>::new((0, (0, 0)));
        for first in (0..queries.len()).step_by(PORTION) {
            let lookup = |left, right| self.lookup(left, right);
            let count = load(queries, first, self.array.len(), &mut ranges_of, &mut lookups, lookup)?;
            for (i, (&lookup, answer)) in lookups[..count].iter().zip(&mut answers).enumerate() {
                let (best, open) = self.look_at_groups(lookup);
                // Most wide queries end here; for the others the answer is overwritten later.
                *answer = self.position(best.superblock);
                bests[i] = best;
                opened.push_if(open, i);
            }
            for &i in opened.tickets() {
                inner.push_if(lookups[i].has_superblocks(), i);
            }
            for &i in inner.drain() {
                bests[i] = self.look_at_superblocks(lookups[i], bests[i]);
            }
            for &i in opened.drain() {
                let [left, right] = ranges_of[i];
                let looked = self.look_at_ends(left, right, lookups[i], bests[i]);
                bests[i] = looked.best;
                answers[i] = self.position(looked.best.superblock);
                slots[i].len = 0;
                for (part, open) in looked.parts.into_iter().zip(looked.open) {
                    let one = self.is_one_block(part);
                    parts.push_if(open & !one, (i, part));
                    ranges.push_if(open & one, (i, part));
                }
                unsettled.push_if(looked.open[0] | looked.open[1], i);
            }
            for &(_, part) in parts.tickets() {
                self.prefetch_words(part);
            }
            for &(i, part) in parts.drain() {
                let opened = self.open(part);
                slots[i].push_if(opened.known, opened.position);
                for (range, open) in self.ends(part).into_iter().zip(opened.open) {
                    ranges.push_if(open, (i, range));
                }
            }
            for &(_, (left, _)) in ranges.tickets() {
                self.prefetch_code(left);
            }
            for &(i, range) in ranges.drain() {
                slots[i].push_if(true, self.in_block(range));
            }
            for &i in unsettled.drain() {
                // Most have one candidate; for the others the answer is overwritten later.
                answers[i] = slots[i].positions[0];
                rivals.push_if(bests[i].known() | (slots[i].len > 1), i);
            }
            for &i in rivals.tickets() {
                for &position in slots[i].get() {
                    prefetch(self.array, position);
                }
            }
            for &i in rivals.drain() {
                answers[i] = self.settle(bests[i], &slots[i]);
            }
            store(&answers[..count], first, &mut out);
        }
        Some(())
    }
}

/// The candidates of a query whose ranks are not known: at most two of either part.
#[derive(Clone, Copy, Default)]
struct Slots {
    positions: [usize; 4],
    len: usize,
}

impl Slots {
    #[inline(always)]
    fn push_if(&mut self, really: bool, position: usize) {
        self.positions[self.len % 4] = position;
        self.len += usize::from(really);
    }

    #[inline(always)]
    fn get(&self) -> &[usize] {
        &self.positions[..self.len.min(4)]
    }
}

#[inline(always)]
fn positions_body<R: Rank>(index: &PaddedTree<'_, R>, queries: Pairs<'_>, out: PositionsMut<'_>) -> Option<()> {
    index.view().answer(queries, out)
}

#[inline(always)]
fn single_body<R: Rank>(index: &PaddedTree<'_, R>, left: usize, right: usize) -> usize {
    index.view().ask(left, right)
}

dispatch! {
    /// The answers to a chunk of queries, or `None` if one of them is bad.
    pub(super) fn positions<R: Rank>(
        index: &PaddedTree<'_, R>, queries: Pairs<'_>, out: PositionsMut<'_>,
    ) -> Option<()> = positions_body;
}
dispatch! {
    /// The answer to one query.
    pub(super) fn single<R: Rank>(
        index: &PaddedTree<'_, R>, left: usize, right: usize,
    ) -> usize = single_body, up to most::<R>();
}
