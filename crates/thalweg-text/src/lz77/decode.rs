//! From phrases back to the text.
//!
//! One after the other, a phrase copies bytes that are there already: O(n), at the speed of copying short strings.
//!
//! In parallel, by *pointer jumping* (JáJá 1992, section 2.2): every position notes where its byte comes from, or the byte
//! itself if it is a literal. Then all positions replace their reference by that of the position referred to, until
//! everybody has a byte. References within the phrase itself are first taken back to before it, so a chain is no longer
//! than the list of phrases; every round halves the longest chain, and rounds read what is new as soon as it is there. Work
//! O(n log n), span O(log n) rounds, memory 4 bytes for every byte of a text below 2 GiB. With two threads it is slower
//! than the sequential way: see [`Factors::decode`].

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

use super::factors::{Entries, Entry, Factors, Store};
use crate::permutation::GRAIN;
use thalweg_core::error::try_with_capacity;
use thalweg_core::memory::{computed, try_with_large_capacity, zeroed};
use thalweg_core::parallel::{for_each_chunk, for_each_chunk_mut};
use thalweg_core::{Error, Result};

/// From so many threads on, pointer jumping is expected to be faster. On two it took 7 to 13 times as long; not measured on
/// more.
const MANY_THREADS: usize = 32;

/// Jumps of a position in a round.
const JUMPS: usize = 4;

impl Factors {
    /// The text: sequentially, or in parallel on many threads.
    ///
    /// Work O(n) on one thread, O(n log n) in parallel, where 4 more bytes of memory a byte are taken.
    pub fn decode(&self) -> Result<Vec<u8>> {
        if rayon::current_num_threads() >= MANY_THREADS { self.decode_parallel() } else { self.decode_sequential() }
    }

    /// The text, phrase after phrase on this thread. Work O(n).
    pub fn decode_sequential(&self) -> Result<Vec<u8>> {
        match &self.entries {
            Entries::U32(list) => sequential(list, self.text_len()),
            Entries::U64(list) => sequential(list, self.text_len()),
        }
    }

    /// The text, all positions at once by pointer jumping, on all threads of the current pool. Work O(n log n).
    pub fn decode_parallel(&self) -> Result<Vec<u8>> {
        match &self.entries {
            Entries::U32(list) => parallel::<u32, AtomicU32>(list, self.text_len()),
            Entries::U64(list) => parallel::<u64, AtomicU64>(list, self.text_len()),
        }
    }
}

fn sequential<P: Store>(phrases: &[Entry<P>], len: usize) -> Result<Vec<u8>> {
    let mut text = try_with_large_capacity::<u8>(len, "the text")?;
    for &[source, length] in phrases {
        let (source, length) = (source.get(), length.get());
        let start = text.len();
        if length == 0 {
            text.push(source as u8);
        } else if source + length <= start {
            text.extend_from_within(source..source + length);
        } else {
            // The phrase repeats what lies between its source and itself; what is there doubles with every copy.
            let end = start + length;
            while text.len() < end {
                let more = (text.len() - source).min(end - text.len());
                text.extend_from_within(source..source + more);
            }
        }
    }
    debug_assert_eq!(text.len(), len);
    Ok(text)
}

/// An atomic integer that holds a reference or a byte. Plain loads and stores are all it is used for.
trait Cell: Sync + Send {
    fn new(value: u64) -> Self;
    fn get(&self) -> u64;
    fn set(&self, value: u64);
    /// The highest bit: a byte, not a reference.
    const BYTE: u64;
}

macro_rules! cell {
    ($cell:ident, $t:ident) => {
        impl Cell for $cell {
            const BYTE: u64 = 1 << ($t::BITS - 1);
            #[inline(always)]
            fn new(value: u64) -> Self {
                Self::new(value as $t)
            }
            #[inline(always)]
            fn get(&self) -> u64 {
                self.load(Relaxed) as u64
            }
            #[inline(always)]
            fn set(&self, value: u64) {
                self.store(value as $t, Relaxed);
            }
        }
    };
}
cell!(AtomicU32, u32);
cell!(AtomicU64, u64);

fn parallel<P: Store, C: Cell>(phrases: &[Entry<P>], len: usize) -> Result<Vec<u8>> {
    if len as u64 >= C::BYTE {
        return Err(Error::Width { len, got: P::NAME });
    }
    let mut starts = try_with_capacity::<usize>(phrases.len() + 1, "where phrases begin")?;
    let mut position = 0;
    starts.push(0);
    starts.extend(phrases.iter().map(|phrase| {
        position += phrase[1].get().max(1);
        position
    }));
    let cells = computed(len, GRAIN, "references", |_| C::new(0))?;
    for_each_chunk(len, GRAIN, &|range| {
        let mut phrase = usize::MAX;
        for at in range {
            cells[at].set(reference::<P, C>(phrases, &starts, &mut phrase, at));
        }
    });
    loop {
        let open = AtomicBool::new(false);
        for_each_chunk(len, GRAIN, &|range| {
            if jump(&cells, &cells[range]) {
                open.store(true, Relaxed);
            }
        });
        if !open.into_inner() {
            break;
        }
    }
    let mut text = zeroed::<u8>(len, "the text")?;
    for_each_chunk_mut(&mut text, GRAIN, &|start, text| {
        for (byte, cell) in text.iter_mut().zip(&cells[start..]) {
            *byte = cell.get() as u8;
        }
    });
    Ok(text)
}

/// Where the byte at a position comes from. `phrase` is the phrase of the position before, if that was asked for.
fn reference<P: Store, C: Cell>(phrases: &[Entry<P>], starts: &[usize], phrase: &mut usize, at: usize) -> u64 {
    if phrases.get(*phrase).is_none() || starts[*phrase] > at {
        *phrase = starts.partition_point(|&start| start <= at) - 1;
    }
    while starts[*phrase + 1] <= at {
        *phrase += 1;
    }
    let ([source, length], start) = (phrases[*phrase], starts[*phrase]);
    if length == P::new(0) {
        return C::BYTE | source.get() as u64;
    }
    let (source, mut offset) = (source.get(), at - start);
    if offset >= start - source {
        offset %= start - source;
    }
    (source + offset) as u64
}

/// A round for some positions; tells whether any of them still has a reference.
fn jump<C: Cell>(cells: &[C], part: &[C]) -> bool {
    let mut open = false;
    for cell in part {
        let mut value = cell.get();
        if value & C::BYTE == 0 {
            for _ in 0..JUMPS {
                value = cells[value as usize].get();
                if value & C::BYTE != 0 {
                    break;
                }
            }
            cell.set(value);
            open |= value & C::BYTE == 0;
        }
    }
    open
}
