//! The sequence of parentheses, written in parallel.
//!
//! From left to right: an element pops everything larger off a stack and then lies on it. Every pop writes a closing
//! parenthesis (0), the element itself an opening one (1). So element i has place 2i - h, where h is the height of the
//! stack below it.
//!
//! The array is cut into chunks, which begin with an empty stack:
//! 1. Every chunk, in parallel: its own sequence, what is left on its stack at the end, and its *records*, the elements
//!    that emptied the stack. Only those pop elements of earlier chunks.
//! 2. Chunk by chunk: which pieces of earlier chunks' stacks it pops. A stack is sorted, so the last piece is found by
//!    bisection, and every other one goes in whole and never comes back: O(chunks log n) in all.
//! 3. Every chunk, in parallel: how many of those elements each record pops, from the top, by galloping; and its sequence,
//!    with as many closings before the records, goes to its place. A word that two chunks share is put together last.
//!
//! Work O(n), span O(chunk + chunks log n). Beside the result 2 bits an element and up to 2 bytes (records and stacks
//! together have at most one entry an element, and hardly any on data without trends).
#![allow(unsafe_code)]

use super::block::BITS as BLOCK_BITS;
use crate::scratch::Pool;
use thalweg_core::coding::Ranking;
use thalweg_core::disjoint::Disjoint;
use thalweg_core::dispatch;
use thalweg_core::error::{try_filled, try_with_capacity};
use thalweg_core::memory::{Aligned, computed};
use thalweg_core::parallel::chunk_range;
use thalweg_core::simd::Level;
use thalweg_core::{Rank, Result};

const WHAT: &str = "the chunks of an array";

/// Elements of a chunk: what 16 bits can number. Not measured against other sizes.
pub(super) const CHUNK: usize = 1 << 16;

/// Elements whose ranks are computed at a time.
const RANKS: usize = 512;

/// Entries of the stack that an element is compared with at once. Random data pops one element on average, half as often
/// two, and so on, so no branch on a single one can be predicted; that all four go is rare enough.
const AT_ONCE: usize = 4;

/// Chunks that a thread scans at the same time, one element of each in turn. An element has to wait until the one before
/// has found its place on the stack; those of other chunks need not. 2^24 random numbers, on one thread, in ns an element:
/// 7.3 one chunk after the other, 5.1 two together, 5.2 three.
const TOGETHER: usize = 2;

/// What a chunk knows by itself.
struct Chunk {
    /// Its own sequence, as if nothing came before.
    bits: Vec<u64>,
    /// Elements that emptied the stack, by their offsets in the chunk: the place of such an element is twice its offset.
    records: Vec<u16>,
    /// Elements on the stack at the end, the lowest first.
    stack: Vec<u16>,
}

/// Memory for the scan of a chunk, to be used again.
#[derive(Default)]
struct Scratch<R> {
    /// The ranks on the stack, above [`AT_ONCE`] ranks that nothing is smaller than: those are never popped.
    stack: Vec<R>,
    /// Whose they are.
    offsets: Vec<u16>,
    records: Vec<u16>,
    bits: Vec<u64>,
}

/// Some of the elements that a chunk has left on its stack: those `from..to`, counted from the bottom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    chunk: usize,
    from: usize,
    to: usize,
}

/// The parentheses of the array, filled up with closings to whole blocks.
pub(super) fn parentheses<R: Rank>(array: &[R], order: Ranking<R>, chunk: usize) -> Result<Aligned<u64>> {
    assert!((1..=CHUNK).contains(&chunk), "offsets in a chunk have 16 bits");
    let scratch: Pool<[Scratch<R>; TOGETHER]> = Pool::new();
    let several = |part: usize| {
        let elements = &array[chunk_range(part, TOGETHER * chunk, array.len())];
        scratch.with(|scratch| Chunk::several(elements, chunk, order, scratch))
    };
    let parts = computed(array.len().div_ceil(TOGETHER * chunk), 1, WHAT, several)?;
    drop(scratch);
    let mut chunks = try_with_capacity(array.len().div_ceil(chunk), WHAT)?;
    for part in parts {
        chunks.extend(part?.into_iter().flatten());
    }
    let rank = |chunk_number: usize, offset: u16| array[chunk_number * chunk + usize::from(offset)].ranked(order);
    let popped = popped_pieces(&chunks, rank)?;

    // Where the bits of every chunk begin.
    let mut starts = try_with_capacity(chunks.len() + 1, WHAT)?;
    let mut end = 0;
    for (chunk, pieces) in chunks.iter().zip(&popped) {
        starts.push(end);
        end += chunk.len() + pieces.iter().map(|piece| piece.to - piece.from).sum::<usize>();
    }
    starts.push(end);

    let mut bits = Aligned::zeroed(end.div_ceil(BLOCK_BITS) * (BLOCK_BITS / 64), "the parentheses of an array")?;
    // A word belongs to the chunk that its first bit belongs to. What others add to it they hand back.
    let words = Disjoint::new(&mut bits);
    let heads = computed(chunks.len(), 1, WHAT, |c| {
        // SAFETY: inside, and every chunk has its own.
        let own = unsafe { words.slice_mut(starts[c].div_ceil(64)..starts[c + 1].div_ceil(64)) };
        let mut writer = Writer::new(starts[c] % 64, own);
        chunks[c].write(c, &popped[c], &chunks, rank, &mut writer);
        writer.finish()
    })?;
    for (start, head) in starts.into_iter().zip(heads) {
        if start % 64 != 0 {
            bits[start / 64] |= head;
        }
    }
    Ok(bits)
}

/// For every chunk the pieces of earlier chunks' stacks that it pops, the uppermost first.
fn popped_pieces<R: Rank>(chunks: &[Chunk], rank: impl Fn(usize, u16) -> R) -> Result<Vec<Vec<Piece>>> {
    let mut popped = try_with_capacity(chunks.len(), WHAT)?;
    let mut stack: Vec<Piece> = try_with_capacity(chunks.len(), WHAT)?;
    for (c, chunk) in chunks.iter().enumerate() {
        let best = rank(c, chunk.stack[0]);
        let mut pieces = Vec::new();
        while let Some(Piece { chunk: other, to, .. }) = stack.pop() {
            let entries = &chunks[other].stack[..to];
            // A whole piece needs no search.
            let from = match rank(other, entries[0]) > best {
                true => 0,
                false => entries.partition_point(|&entry| rank(other, entry) <= best),
            };
            if from < to {
                pieces.push(Piece { chunk: other, from, to });
            }
            if from > 0 {
                stack.push(Piece { chunk: other, from: 0, to: from });
                break;
            }
        }
        stack.push(Piece { chunk: c, from: 0, to: chunk.stack.len() });
        popped.push(pieces);
    }
    Ok(popped)
}

impl Chunk {
    /// The chunks of some elements, at most [`TOGETHER`].
    fn several<R: Rank>(
        elements: &[R],
        chunk: usize,
        order: Ranking<R>,
        scratch: &mut [Scratch<R>; TOGETHER],
    ) -> Result<[Option<Self>; TOGETHER]> {
        for (part, scratch) in elements.chunks(chunk).zip(&mut *scratch) {
            scratch.prepare(part.len())?;
        }
        let mut chunks = [const { None }; TOGETHER];
        if elements.len() == TOGETHER * chunk {
            let parts = std::array::from_fn(|c| &elements[c * chunk..][..chunk]);
            let heights = scan(parts, order, scratch.each_mut());
            for (c, height) in heights.into_iter().enumerate() {
                chunks[c] = Some(scratch[c].chunk(height)?);
            }
        } else {
            for (c, part) in elements.chunks(chunk).enumerate() {
                let [height] = scan([part], order, [&mut scratch[c]]);
                chunks[c] = Some(scratch[c].chunk(height)?);
            }
        }
        Ok(chunks)
    }

    /// Bits of the chunk's own sequence: those up to the opening of its last element.
    fn len(&self) -> usize {
        // That element lies on top of the stack, and its place is twice its offset less what lies below.
        let top = self.stack.len() - 1;
        2 * usize::from(self.stack[top]) - top + 1
    }

    /// Writes the sequence, with the closings of the elements popped from other chunks before the records' openings.
    fn write<R: Rank>(
        &self,
        number: usize,
        popped: &[Piece],
        chunks: &[Self],
        rank: impl Fn(usize, u16) -> R,
        writer: &mut Writer<'_>,
    ) {
        let mut written = 0;
        let mut pieces = popped.iter().copied();
        let mut piece = pieces.next();
        for &record in &self.records {
            let mut pops = 0;
            while let Some(Piece { chunk, from, to }) = piece {
                let entries = &chunks[chunk].stack[from..to];
                let gone = larger_at_end(entries, |entry| rank(chunk, entry), rank(number, record));
                pops += gone;
                if gone < entries.len() {
                    piece = Some(Piece { chunk, from, to: to - gone });
                    break;
                }
                piece = pieces.next();
            }
            if pops > 0 {
                let place = 2 * usize::from(record);
                writer.copy(&self.bits, written, place);
                writer.closings(pops);
                written = place;
            }
            if piece.is_none() {
                break;
            }
        }
        writer.copy(&self.bits, written, self.len());
    }
}

/// How many entries at the end of a sorted list are larger than `limit`: O(log of that).
fn larger_at_end<R: Rank>(entries: &[u16], rank: impl Fn(u16) -> R, limit: R) -> usize {
    let is_larger = |from_end: usize| rank(entries[entries.len() - 1 - from_end]) > limit;
    // All of them is the usual case of few.
    if is_larger(entries.len() - 1) {
        return entries.len();
    }
    let mut step = 1;
    while is_larger(step - 1) {
        // The first entry is not larger, so this ends in time.
        step = (2 * step).min(entries.len());
    }
    // Entry `step - 1` from the end is not larger, and half of that many are.
    let (mut larger, mut not) = (step / 2, step - 1);
    while larger < not {
        let middle = larger + (not - larger) / 2;
        if is_larger(middle) { larger = middle + 1 } else { not = middle }
    }
    larger
}

impl<R: Rank> Scratch<R> {
    /// Makes room for the scan of so many elements.
    fn prepare(&mut self, elements: usize) -> Result<()> {
        if self.offsets.len() < elements {
            self.stack = try_filled(AT_ONCE + elements, R::default(), WHAT)?;
            self.offsets = try_filled(elements, 0, WHAT)?;
            self.records = try_with_capacity(elements, WHAT)?;
        }
        self.records.clear();
        self.bits = try_filled((2 * elements).div_ceil(64), 0, WHAT)?;
        Ok(())
    }

    /// What the scan has found, with the stack's height at its end.
    fn chunk(&mut self, height: usize) -> Result<Chunk> {
        let copy = |entries: &[u16]| -> Result<Vec<u16>> {
            let mut copy = try_with_capacity(entries.len(), WHAT)?;
            copy.extend_from_slice(entries);
            Ok(copy)
        };
        let bits = std::mem::take(&mut self.bits);
        Ok(Chunk { bits, records: copy(&self.records)?, stack: copy(&self.offsets[..height])? })
    }

    /// The scratch as the loop sees it: bare pointers, which stay in registers.
    fn lane(&mut self) -> Lane<'_, R> {
        let (stack, offsets, bits) = (&mut self.stack[..], &mut self.offsets[..], &mut self.bits[..]);
        Lane { stack: Disjoint::new(stack), offsets: Disjoint::new(offsets), bits: Disjoint::new(bits), height: 0 }
    }
}

/// A chunk whose elements are being pushed.
#[derive(Clone, Copy)]
struct Lane<'s, R> {
    stack: Disjoint<'s, R>,
    offsets: Disjoint<'s, u16>,
    bits: Disjoint<'s, u64>,
    height: usize,
}

impl<R: Rank> Lane<'_, R> {
    /// Puts the next element on the stack. Returns whether it empties it. `lanes` are the numbers below [`AT_ONCE`].
    ///
    /// # Safety
    /// There is room for more than `offset` elements, and the stack is not higher than `offset`.
    #[inline(always)]
    unsafe fn push(&mut self, rank: R, offset: usize, lanes: [usize; AT_ONCE]) -> bool {
        debug_assert!(self.height <= offset && offset < self.offsets.len());
        loop {
            let mut pops = 0;
            for lane in lanes {
                // SAFETY: the stack has room for as many ranks as there are elements, above the lowest `AT_ONCE`.
                pops += usize::from(unsafe { *self.stack.as_ptr().add(self.height + lane) } > rank);
            }
            self.height -= pops;
            if pops < AT_ONCE {
                break;
            }
        }
        let (height, place) = (self.height, 2 * offset - self.height);
        // SAFETY: the height is that of a stack of earlier elements, so at most `offset`; there are two bits for every
        // element.
        unsafe {
            self.stack.put(AT_ONCE + height, rank);
            self.offsets.put(height, offset as u16);
            *self.bits.as_ptr().add(place / 64) |= 1 << (place % 64);
        }
        self.height += 1;
        height == 0
    }
}

dispatch! {
    /// Runs the stacks over some chunks of the same length, for which the scratch is prepared. Returns their heights at
    /// the end.
    fn scan<R: Rank; const K: usize>(
        chunks: [&[R]; K], order: Ranking<R>, scratch: [&mut Scratch<R>; K],
    ) -> [usize; K] = scan_body, up to Level::Avx2;
}

#[inline(always)]
fn scan_body<R: Rank, const K: usize>(
    chunks: [&[R]; K],
    order: Ranking<R>,
    mut scratch: [&mut Scratch<R>; K],
) -> [usize; K] {
    let len = chunks.map(<[R]>::len).into_iter().min().unwrap_or(0);
    assert!(scratch.iter().all(|scratch| {
        scratch.offsets.len() >= len && scratch.stack.len() >= AT_ONCE + len && 64 * scratch.bits.len() >= 2 * len
    }));
    let mut ranks = [[R::default(); RANKS]; K];
    // Entries are read one by one: all together could not be read before the last one written has gone to the cache. So
    // that they are neighbours is kept from the compiler.
    let lanes: [usize; AT_ONCE] = std::hint::black_box(std::array::from_fn(|lane| lane));
    let mut records = scratch.each_mut().map(|scratch| std::mem::take(&mut scratch.records));
    let mut pushed = scratch.each_mut().map(|scratch| scratch.lane());
    for first in (0..len).step_by(RANKS) {
        let count = RANKS.min(len - first);
        for c in 0..K {
            R::rank_all(&chunks[c][first..first + count], order, &mut ranks[c][..count]);
        }
        for (i, offset) in (first..first + count).enumerate() {
            for c in 0..K {
                // SAFETY: there is room for `len` elements, and every element raises the stack by one at most. Nobody
                // changes the lanes.
                if unsafe { pushed[c].push(ranks[c][i], offset, lanes) } {
                    records[c].push(offset as u16);
                }
            }
        }
    }
    let heights = pushed.map(|lane| lane.height);
    for (scratch, records) in scratch.into_iter().zip(records) {
        scratch.records = records;
    }
    heights
}

/// Writes bits one after the other, into words of which the first may belong to somebody else.
struct Writer<'w> {
    /// The bits of the word before `own[next]`, as far as they have been written, and how many there are.
    word: u64,
    filled: usize,
    /// What has been written of somebody else's word.
    head: Option<u64>,
    own: &'w mut [u64],
    next: usize,
}

impl<'w> Writer<'w> {
    /// Begins at bit `start` of a word: of an own one only if that is its first bit.
    fn new(start: usize, own: &'w mut [u64]) -> Self {
        // Without a head to come, it counts as written.
        let head = if start == 0 { Some(0) } else { None };
        Self { word: 0, filled: start, head, own, next: 0 }
    }

    /// Hands a full word, or the last one, on.
    fn flush(&mut self) {
        if self.head.is_none() {
            self.head = Some(self.word);
        } else {
            self.own[self.next] = self.word;
            self.next += 1;
        }
        (self.word, self.filled) = (0, 0);
    }

    /// Writes the lowest `count` bits, at most 64, of which the others must be zero.
    fn put(&mut self, bits: u64, count: usize) {
        self.word |= bits << self.filled;
        let room = 64 - self.filled;
        if count < room {
            self.filled += count;
        } else {
            self.flush();
            self.word = bits.unbounded_shr(room as u32);
            self.filled = count - room;
        }
    }

    /// Writes bits `from..to` of some words.
    fn copy(&mut self, words: &[u64], mut from: usize, to: usize) {
        while from < to {
            let count = (to - from).min(64 - from % 64);
            let bits = words[from / 64] >> (from % 64);
            self.put(bits & u64::MAX >> (64 - count), count);
            from += count;
        }
    }

    fn closings(&mut self, mut count: usize) {
        while count > 0 {
            let now = count.min(64 - self.filled);
            self.put(0, now);
            count -= now;
        }
    }

    /// Returns what belongs to somebody else's word.
    fn finish(mut self) -> u64 {
        if self.filled > 0 {
            self.flush();
        }
        self.head.unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_core::Order;
    use thalweg_core::coding::Ranking;

    /// The sequence as the definition says.
    fn one_by_one(array: &[u32]) -> Vec<bool> {
        let (mut bits, mut stack) = (Vec::new(), Vec::new());
        for &element in array {
            while stack.pop_if(|top| *top > element).is_some() {
                bits.push(false);
            }
            stack.push(element);
            bits.push(true);
        }
        bits
    }

    fn check(array: &[u32], chunk: usize) {
        let order = Ranking::of::<u32>(Order::Min);
        let words = parentheses(array, order, chunk).unwrap();
        let mut expected = one_by_one(array);
        expected.resize(expected.len().next_multiple_of(BLOCK_BITS), false);
        let bits: Vec<bool> = (0..64 * words.len()).map(|place| words[place / 64] >> (place % 64) & 1 == 1).collect();
        assert!(bits == expected, "{} elements in chunks of {chunk}: {:?}", array.len(), &array[..array.len().min(40)]);
    }

    /// Arrays on which chunks pop much or little of each other.
    fn shapes(n: u32) -> Vec<Vec<u32>> {
        let random = |i: u32| i.wrapping_mul(2_654_435_769).rotate_left(13).wrapping_mul(2_246_822_519);
        let each = |f: &dyn Fn(u32) -> u32| (0..n).map(f).collect();
        vec![
            each(&random),
            each(&|i| random(i) >> 30),
            each(&|i| i),
            each(&|i| n - i),
            each(&|_| 7),
            // A mountain and a valley.
            each(&|i| i.min(n - 1 - i)),
            each(&|i| i.max(n - 1 - i)),
            // Slopes with a cliff behind them: everything is popped at once, but for the first element.
            each(&|i| if i % 97 == 0 { 1 } else { i % 97 + i }),
            each(&|i| if i == n - 1 { 0 } else { i + 1 }),
            each(&|i| if i % 50 == 49 { n - i } else { n + i }),
        ]
    }

    #[test]
    fn chunks_write_what_one_would() {
        for n in [0, 1, 2, 63, 64, 65, 255, 256, 257, 1000] {
            for array in shapes(n) {
                for chunk in [1, 2, 3, 7, 16, 31, 64, 100, 999, CHUNK] {
                    check(&array, chunk);
                }
            }
        }
        for array in shapes(40_000) {
            check(&array, 5000);
        }
    }

    #[test]
    fn only_the_pieces_that_are_larger_are_popped() {
        let (array, order) = ([1u32, 3, 5, 2, 4, 6, 4, 7, 0], Ranking::of::<u32>(Order::Min));
        let mut scratch = Default::default();
        let several = array.chunks(3 * TOGETHER).map(|part| Chunk::several(part, 3, order, &mut scratch).unwrap());
        let chunks: Vec<Chunk> = several.flatten().flatten().collect();
        assert_eq!(chunks[1].stack, [0, 1, 2]);
        assert_eq!((&chunks[2].stack[..], &chunks[2].records[..]), (&[2][..], &[0, 2][..]));
        let popped = popped_pieces(&chunks, |c, offset| array[3 * c + usize::from(offset)]).unwrap();
        let piece = |chunk, from, to| Piece { chunk, from, to };
        assert_eq!(popped, [vec![], vec![piece(0, 1, 3)], vec![piece(1, 0, 3), piece(0, 0, 1)]]);
    }

    #[test]
    fn galloping_counts_the_larger_ones() {
        let entries: Vec<u16> = (0..100).collect();
        for len in 1..100 {
            for limit in 0..=len as u32 {
                // Entry i is 2i + 1.
                let larger = larger_at_end(&entries[..len], |entry| 2 * u32::from(entry) + 1, 2 * limit);
                assert_eq!(larger, len - limit as usize);
            }
        }
    }
}
