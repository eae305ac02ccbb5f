//! The tail's suffixes among those of a block, by backward search.
//!
//! Let a suffix of the tail be a byte c and the suffix that follows it, of which it is known how many of the block's suffixes are
//! smaller. Smaller than the longer one are those that begin with a smaller byte, and those that begin with c and go on with
//! a smaller suffix: the block's own of these have c before them in the transform, up to where the shorter one
//! belongs; and the block's last byte is followed by the tail, with which it has been compared.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

use super::bits::Bits;
use super::rank::Ranks;
use super::{Store, Text};
use crate::permutation::GRAIN;
use crate::{Error, Result};
use thalweg_core::error::try_with_capacity;
use thalweg_core::memory::computed;
use thalweg_core::parallel::for_each_chunk;

/// Places at which a thread goes through the tail in turn. Chosen without measuring others.
pub(super) const TOGETHER: usize = 16;
/// Bytes that are worth a place to begin.
const SHORTEST: usize = 1 << 12;
/// Bytes whose pages are given back together.
pub(super) const PAGES: usize = 1 << 17;

/// What is needed to go through the tail.
pub(super) struct Search {
    range: Range<usize>,
    /// The block's transform, in codes. What stands before the block's first byte is none of it: code 0 stands there.
    ranks: Ranks,
    /// Where that is.
    whole: usize,
    /// The code of every byte that is in the block.
    codes: [Option<u8>; 256],
    /// How many suffixes begin with a smaller byte.
    smaller: [usize; 256],
    last: u8,
    /// Where to begin: a position of the tail, and how many of the block's suffixes are smaller.
    starts: Vec<(usize, usize)>,
}

impl Search {
    pub(super) fn new(text: Text<'_>, range: Range<usize>, suffixes: Vec<u32>, greater: &Bits) -> Result<Self> {
        let block = &text.bytes[range.clone()];
        let (mut counts, mut codes, mut smaller) = ([0usize; 256], [None; 256], [0; 256]);
        block.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
        let (mut alphabet, mut before) = (0usize, 0);
        for byte in 0..256 {
            smaller[byte] = before;
            before += counts[byte];
            if counts[byte] > 0 {
                codes[byte] = Some(alphabet as u8);
                alphabet += 1;
            }
        }
        let code = |byte: u8| codes[usize::from(byte)].unwrap_or(0);
        let symbol = |rank: usize| suffixes[rank].checked_sub(1).map_or(0, |before| code(block[before as usize]));
        let symbols = computed(block.len(), GRAIN, "the transform of a block", symbol)?;
        let whole = suffixes.iter().position(|&place| place == 0).expect("the block is a suffix of itself");
        let last = block[block.len() - 1];
        let starts = starts(text, range.clone(), &suffixes, greater)?;
        drop(suffixes);
        (text.done)(range.clone());
        Ok(Self { range, ranks: Ranks::new(symbols, alphabet)?, whole, codes, smaller, last, starts })
    }

    /// Stores the transform, in bytes; what stands before the block's first byte is that before it, or zero.
    pub(super) fn write_bwt<E: From<Error>>(
        &self,
        text: Text<'_>,
        store: &mut dyn Store<E>,
    ) -> std::result::Result<(), E> {
        let mut bytes = [0u8; 256];
        for (byte, code) in self.codes.iter().enumerate() {
            if let Some(code) = code {
                bytes[usize::from(*code)] = byte as u8;
            }
        }
        let before = self.range.start.checked_sub(1).map_or(0, |at| text.bytes[at]);
        let mut done = 0;
        for codes in self.ranks.symbols().chunks(1 << 16) {
            let mut run: Vec<u8> = codes.iter().map(|&code| bytes[usize::from(code)]).collect();
            if let Some(whole) = self.whole.checked_sub(done).filter(|&at| at < run.len()) {
                run[whole] = before;
            }
            done += run.len();
            store.append(&run)?;
        }
        Ok(())
    }

    /// How many of the block's suffixes are smaller than one of the tail, which is a byte and a suffix for which that is known;
    /// `after` tells whether that suffix is greater than the tail.
    #[inline]
    fn step(&self, byte: u8, rank: usize, after: bool) -> usize {
        let Some(code) = self.codes[usize::from(byte)] else { return self.smaller[usize::from(byte)] };
        // The code that stands for nothing does not count.
        let nothing = usize::from(code == 0 && rank > self.whole);
        let follows = usize::from(byte == self.last && after);
        self.smaller[usize::from(byte)] + self.ranks.before(code, rank) - nothing + follows
    }

    /// Goes through the tail, stores how many of its suffixes lie between two of the block's, and changes the bits to those for the next
    /// block. Returns how many bytes were stored.
    pub(super) fn write_gaps<E: From<Error>>(
        self,
        text: Text<'_>,
        greater: &Bits,
        store: &mut dyn Store<E>,
    ) -> std::result::Result<u64, E> {
        let mut gaps = try_with_capacity(self.range.len() + 1, "gaps of a block")?;
        gaps.resize_with(self.range.len() + 1, || AtomicU32::new(0));
        let gaps = Gaps { counts: gaps, more: Mutex::new(BTreeMap::new()) };
        let streams: Vec<Stream> = self.streams(greater);
        for_each_chunk(streams.len(), TOGETHER, &|range| {
            let mut streams = streams[range].to_vec();
            let mut lives = streams.len();
            while lives > 0 {
                lives = 0;
                for stream in &mut streams {
                    lives += usize::from(stream.step(&self, text, greater, &gaps));
                }
            }
        });
        drop(streams);
        drop(self);
        gaps.store(store)
    }

    /// The places at which the tail is begun, each with the bit that the next one will change.
    fn streams(&self, greater: &Bits) -> Vec<Stream> {
        let mut low = self.range.end;
        let stream = |&(high, rank): &(usize, usize)| {
            let old = greater.word((high - 1) / 64);
            let stream = Stream { low, at: high, rank, after: greater.get(high), old, new: 0 };
            low = high;
            stream
        };
        self.starts.iter().map(stream).collect()
    }
}

/// A part of the tail, from its end to its beginning.
#[derive(Clone)]
struct Stream {
    low: usize,
    /// Down to here it is done ...
    at: usize,
    /// ... and so many of the block's suffixes are smaller than that of this position, ...
    rank: usize,
    /// ... which is greater than the tail, or not.
    after: bool,
    /// The bits of the word that is at hand, as they were and as they will be.
    old: u64,
    new: u64,
}

impl Stream {
    /// Goes on by a byte. Whether there was one.
    #[inline]
    fn step(&mut self, search: &Search, text: Text<'_>, greater: &Bits, gaps: &Gaps) -> bool {
        if self.at == self.low {
            return false;
        }
        self.at -= 1;
        let at = self.at;
        if at % 64 == 63 {
            self.old = greater.word(at / 64);
        }
        self.rank = search.step(text.bytes[at], self.rank, self.after);
        gaps.count(self.rank);
        self.after = self.old >> (at % 64) & 1 == 1;
        self.new |= u64::from(self.rank > search.whole) << (at % 64);
        if at.is_multiple_of(64) {
            greater.set_word(at / 64, self.new);
            self.new = 0;
            if at.is_multiple_of(PAGES) || at == self.low {
                (text.done)(at..text.bytes.len().min(at + PAGES));
            }
        }
        if at > self.low
            && let Some(code) = search.codes[usize::from(text.bytes[at - 1])]
        {
            search.ranks.ask(code, self.rank);
        }
        true
    }
}

/// How many suffixes of the tail have so many of the block's before them.
struct Gaps {
    counts: Vec<AtomicU32>,
    /// For those that are 2^32 and more: how often they have got there.
    more: Mutex<BTreeMap<usize, u64>>,
}

impl Gaps {
    #[inline]
    fn count(&self, rank: usize) {
        if self.counts[rank].fetch_add(1, Relaxed) == u32::MAX {
            *self.more.lock().unwrap_or_else(PoisonError::into_inner).entry(rank).or_default() += 1;
        }
    }

    /// Seven bits a byte, the lowest first; a bit says that more follow.
    fn store<E: From<Error>>(self, store: &mut dyn Store<E>) -> std::result::Result<u64, E> {
        const RUN: usize = 1 << 16;
        let more = self.more.into_inner().unwrap_or_else(PoisonError::into_inner);
        let (mut run, mut bytes) = (Vec::with_capacity(RUN + 16), 0);
        for (rank, count) in self.counts.iter().enumerate() {
            let mut count = u64::from(count.load(Relaxed));
            if !more.is_empty() {
                count += more.get(&rank).copied().unwrap_or(0) << 32;
            }
            while count >= 0x80 {
                run.push(count as u8 | 0x80);
                count >>= 7;
            }
            run.push(count as u8);
            if run.len() >= RUN {
                store.append(&run)?;
                bytes += run.len() as u64;
                run.clear();
            }
        }
        store.append(&run)?;
        Ok(bytes + run.len() as u64)
    }
}

/// Where to begin in the tail: positions that follow on each other, the last is the text's end.
fn starts(text: Text<'_>, range: Range<usize>, suffixes: &[u32], greater: &Bits) -> Result<Vec<(usize, usize)>> {
    let tail = text.bytes.len() - range.end;
    if tail == 0 {
        return Ok(Vec::new());
    }
    let wanted = (rayon::current_num_threads() * TOGETHER).min(tail.div_ceil(SHORTEST));
    let length = tail.div_ceil(wanted).next_multiple_of(64);
    computed(tail.div_ceil(length), 1, "places in the tail", |i| {
        let at = text.bytes.len().min(range.end + (i + 1) * length);
        (at, smaller_than(text, range.clone(), suffixes, greater, at))
    })
}

/// How many of the block's suffixes are smaller than that of a position of the tail, by bisection; what both ends have in common with
/// it is not looked at again.
fn smaller_than(text: Text<'_>, range: Range<usize>, suffixes: &[u32], greater: &Bits, at: usize) -> usize {
    let there = &text.bytes[at..];
    let (mut low, mut high, mut low_same, mut high_same) = (0, suffixes.len(), 0, 0);
    while low < high {
        let middle = low + (high - low) / 2;
        let here = &text.bytes[range.start + suffixes[middle] as usize..range.end];
        let same = common(here, there, low_same.min(high_same));
        let is_smaller = match (here.get(same), there.get(same)) {
            (Some(x), Some(y)) => x < y,
            // It goes on with the tail, and the other with what is known to be greater, or not.
            (None, Some(_)) => greater.get(at + same),
            (_, None) => false,
        };
        if is_smaller {
            (low, low_same) = (middle + 1, same);
        } else {
            (high, high_same) = (middle, same);
        }
    }
    (text.done)(at..text.bytes.len().min(at + low_same.max(high_same) + 1));
    low
}

/// How far two texts agree; so far they are known to.
fn common(x: &[u8], y: &[u8], known: usize) -> usize {
    const RUN: usize = 1 << 12;
    let len = x.len().min(y.len());
    let mut at = known.min(len);
    // Runs that agree are compared as a whole.
    while at + RUN <= len && x[at..at + RUN] == y[at..at + RUN] {
        at += RUN;
    }
    at + x[at..len].iter().zip(&y[at..len]).take_while(|(x, y)| x == y).count()
}
