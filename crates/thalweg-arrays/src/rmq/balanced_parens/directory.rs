//! What is known of every block and superblock of the sequence, so that queries find their way.
#![allow(unsafe_code)]

use super::block::{self, BITS, Block};
use super::{BalancedParens, EMPTY_BLOCK, EMPTY_SUPERBLOCK, HINT, Lengths, SUPERBLOCK};
use thalweg_core::disjoint::Disjoint;
use thalweg_core::dispatch;
use thalweg_core::error::try_with_capacity;
use thalweg_core::memory::{Aligned, computed};
use thalweg_core::parallel::{chunk_range, for_each_chunk};
use thalweg_core::{Error, Result};

/// Superblocks that one task looks at: some 10 µs of work.
const TASK: usize = 16;

impl BalancedParens<'_> {
    /// Puts the directory beside the parentheses of `len` elements.
    pub(super) fn with_directory(bits: Aligned<u64>, len: usize) -> Result<Self> {
        let blocks = bits.as_chunks().0;
        if u32::try_from(blocks.len()).is_err() {
            let reason =
                format!("'balanced_parens' numbers its blocks in 32 bits, but {len} elements have more blocks");
            return Err(Error::BadOption { option: "engine", reason });
        }
        // Openings before each superblock.
        let lengths = Lengths::new(len, blocks.len());
        let superblocks = lengths.superblocks;
        let of_superblock = |s: usize| &blocks[chunk_range(s, SUPERBLOCK, blocks.len())];
        let mut starts =
            computed(superblocks + 1, TASK, WHAT, |s| if s < superblocks { count(of_superblock(s)) } else { 0 })?;
        let mut sum = 0;
        for start in &mut starts {
            (*start, sum) = (sum, sum + *start);
        }
        debug_assert_eq!(sum, len);

        let mut ranks: Aligned<u16> = Aligned::zeroed(lengths.ranks, WHAT)?;
        let mut minima: Aligned<u16> = Aligned::zeroed(lengths.minima, WHAT)?;
        let mut hints: Aligned<u32> = Aligned::zeroed(lengths.hints, WHAT)?;
        let mut heights: Aligned<u64> = Aligned::zeroed(superblocks, WHAT)?;
        let mut lowest: Aligned<u64> = Aligned::zeroed(superblocks, WHAT)?;
        let (inner, behind) = ranks.split_at_mut(lengths.minima);
        // Behind the last block every element has been opened.
        behind.fill(len as u16);
        // Whoever holds a hinted element writes the hint.
        hints[sum.div_ceil(HINT)..].fill(blocks.len().saturating_sub(1) as u32);
        let (all_ranks, all_minima, all_hints) =
            (Disjoint::new(inner), Disjoint::new(&mut minima), Disjoint::new(&mut hints));
        let (all_heights, all_lowest) = (Disjoint::new(&mut heights), Disjoint::new(&mut lowest));
        for_each_chunk(superblocks, TASK, &|range| {
            for s in range {
                let own = s * SUPERBLOCK..(s + 1) * SUPERBLOCK;
                let hints = starts[s].div_ceil(HINT)..starts[s + 1].div_ceil(HINT);
                // SAFETY: inside, and every superblock has its own.
                unsafe {
                    let (ranks, minima) = (all_ranks.slice_mut(own.clone()), all_minima.slice_mut(own));
                    let hints = all_hints.slice_mut(hints);
                    let (height, lowest) = describe(s, starts[s], of_superblock(s), ranks, minima, hints);
                    all_heights.put(s, height);
                    all_lowest.put(s, lowest);
                }
            }
        });
        let table = table_of(&heights, lengths.table)?;
        Ok(Self {
            len,
            bits: bits.into(),
            ranks: ranks.into(),
            minima: minima.into(),
            hints: hints.into(),
            heights: heights.into(),
            lowest: lowest.into(),
            table: table.into(),
        })
    }
}

const WHAT: &str = "the directory of parentheses";

dispatch! {
    /// The openings of some blocks.
    fn count<>(blocks: &[Block]) -> usize = count_body;
}

#[inline(always)]
fn count_body(blocks: &[Block]) -> usize {
    // One run of words: of blocks of words, compilers make gathers.
    blocks.as_flattened().iter().map(|word| word.count_ones() as usize).sum()
}

dispatch! {
    /// Fills in the blocks of superblock `number`, before which there are `start` openings. Returns the height of its
    /// lowest element and the last one of that height.
    fn describe<>(
        number: usize, start: usize, blocks: &[Block], ranks: &mut [u16], minima: &mut [u16], hints: &mut [u32],
    ) -> (u64, u64) = describe_body;
}

#[inline(always)]
fn describe_body(
    number: usize,
    start: usize,
    blocks: &[Block],
    ranks: &mut [u16],
    minima: &mut [u16],
    hints: &mut [u32],
) -> (u64, u64) {
    let (mut rank, mut best, mut best_element) = (start, EMPTY_BLOCK, 0);
    let mut hints = hints.iter_mut().zip((start.div_ceil(HINT)..).map(|hint| hint * HINT)).peekable();
    minima.fill(EMPTY_BLOCK as u16);
    for (b, block) in blocks.iter().enumerate() {
        ranks[b] = rank as u16;
        let count = block::count(block);
        if count > 0 {
            let low = block::lowest_between(block, 0, block::last(block));
            let excess = (2 * (rank - start)) as i32 - (BITS * b) as i32 + low.excess;
            minima[b] = excess as i16 as u16;
            // The last one wins ties.
            if excess <= i32::from(best) {
                (best, best_element) = (excess as i16, rank + low.ones);
            }
        }
        rank += count;
        while let Some((hint, _)) = hints.next_if(|&(_, element)| element < rank) {
            *hint = (number * SUPERBLOCK + b) as u32;
        }
    }
    // The last superblock may have fewer blocks than entries.
    ranks[blocks.len()..].fill(rank as u16);
    if rank == start {
        return (EMPTY_SUPERBLOCK, 0);
    }
    let excess = 2 * start as i64 - (number * SUPERBLOCK * BITS) as i64;
    ((excess + i64::from(best)) as u64, best_element as u64)
}

/// A sparse table: row k holds, for every superblock, which of the 2^k from it on is lowest, the last one on ties.
fn table_of(heights: &[u64], entries: usize) -> Result<Vec<u32>> {
    let width = heights.len();
    let mut table: Vec<u32> = try_with_capacity(entries, WHAT)?;
    table.extend(0..width as u32);
    let mut half = 1;
    while table.len() < entries {
        let last = &table[table.len() - width..];
        // Beyond the last whole window the entry is never read; it is filled to keep rows of one width.
        let row = computed(width, 1 << 12, WHAT, |s| {
            let (left, right) = (last[s], last[(s + half).min(width - 1)]);
            if heights[right as usize] <= heights[left as usize] { right } else { left }
        })?;
        table.extend(row);
        half *= 2;
    }
    Ok(table)
}
