//! The suffixes that begin in a block, sorted in memory.
//!
//! Let x be the block's last byte, and Y the tail. Instead of the suffixes of the text those of a string of the block's length
//! are sorted: smaller bytes than x stay, greater ones are raised by one, and an x stays if what follows it is smaller than Y,
//! and is raised if it is greater. The last one is raised, too. Where two suffixes of this string differ for the first time, so do
//! those of the text, or an x before something smaller than Y meets one before something greater. And where one has ended,
//! its last symbol was a raised x, and stood for xY: the other, which goes on, has an x before something greater.

use std::ops::Range;

use super::Text;
use super::bits::Bits;
use super::stream::Search;
use crate::permutation::GRAIN;
use crate::suffix_array::sorting::sort;
use crate::symbol::Symbols;
use crate::{Positions, Result};
use thalweg_core::error::try_filled;
use thalweg_core::memory::computed;
use thalweg_core::parallel::for_each_chunk;

/// A block whose suffixes are in order.
pub(super) struct Sorted {
    range: Range<usize>,
    /// Where they begin in the block.
    suffixes: Vec<u32>,
}

impl Sorted {
    /// Sorts the suffixes of a block. `greater` tells of the tail's positions whether their suffix is greater than the tail; then
    /// it tells of the block's positions, too, whether theirs is greater than that of its first.
    pub(super) fn new(text: Text<'_>, range: Range<usize>, greater: &Bits) -> Result<Self> {
        compare_with_tail(text.bytes, range.clone(), greater)?;
        let tail = range.end..text.bytes.len().min(range.end + range.len());
        (text.done)(tail);
        let suffixes = sorted(&text.bytes[range.clone()], range.start, greater)?;
        // The bits of the block, by order.
        for word in range.start / 64..range.end.div_ceil(64) {
            greater.set_word(word, 0);
        }
        let whole = suffixes.iter().position(|&place| place == 0).expect("the block is a suffix of itself");
        for_each_chunk(suffixes.len() - whole - 1, GRAIN, &|ranks| {
            suffixes[whole + 1..][ranks].iter().for_each(|&place| greater.set(range.start + place as usize));
        });
        Ok(Self { range, suffixes })
    }

    /// As they are stored.
    pub(super) fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.suffixes)
    }

    /// What is needed to go through the tail.
    pub(super) fn into_search(self, text: Text<'_>, greater: &Bits) -> Result<Search> {
        Search::new(text, self.range, self.suffixes, greater)
    }
}

/// The order of the suffixes of a block that is at `first`, where `greater` tells how its own compare with the tail.
fn sorted(block: &[u8], first: usize, greater: &Bits) -> Result<Vec<u32>> {
    let len = block.len();
    let last = block[len - 1];
    // One of 257 symbols.
    let symbol = |i: usize| {
        let byte = block[i];
        let raised = byte > last || byte == last && (i + 1 == len || greater.get(first + i + 1));
        usize::from(byte) + usize::from(raised)
    };
    let mut is_there = [false; 257];
    (0..len).for_each(|i| is_there[symbol(i)] = true);
    let list = if is_there.iter().filter(|&&is| is).count() <= 256 {
        let mut code = [0u8; 257];
        let mut next = 0u8;
        for (symbol, _) in is_there.iter().enumerate().filter(|(_, is)| **is) {
            code[symbol] = next;
            next = next.wrapping_add(1);
        }
        let string = computed(len, GRAIN, "the block to sort", |i| code[symbol(i)])?;
        sort(Symbols::U8(&string), false)?
    } else {
        let string = computed(len, GRAIN, "the block to sort", |i| symbol(i) as u32)?;
        sort(Symbols::U32(&string), false)?
    };
    let Positions::U32(list) = list else { unreachable!("narrow ones were asked for") };
    Ok(list)
}

/// Notes for every suffix that begins in the block whether it is greater than the tail: matches the block with the tail's
/// first bytes, as Main and Lorentz (1984) do. Work O(block).
fn compare_with_tail(text: &[u8], range: Range<usize>, greater: &Bits) -> Result<()> {
    let Range { start, end } = range;
    let pattern = &text[end..text.len().min(2 * end - start)];
    // How far the pattern agrees with itself from every place on.
    let mut agrees: Vec<u32> = try_filled(pattern.len(), 0, "matches of a block")?;
    let (mut left, mut right) = (0, 0);
    for i in 1..pattern.len() {
        let mut len = if i < right { (agrees[i - left] as usize).min(right - i) } else { 0 };
        if i + len >= right {
            len += pattern[i + len..].iter().zip(&pattern[len..]).take_while(|(x, y)| x == y).count();
            (left, right) = (i, i + len);
        }
        agrees[i] = len as u32;
    }
    if let Some(first) = agrees.first_mut() {
        *first = pattern.len() as u32;
    }
    // The same for the block.
    let (mut left, mut right, mut word) = (start, start, 0);
    for i in start..end {
        let mut len = if i < right { (agrees[i - left] as usize).min(right - i) } else { 0 };
        if i + len >= right {
            len += text[i + len..end].iter().zip(&pattern[len..]).take_while(|(x, y)| x == y).count();
            (left, right) = (i, i + len);
        }
        let is_greater = if i + len == end {
            // All of the rest agrees; then the tail is compared with what follows there.
            end + len == text.len() || !greater.get(end + len)
        } else {
            // The tail has ended, or they differ.
            len == pattern.len() || text[i + len] > pattern[len]
        };
        word |= u64::from(is_greater) << (i % 64);
        if i % 64 == 63 || i + 1 == end {
            greater.set_word(i / 64, word);
            word = 0;
        }
    }
    Ok(())
}
