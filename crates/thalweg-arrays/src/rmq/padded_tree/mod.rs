//! Blocks as codes of their Cartesian trees, and packed tables over them: four bits an element.
//!
//! *Problem.* Range minimum queries with little extra memory, and answers mostly without a look at the array.
//!
//! *Idea.* The array is cut into blocks of 16 elements, 64 of which are a superblock, and there are:
//!
//! ```text
//! table        minimum of 2^k groups of 64 superblocks from every group on, and the superblock where it lies
//! superblocks  minimum of 1,024 elements, where it is (10 bits), and in which of the 2, 4, ..., 32 superblocks from
//!              it on the best one is, relative to it (15 bits)
//! blocks       where the minimum of 16 elements is (4 bits), how many blocks of the superblock have a better one (6 bits),
//!              and in which of the 2, 4, ..., 32 blocks from it on the best one is (15 bits)
//! codes        the Cartesian tree of every block, 2 bits an element
//! ```
//!
//! The *places* of the blocks' minima in their superblock, 6 bits each, take the role of the minima themselves: they
//! tell which of two blocks has the better one, so comparing blocks of one superblock reads neither the array nor
//! anything else. And since they are all different, ties are settled once and for all, when they are made.
//!
//! A query is answered from the inside out. The superblocks inside the range are two lookups in the table and two in
//! the group of either end; all that is small and in the cache. An end's superblock is opened only if its own minimum
//! beats what is known, and not even then if that minimum lies in the range: then it is the answer to this end. What is
//! opened is a *part*, a range inside one superblock: the blocks inside are two lookups in the words, and an end's
//! block is opened only if its minimum would be the best and is outside the range. Then its [code](code) tells the
//! best of the rest. Only the few candidates that neither places nor minima compare are read in the array.
//!
//! *Ties* go to the leftmost position: among candidates the better rank counts, then the smaller position.
//!
//! Batches are answered in [stages](super::stages), so that the misses of many queries overlap.
//!
//! *Source.* Soman, Kothapalli, Narayanan, *Discrete range searching primitive for the GPU and its applications*, 2012:
//! the codes of padded trees, the dictionary, the packed relative tables and the sizes. The places of minima, the tests
//! that leave ends closed and the order of looking are this project's.
//!
//! *Bounds.* Build: O(n) work for constant block sizes, O(log n) span. Query: O(1). Extra memory with 16 and 64: 4 bits an
//! element, a key and 32 bits a superblock, and the table: 4.1 bits an element in all, for keys of 64 bits too.

mod code;
mod shape;

use std::hint::select_unpredictable as pick;

use rayon::prelude::*;

pub use self::code::Dictionary;
use self::code::{PLACES, encode};
pub use self::shape::{PaddedTreeOptions, Shape};
use super::batch::CpuEngine;
#[cfg(feature = "file")]
use super::file::contents::{Contents, Sections};
use super::lines::{Entry, Table};
use super::stages::{List, PORTION};
use thalweg_core::bits::Bits;
use thalweg_core::coding::Ranking;
use thalweg_core::dispatch;
use thalweg_core::memory::Aligned;
use thalweg_core::simd::prefetch;
use thalweg_core::storage::Storage;
use thalweg_core::{Pairs, Position, PositionsMut, Rank, Result};

/// Blocks of a superblock at most, and superblocks of a group: places have 6 bits.
const FAN: usize = 64;

/// What is known of a block or superblock besides its minimum. In bits 0 to 9 where that is: for a block the offset, and
/// from bit 4 on the minimum's place in the superblock. From bit 10 on, in k bits each, in which of the 2^k from it on the
/// best one is, for k from 1 to 5.
#[derive(Clone, Copy)]
struct Word(u32);

impl Word {
    /// Where the bits for the best of 2^k begin.
    #[inline(always)]
    fn shift(k: u32) -> u32 {
        10 + k * k.wrapping_sub(1) / 2
    }

    #[inline(always)]
    fn best_of(self, k: u32) -> usize {
        (self.0 >> Self::shift(k)) as usize & ((1 << k) - 1)
    }

    /// A superblock's.
    #[inline(always)]
    fn offset(self) -> usize {
        self.0 as usize & 1023
    }

    /// A block's.
    #[inline(always)]
    fn offset_in_block(self) -> usize {
        self.0 as usize & 15
    }

    #[inline(always)]
    fn place(self) -> u32 {
        self.0 >> 4 & 63
    }
}

/// The index. See the module's text.
pub(super) struct PaddedTree<'a, R: Rank> {
    array: Storage<'a, R>,
    order: Ranking<R>,
    shape: Shape,
    dictionary: Dictionary,
    /// The codes of all blocks, one after the other, and a [`Word`] for each, up to a whole superblock.
    codes: Storage<'a, u32>,
    blocks: Storage<'a, u32>,
    /// The minima of superblocks, and a word for each.
    minima: Storage<'a, R>,
    superblocks: Storage<'a, u32>,
    /// Over groups of [`FAN`] superblocks.
    table: Table<'a, R>,
}

impl<'a, R: Rank> PaddedTree<'a, R> {
    pub(super) fn new(array: Storage<'a, R>, order: Ranking<R>, options: PaddedTreeOptions) -> Result<Self> {
        let (shape, dictionary) = options.read()?;
        let count = array.len().div_ceil(1 << shape.superblock());
        let codes_each = codes_each(shape);
        let mut codes = Aligned::zeroed(count * codes_each, "the codes of blocks")?;
        let mut blocks = Aligned::zeroed(count << shape.blocks, "the words of blocks")?;
        let mut minima = Aligned::zeroed(count, "the minima of superblocks")?;
        let mut superblocks = Aligned::zeroed(count, "the words of superblocks")?;
        (
            array.par_chunks(1 << shape.superblock()),
            codes.par_chunks_mut(codes_each),
            blocks.par_chunks_mut(1 << shape.blocks),
            minima.par_iter_mut(),
            superblocks.par_iter_mut(),
        )
            .into_par_iter()
            .with_min_len(8)
            .for_each(|(elements, codes, blocks, minimum, superblock)| {
                (*minimum, *superblock) = fill(elements, order, shape, codes, blocks);
            });
        let groups = (minima.par_chunks(FAN), superblocks.par_chunks_mut(FAN)).into_par_iter().enumerate();
        let table = Table::new(groups.map(|(g, (minima, superblocks))| {
            let mut lanes = [R::WORST; FAN];
            lanes[..minima.len()].copy_from_slice(minima);
            let Packed { words, best, .. } = pack(&lanes);
            superblocks.iter_mut().zip(words).for_each(|(superblock, word)| *superblock |= word);
            Entry { rank: lanes[best], group: (g * FAN + best) as u32 }
        }))?;
        let (codes, blocks, minima, superblocks) = (codes.into(), blocks.into(), minima.into(), superblocks.into());
        Ok(Self { array, order, shape, dictionary, codes, blocks, minima, superblocks, table })
    }
}

#[cfg(feature = "file")]
impl<R: Rank> PaddedTree<'static, R> {
    /// The index from a file.
    pub(super) fn load(from: &mut Sections<'_>, order: Ranking<R>) -> Result<Self> {
        let mut option = |name| from.option(name, 0..=FAN).map(Some);
        let (block, superblock, dictionary) = (option("block")?, option("superblock")?, option("dictionary")?);
        let (shape, dictionary) = PaddedTreeOptions { block, superblock, dictionary }.read()?;
        let count = from.len().div_ceil(1 << shape.superblock());
        let (codes, blocks) =
            (from.part("codes", count * codes_each(shape))?, from.part("blocks", count << shape.blocks)?);
        let (minima, superblocks) = (from.part("minima", count)?, from.part("superblocks", count)?);
        let table = Table::load(from, count.div_ceil(FAN))?;
        Ok(Self { array: from.array()?, order, shape, dictionary, codes, blocks, minima, superblocks, table })
    }
}

/// Words of codes in a superblock: two bits an element in words of 32.
fn codes_each(shape: Shape) -> usize {
    2 << shape.superblock() >> 5
}

dispatch! {
    /// Codes and words of one superblock's blocks. Returns its minimum and where that is.
    fn fill<R: Rank>(
        elements: &[R], order: Ranking<R>, shape: Shape, codes: &mut [u32], blocks: &mut [u32],
    ) -> (R, u32) = fill_body;
}

#[inline(always)]
fn fill_body<R: Rank>(
    elements: &[R],
    order: Ranking<R>,
    shape: Shape,
    codes: &mut [u32],
    blocks: &mut [u32],
) -> (R, u32) {
    // Blocks that are not there have the worst rank, and so has what is missing in the last one: the leftmost wins.
    let (mut minima, mut offsets) = ([R::WORST; FAN], [0u32; FAN]);
    let (size, bits) = (1 << shape.block, 2 << shape.block);
    for (b, elements) in elements.chunks(size).enumerate() {
        let mut ranks = [R::WORST; PLACES];
        match elements.first_chunk::<PLACES>() {
            Some(whole) => R::rank_all(whole, order, &mut ranks),
            None => R::rank_all(elements, order, &mut ranks[..elements.len()]),
        }
        let block = encode(&ranks);
        (minima[b], offsets[b]) = (block.minimum, block.offset);
        codes[(b * bits as usize) >> 5] |= (block.code & (u32::MAX >> (u32::BITS - bits))) << ((b as u32 * bits) & 31);
    }
    let Packed { words, places, best } = pack_body(&minima);
    for (b, block) in blocks.iter_mut().enumerate() {
        *block = words[b] | places[b] << 4 | offsets[b];
    }
    (minima[best], ((best as u32) << shape.block) + offsets[best])
}

/// What [`pack`] says about some minima.
struct Packed {
    /// The words without bits 0 to 9.
    words: [u32; FAN],
    places: [u32; FAN],
    /// The leftmost best one.
    best: usize,
}

dispatch! {
    /// Which are the best ones of 2, 4, ..., 32 minima.
    fn pack<R: Rank>(minima: &[R; FAN]) -> Packed = pack_body;
}

#[inline(always)]
fn pack_body<R: Rank>(minima: &[R; FAN]) -> Packed {
    let places = places_of(minima);
    // Place and number in one: the least one of some has the best place, and tells whose it is.
    let mut best: [u16; FAN] = std::array::from_fn(|i| (places[i] << 6) as u16 | i as u16);
    let first = usize::from(best.iter().fold(u16::MAX, |best, &other| best.min(other)) & 63);
    let mut words = [0; FAN];
    for k in 1..=5 {
        let half = 1 << (k - 1);
        // Ascending, so that what is read on the right is still of the last round.
        for i in 0..FAN - half {
            best[i] = best[i].min(best[i + half]);
        }
        for i in 0..FAN {
            words[i] |= (u32::from(best[i] & 63) - i as u32) << Word::shift(k);
        }
    }
    Packed { words, places, best: first }
}

/// Of every minimum, how many others are better, or equal and further left. All pairs, so that it becomes vector
/// instructions.
#[inline(always)]
fn places_of<R: Rank>(minima: &[R; FAN]) -> [u32; FAN] {
    let mut places = [0; FAN];
    for (other, &rank) in minima.iter().enumerate() {
        for (i, place) in places.iter_mut().enumerate() {
            *place += u32::from((rank < minima[i]) | ((rank == minima[i]) & (other < i)));
        }
    }
    places
}

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
    fn answer<P: Position>(&self, queries: &[[P; 2]], out: &mut [P]) -> Option<()> {
        let mut lookups = [Lookup::default(); PORTION];
        let mut bests = [Best::NOTHING; PORTION];
        let mut slots = [Slots::default(); PORTION];
        let [mut opened, mut inner, mut unsettled, mut rivals] = [List::<usize, PORTION>::new(0); 4];
        let mut parts = List::<(usize, (usize, usize)), { 2 * PORTION }>::new((0, (0, 0)));
        // At most one of either part, unless a file is damaged.
        let mut ranges = List::<(usize, (usize, usize)), { 4 * PORTION }>::new((0, (0, 0)));
        for (queries, out) in queries.chunks(PORTION).zip(out.chunks_mut(PORTION)) {
            // Plain arithmetic in a loop of its own, which becomes vector instructions.
            let mut bad = false;
            for (&[left, right], lookup) in queries.iter().zip(&mut lookups) {
                bad |= (left > right) | (right.get() >= self.array.len());
                *lookup = self.lookup(left.get(), right.get());
            }
            if bad {
                return None;
            }
            for (i, (&lookup, out)) in lookups.iter().zip(&mut *out).enumerate() {
                let (best, open) = self.look_at_groups(lookup);
                // Most wide queries end here; for the others the answer is overwritten later.
                *out = P::new(self.position(best.superblock));
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
                let [left, right] = queries[i];
                let looked = self.look_at_ends(left.get(), right.get(), lookups[i], bests[i]);
                bests[i] = looked.best;
                out[i] = P::new(self.position(looked.best.superblock));
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
                out[i] = P::new(slots[i].positions[0]);
                rivals.push_if(bests[i].known() | (slots[i].len > 1), i);
            }
            for &i in rivals.tickets() {
                for &position in slots[i].get() {
                    prefetch(self.array, position);
                }
            }
            for &i in rivals.drain() {
                out[i] = P::new(self.settle(bests[i], &slots[i]));
            }
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
fn batch_body<R: Rank, P: Position>(index: &PaddedTree<'_, R>, queries: &[[P; 2]], out: &mut [P]) -> Option<()> {
    index.view().answer(queries, out)
}

#[inline(always)]
fn single_body<R: Rank>(index: &PaddedTree<'_, R>, left: usize, right: usize) -> usize {
    index.view().ask(left, right)
}

dispatch! {
    fn batch<R: Rank, P: Position>(
        index: &PaddedTree<'_, R>, queries: &[[P; 2]], out: &mut [P],
    ) -> Option<()> = batch_body;
}
dispatch! {
    fn single<R: Rank>(index: &PaddedTree<'_, R>, left: usize, right: usize) -> usize = single_body;
}

impl<R: Rank> CpuEngine for PaddedTree<'_, R> {
    fn name(&self) -> &'static str {
        "padded_tree"
    }

    fn len(&self) -> usize {
        self.array.len()
    }

    fn array(&self) -> Option<Bits<'_>> {
        Some(R::erase(&self.array))
    }

    fn extra_bytes(&self) -> usize {
        self.codes.held_bytes()
            + self.blocks.held_bytes()
            + self.minima.held_bytes()
            + self.superblocks.held_bytes()
            + self.table.entries.held_bytes()
    }

    #[cfg(feature = "file")]
    fn contents(&self) -> Result<Contents<'_>> {
        Ok(Contents::new()
            .option("block", 1 << self.shape.block)
            .option("superblock", 1 << self.shape.blocks)
            .option("dictionary", self.dictionary.width as usize)
            .part("codes", &self.codes)
            .part("blocks", &self.blocks)
            .part("minima", &self.minima)
            .part("superblocks", &self.superblocks)
            .converted("table", size_of::<Entry<R>>(), self.table.to_bytes()?)
            .array(&self.array, 0))
    }

    fn position(&self, left: usize, right: usize) -> usize {
        single(self, left, right)
    }

    fn answer(&self, queries: Pairs<'_>, out: PositionsMut<'_>) -> Option<()> {
        match (queries, out) {
            (Pairs::U32(queries), PositionsMut::U32(out)) => batch(self, queries, out),
            (Pairs::U64(queries), PositionsMut::U64(out)) => batch(self, queries, out),
            _ => unreachable!("queries and positions have one width"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_core::Order;
    use thalweg_core::coding::Ranking;

    fn number(state: &mut u64) -> u64 {
        *state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        *state >> 33
    }

    /// What a damaged file might hold: every answer is a position of the array, and nothing panics.
    #[test]
    fn garbage_gives_positions() {
        let state = &mut 7;
        let array: Vec<u32> = (0..30_011).map(|_| number(state) as u32).collect();
        let queries: Vec<[u32; 2]> = (0..4000)
            .map(|i| {
                let left = number(state) as usize % array.len();
                let right = left + number(state) as usize % (array.len() - left).min([40, 3000, 40_000][i % 3]);
                [left as u32, right as u32]
            })
            .collect();
        for (block, superblock) in [(16, 64), (4, 16), (8, 32)] {
            let options = PaddedTreeOptions { block: Some(block), superblock: Some(superblock), dictionary: None };
            let mut tree = PaddedTree::new(Storage::from(&array[..]), Ranking::of::<u32>(Order::Min), options).unwrap();
            let mut garbage = |len: usize| (0..len).map(|_| (number(state) * 3) as u32).collect::<Vec<u32>>();
            tree.codes = garbage(tree.codes.len()).into();
            tree.blocks = garbage(tree.blocks.len()).into();
            tree.minima = garbage(tree.minima.len()).into();
            tree.superblocks = garbage(tree.superblocks.len()).into();
            let entries = garbage(2 * tree.table.entries.len());
            let entries = entries.chunks(2).map(|pair| Entry { rank: pair[0], group: pair[1] });
            tree.table.entries = entries.collect::<Vec<_>>().into();
            let mut out = vec![u32::MAX; queries.len()];
            tree.answer(Pairs::U32(&queries), PositionsMut::U32(&mut out)).unwrap();
            for (&[left, right], &position) in queries.iter().zip(&out) {
                assert!((position as usize) < array.len());
                assert!(tree.position(left as usize, right as usize) < array.len());
            }
        }
    }
}
