//! Codes, words and minima, a superblock at a time.
#![allow(unsafe_code)]

use super::code::{PLACES, encode};
use super::word::Word;
use super::{FAN, Shape, codes_each};
use crate::rmq::table::Entry;
use thalweg_core::coding::Ranking;
use thalweg_core::disjoint::Disjoint;
use thalweg_core::dispatch;
use thalweg_core::memory::{Aligned, computed};
use thalweg_core::parallel::for_each_chunk;
use thalweg_core::{Rank, Result};

/// Superblocks that one task looks at: some 30 µs of work.
const TASK: usize = 8;

/// What the index is made of, and the first row of its table.
pub(super) struct Parts<R> {
    pub(super) codes: Aligned<u32>,
    pub(super) blocks: Aligned<u32>,
    pub(super) minima: Aligned<R>,
    pub(super) superblocks: Aligned<u32>,
    pub(super) entries: Vec<Entry<R>>,
}

pub(super) fn parts<R: Rank>(array: &[R], order: Ranking<R>, shape: Shape) -> Result<Parts<R>> {
    let size = 1 << shape.superblock();
    let count = array.len().div_ceil(size);
    let mut codes = Aligned::zeroed(count * codes_each(shape), "the codes of blocks")?;
    let mut blocks = Aligned::zeroed(count << shape.blocks, "the words of blocks")?;
    let mut minima = Aligned::zeroed(count, "the minima of superblocks")?;
    let mut superblocks = Aligned::zeroed(count, "the words of superblocks")?;
    let (all_codes, all_blocks) = (Disjoint::new(&mut codes), Disjoint::new(&mut blocks));
    let (all_minima, all_superblocks) = (Disjoint::new(&mut minima), Disjoint::new(&mut superblocks));
    for_each_chunk(count, TASK, &|range| {
        for s in range {
            let elements = &array[s * size..array.len().min((s + 1) * size)];
            // SAFETY: inside, and every superblock has its own.
            unsafe {
                let codes = all_codes.slice_mut(s * codes_each(shape)..(s + 1) * codes_each(shape));
                let blocks = all_blocks.slice_mut(s << shape.blocks..(s + 1) << shape.blocks);
                let (minimum, word) = fill(elements, order, shape, codes, blocks);
                all_minima.put(s, minimum);
                all_superblocks.put(s, word);
            }
        }
    });
    let entries = computed(count.div_ceil(FAN), 16, "table of groups", |g| {
        let group = g * FAN..count.min((g + 1) * FAN);
        let mut lanes = [R::WORST; FAN];
        lanes[..group.len()].copy_from_slice(&minima[group.clone()]);
        let Packed { words, best, .. } = pack(&lanes);
        // SAFETY: inside, filled above, and every group has its own.
        let superblocks = unsafe { all_superblocks.slice_mut(group) };
        superblocks.iter_mut().zip(words).for_each(|(superblock, word)| *superblock |= word);
        Entry { rank: lanes[best], group: (g * FAN + best) as u32 }
    })?;
    Ok(Parts { codes, blocks, minima, superblocks, entries })
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
