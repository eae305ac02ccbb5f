//! The suffixes of all blocks in one order.

use super::{Each, Store};
use crate::Error;

/// Memory of a block while blocks are merged.
pub(super) const LEAST: usize = 3 * BUFFER;
const BUFFER: usize = 1 << 14;

/// Suffixes that are told together.
const RUN: usize = 1 << 16;

/// Where the lists of a block lie in the store.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Block {
    /// The block's first position.
    pub(super) first: usize,
    pub(super) len: usize,
    /// Its suffixes in order, 4 bytes each, ...
    pub(super) suffixes: u64,
    /// ... the bytes before them, ...
    pub(super) before: u64,
    /// ... and how many of later blocks lie before each of them, and behind all.
    pub(super) gaps: u64,
    pub(super) gap_bytes: u64,
}

/// Merges the blocks, from the first to the last of the text: a block's gaps tell how many suffixes of those behind it come before
/// its next one, and these are merged by themselves.
pub(super) fn merge<E: From<Error>>(
    blocks: &[Block],
    store: &dyn Store<E>,
    with_bwt: bool,
    each: &mut Each<'_, E>,
) -> Result<(), E> {
    let total: u64 = blocks.iter().map(|block| block.len as u64).sum();
    let mut readers = Vec::new();
    for block in blocks {
        let mut reader = Reader {
            first: block.first as u64,
            left: block.len,
            gap: 0,
            suffixes: List::new(block.suffixes, 4 * block.len as u64),
            before: List::new(block.before, if with_bwt { block.len as u64 } else { 0 }),
            gaps: List::new(block.gaps, block.gap_bytes),
        };
        reader.gap = reader.next_gap(store)?;
        readers.push(reader);
    }
    let mut told = Told { positions: Vec::with_capacity(RUN), before: Vec::new(), each };
    emit(&mut readers, total, store, with_bwt, &mut told)?;
    (told.each)(&told.positions, &told.before)
}

struct Told<'t, E> {
    positions: Vec<u64>,
    before: Vec<u8>,
    each: &'t mut Each<'t, E>,
}

/// Tells so many suffixes of these blocks.
fn emit<E: From<Error>>(
    readers: &mut [Reader],
    mut count: u64,
    store: &dyn Store<E>,
    with_bwt: bool,
    told: &mut Told<'_, E>,
) -> Result<(), E> {
    let Some((own, others)) = readers.split_first_mut() else { return Ok(()) };
    while count > 0 {
        let of_others = own.gap.min(count);
        if of_others > 0 {
            emit(others, of_others, store, with_bwt, told)?;
            own.gap -= of_others;
            count -= of_others;
        }
        if count > 0 && own.left > 0 {
            let place = own.suffixes.number(store)?;
            told.positions.push(own.first + u64::from(place));
            if with_bwt {
                told.before.push(own.before.byte(store)?);
            }
            if told.positions.len() == RUN {
                (told.each)(&told.positions, &told.before)?;
                told.positions.clear();
                told.before.clear();
            }
            own.left -= 1;
            count -= 1;
            own.gap = own.next_gap(store)?;
        }
    }
    Ok(())
}

struct Reader {
    first: u64,
    /// Suffixes that are to come.
    left: usize,
    /// Suffixes of others that come before the next.
    gap: u64,
    suffixes: List,
    before: List,
    gaps: List,
}

impl Reader {
    fn next_gap<E: From<Error>>(&mut self, store: &dyn Store<E>) -> Result<u64, E> {
        let (mut gap, mut shift) = (0, 0);
        loop {
            let byte = self.gaps.byte(store)?;
            gap |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return Ok(gap);
            }
        }
    }
}

/// A list that is read from first to last.
struct List {
    at: u64,
    left: u64,
    buffer: Vec<u8>,
    next: usize,
}

impl List {
    const fn new(at: u64, left: u64) -> Self {
        Self { at, left, buffer: Vec::new(), next: 0 }
    }

    fn fill<E>(&mut self, store: &dyn Store<E>) -> Result<(), E> {
        let len = self.left.min(BUFFER as u64);
        self.buffer.resize(len as usize, 0);
        store.read(self.at, &mut self.buffer)?;
        (self.at, self.left, self.next) = (self.at + len, self.left - len, 0);
        Ok(())
    }

    #[inline]
    fn byte<E>(&mut self, store: &dyn Store<E>) -> Result<u8, E> {
        if self.next == self.buffer.len() {
            self.fill(store)?;
        }
        self.next += 1;
        Ok(self.buffer[self.next - 1])
    }

    #[inline]
    fn number<E>(&mut self, store: &dyn Store<E>) -> Result<u32, E> {
        // Buffers hold whole numbers.
        if self.next == self.buffer.len() {
            self.fill(store)?;
        }
        self.next += 4;
        let bytes = self.buffer[self.next - 4..self.next].try_into().expect("four bytes");
        Ok(u32::from_le_bytes(bytes))
    }
}
