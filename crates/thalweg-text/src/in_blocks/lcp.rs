//! Common prefixes of neighbouring suffixes that come in order, of a text that is larger than memory.
//!
//! *Idea.* In memory the predecessors of all suffixes are put into the order of the text, where common prefixes shrink by at most one from a
//! position to the next, and the values back into the order of the suffixes. Here both ways go through a [`Store`], part by part of the text. As
//! suffixes come, each with its predecessor is put to the others of its part, and which part that is to a list. Then a part after the other is
//! brought into the order of the text, its common prefixes are found, and told in the order in which its suffixes came. In the end the list
//! says whose next value is next.
//!
//! *Source.* Kärkkäinen, Manzini and Puglisi, 2009, as in memory; Kärkkäinen and Kempa, *LCP array construction in external memory*, 2016, for
//! doing it by parts.
//!
//! *Bounds.* O(n) comparisons and n/threads at worst for every thread and part; 20 bytes a byte of the text are written to the store and read. What
//! is compared lies anywhere in the text: if half of the memory does not hold it, pages are touched again and again.

use std::sync::atomic::{AtomicUsize, Ordering};

use thalweg_core::memory::computed;
use thalweg_core::parallel::for_each_chunk_mut;

use super::{Store, Text};
use crate::Error;
use crate::common_prefix::common_bytes;

/// No predecessor, in six bytes.
const NONE: u64 = (1 << 48) - 1;

/// Bytes of a suffix in its part's list: its place in the part, and its predecessor.
const RECORD: usize = 4 + 6;

/// Bytes that are read, or collected before they are written, at a time.
const BUFFER: usize = 1 << 16;

/// Bytes that are compared at a time, and pages that are mapped with one that is touched.
const COMPARED: usize = 1 << 16;

/// Common prefixes that are told together.
const RUN: usize = 1 << 16;

/// The common prefixes of suffixes that [come](Self::add) in order.
///
/// ```
/// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
/// use thalweg::{Error, text::in_blocks::{CommonPrefixes, Text}};
/// let text = Text { bytes: b"banana", done: &|_| (), watch: &|_, _| () };
/// let (mut store, mut lcp) = (Vec::new(), Vec::new());
/// let mut prefixes = CommonPrefixes::within(1 << 20, text).unwrap();
/// prefixes.add::<Error>(&[5, 3, 1, 0, 4, 2], &mut store)?;
/// prefixes.finish::<Error>(&mut store, &mut |values| Ok(lcp.extend_from_slice(values)))?;
/// assert_eq!(lcp, [0, 1, 3, 0, 0, 2]);
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Debug)]
pub struct CommonPrefixes<'t> {
    text: Text<'t>,
    memory: usize,
    /// Whether all of the text may be in memory.
    is_held: bool,
    /// Bytes of a part of the text.
    part: usize,
    parts: Vec<List>,
    /// Which part suffixes are in: two bytes each.
    numbers: List,
    /// The bytes of the store.
    end: u64,
    last: u64,
}

/// Bytes that are put to the store in pieces.
#[derive(Debug, Default)]
struct List {
    /// Where pieces begin, and how long they are.
    pieces: Vec<(u64, usize)>,
    waiting: Vec<u8>,
}

impl List {
    /// Adds bytes, so many of which wait to be written together.
    fn put<E>(&mut self, bytes: &[u8], room: usize, store: &mut dyn Store<E>, end: &mut u64) -> Result<(), E> {
        if self.waiting.len() + bytes.len() > room {
            self.flush(store, end)?;
        }
        self.waiting.extend_from_slice(bytes);
        Ok(())
    }

    fn flush<E>(&mut self, store: &mut dyn Store<E>, end: &mut u64) -> Result<(), E> {
        if !self.waiting.is_empty() {
            store.append(&self.waiting)?;
            self.pieces.push((*end, self.waiting.len()));
            *end += self.waiting.len() as u64;
            self.waiting.clear();
        }
        Ok(())
    }

    /// All pieces, one after the other.
    fn read<E>(&self, store: &dyn Store<E>, each: &mut dyn FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let mut bytes = Vec::new();
        for &(at, len) in &self.pieces {
            bytes.resize(len, 0);
            store.read(at, &mut bytes)?;
            each(&bytes)?;
        }
        Ok(())
    }
}

impl<'t> CommonPrefixes<'t> {
    /// For a text, in no more memory than this, a quarter of it while suffixes come. `None` if that is too little.
    pub fn within(memory: usize, text: Text<'t>) -> Option<Self> {
        let len = text.bytes.len();
        // The predecessors of a part take what the text leaves; one that is too long for that nearly a half, and pages of the text a fifth.
        let is_held = len <= memory / 2;
        let left = if is_held { memory - memory / 8 - len } else { memory / 16 * 7 };
        let part = (left / size_of::<u64>()).clamp(1, (1 << 32) - 1).min(len.max(1));
        let count = len.div_ceil(part);
        (count <= 1 << 16 && count * 64 * RECORD <= memory / 4 && (len as u64) < NONE).then(|| Self {
            text,
            memory,
            is_held,
            part,
            parts: (0..count).map(|_| List::default()).collect(),
            numbers: List::default(),
            end: 0,
            last: NONE,
        })
    }

    /// Bytes of the store.
    pub fn stored(&self) -> u64 {
        self.end
    }

    /// Bytes of a part's list that wait to be written, or that have been read ahead.
    fn room(&self) -> usize {
        (self.memory / 4 / self.parts.len().max(1)).min(BUFFER)
    }

    /// Takes the next suffixes, in order.
    ///
    /// # Errors
    /// Those of the store.
    pub fn add<E>(&mut self, positions: &[u64], store: &mut dyn Store<E>) -> Result<(), E> {
        let room = self.room();
        for &position in positions {
            let (number, place) = (position as usize / self.part, position as usize % self.part);
            let mut record = [0; RECORD];
            record[..4].copy_from_slice(&(place as u32).to_le_bytes());
            record[4..].copy_from_slice(&self.last.to_le_bytes()[..6]);
            self.parts[number].put(&record, room, store, &mut self.end)?;
            self.numbers.put(&(number as u16).to_le_bytes(), BUFFER, store, &mut self.end)?;
            self.last = position;
        }
        Ok(())
    }

    /// Tells the common prefix of every suffix with the one before it, in order; that of the first is 0.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], and those of the store and of `each`.
    ///
    /// # Panics
    /// If not every suffix has come once.
    pub fn finish<E: From<Error>>(
        mut self,
        store: &mut dyn Store<E>,
        each: &mut dyn FnMut(&[u64]) -> Result<(), E>,
    ) -> Result<(), E> {
        let room = self.room();
        self.numbers.flush(store, &mut self.end)?;
        for list in &mut self.parts {
            list.flush(store, &mut self.end)?;
            list.waiting = Vec::new();
        }
        let mut values: Vec<Values> = Vec::new();
        let touched = AtomicUsize::new(0);
        for number in 0..self.parts.len() {
            values.push(self.solve(number, &touched, store)?);
        }
        let mut told = Vec::with_capacity(RUN);
        self.numbers.read(store, &mut |numbers| {
            for number in numbers.as_chunks::<2>().0 {
                told.push(values[usize::from(u16::from_le_bytes(*number))].next(room, store)?);
                if told.len() == RUN {
                    each(&told)?;
                    told.clear();
                }
            }
            Ok(())
        })?;
        each(&told)
    }

    /// Finds the common prefixes of a part, and puts them to the store in the order of its suffixes.
    fn solve<E: From<Error>>(
        &mut self,
        number: usize,
        touched: &AtomicUsize,
        store: &mut dyn Store<E>,
    ) -> Result<Values, E> {
        let text = self.text;
        let start = number * self.part;
        let len = self.part.min(text.bytes.len() - start);
        let mut before = computed(len, 1 << 14, "the predecessors of suffixes", |_| NONE)?;
        let list = std::mem::take(&mut self.parts[number]);
        list.read(&*store, &mut |records| {
            for record in records.as_chunks::<RECORD>().0 {
                let (place, last) = parsed(record);
                before[place] = last;
            }
            Ok(())
        })?;
        let task = len.div_ceil(rayon::current_num_threads()).max(1 << 14);
        // Of a text that is not held, so many places may be touched before its pages go: less than a quarter, for some lie across two.
        let allowed = (self.memory / 5 / COMPARED).max(1);
        let is_held = self.is_held;
        let touch = || {
            if !is_held && touched.fetch_add(2, Ordering::Relaxed) >= allowed {
                touched.store(0, Ordering::Relaxed);
                (text.done)(0..text.bytes.len());
            }
        };
        for_each_chunk_mut(&mut before, task, &|first, before| {
            let (mut length, mut follower) = (0, NONE);
            for (position, value) in (start + first..).zip(before) {
                let other = *value;
                length = match length {
                    _ if other == NONE => 0,
                    // The same pair, a byte further on.
                    1.. if other == follower => length - 1,
                    _ => extended(text.bytes, position, other as usize, length.max(1) - 1, &touch),
                };
                follower = if other == NONE { NONE } else { other + 1 };
                *value = length as u64;
            }
        });
        let (at, mut values) = (self.end, List::default());
        let mut told = Vec::new();
        for &(piece, len) in &list.pieces {
            told.resize(len, 0);
            store.read(piece, &mut told)?;
            for record in told.as_chunks::<RECORD>().0 {
                values.put(&before[parsed(record).0].to_le_bytes(), BUFFER, store, &mut self.end)?;
            }
        }
        values.flush(store, &mut self.end)?;
        assert_eq!(self.end - at, 8 * len as u64, "every suffix comes once");
        Ok(Values { at, left: len, read: Vec::new(), next: 0 })
    }
}

/// The place in its part, and the predecessor.
fn parsed(record: &[u8; RECORD]) -> (usize, u64) {
    let [a, b, c, d, rest @ ..] = *record;
    let [e, f, g, h, i, j] = rest;
    (u32::from_le_bytes([a, b, c, d]) as usize, u64::from_le_bytes([e, f, g, h, i, j, 0, 0]))
}

/// How far two places agree that are known to agree up to `length`; `touch` is called for every piece that is looked at.
fn extended(bytes: &[u8], one: usize, two: usize, mut length: usize, touch: &dyn Fn()) -> usize {
    let piece = |at: usize| &bytes[(at).min(bytes.len())..(at + COMPARED).min(bytes.len())];
    loop {
        touch();
        let more = common_bytes(piece(one + length), piece(two + length));
        length += more;
        if more < COMPARED {
            return length;
        }
    }
}

/// A part's common prefixes in the store.
struct Values {
    at: u64,
    /// How many have not been read.
    left: usize,
    read: Vec<u8>,
    next: usize,
}

impl Values {
    fn next<E>(&mut self, room: usize, store: &dyn Store<E>) -> Result<u64, E> {
        if self.next == self.read.len() {
            let count = (room / 8).clamp(1, self.left.max(1));
            self.read.resize(8 * count, 0);
            store.read(self.at, &mut self.read)?;
            (self.at, self.left, self.next) = (self.at + 8 * count as u64, self.left - count, 0);
        }
        let value = self.read[self.next..].first_chunk().copied().unwrap_or_default();
        self.next += 8;
        Ok(u64::from_le_bytes(value))
    }
}
