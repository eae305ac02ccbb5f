//! A block: 512 parentheses in one cache line, and what can be asked of it.
//!
//! Bit by bit the excess rises by one at an opening parenthesis (1) and falls by one at a closing one (0). What is asked
//! for is the lowest excess *before* one of the bits of a part of the block, and the last place where it is that low.
//!
//! The part is cut out by changing bits, not by testing places: with closings before it and openings behind it, the
//! excess falls until the part begins and rises after it ends, so the last lowest place of the whole block lies in the
//! part. So there is only one search, without a branch, over all 64 bytes at once: plain loops, which compilers turn into
//! vector instructions.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use crate::simd::Level;

/// Words of a block.
pub(super) const WORDS: usize = 8;
/// Bits of a block.
pub(super) const BITS: usize = 64 * WORDS;
const BYTES: usize = BITS / 8;

/// The bits of a block, lowest first.
pub(super) type Block = [u64; WORDS];

/// The lowest place of a block, or of a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lowest {
    /// The excess before the place, counted from the block's beginning.
    pub(super) excess: i32,
    /// The last place of that excess: there is an opening.
    pub(super) place: usize,
    /// Openings before the place: those of the part only.
    pub(super) ones: usize,
}

/// How many openings there are.
#[inline(always)]
pub(super) fn count(block: &Block) -> usize {
    block.iter().map(|word| word.count_ones() as usize).sum()
}

/// The place of opening number `ordinal`, from 0. Without one, any place of the block.
#[inline(always)]
pub(super) fn select(block: &Block, ordinal: usize) -> usize {
    // Openings up to and including each word; the last word is taken if no earlier one has enough.
    let (mut ones, mut word, mut before) = (0, 0, 0);
    for bits in &block[..WORDS - 1] {
        ones += bits.count_ones() as usize;
        let beyond = ones <= ordinal;
        word += usize::from(beyond);
        before = if beyond { ones } else { before };
    }
    64 * word + select_in_word(block[word % WORDS], (ordinal - before) as u32)
}

/// The place of one bit number `ordinal` of a word; 63 or less if there are fewer.
#[inline(always)]
fn select_in_word(word: u64, ordinal: u32) -> usize {
    #[cfg(target_arch = "x86_64")]
    if crate::simd::level() != Level::Baseline {
        // SAFETY: every level above the baseline has BMI2.
        let bit = unsafe { std::arch::x86_64::_pdep_u64(1u64.unbounded_shl(ordinal), word) };
        return bit.trailing_zeros().min(63) as usize;
    }
    select_by_halves(word, ordinal)
}

/// The same on any machine: is it in the lower half? And so on.
fn select_by_halves(word: u64, mut ordinal: u32) -> usize {
    let mut place = 0;
    for half in [32, 16, 8, 4, 2, 1] {
        let ones = (word >> place & ((1 << half) - 1)).count_ones();
        if ones <= ordinal {
            ordinal -= ones;
            place += half;
        }
    }
    place as usize
}

/// The place of the last opening, or 0.
#[inline(always)]
pub(super) fn last(block: &Block) -> usize {
    let mut last = 0;
    for (w, &word) in block.iter().enumerate() {
        last = if word == 0 { last } else { 64 * w + 63 - word.leading_zeros() as usize };
    }
    last
}

/// The block with closings before place `from` and openings from place `to` on.
#[inline(always)]
pub(super) fn part(block: &Block, from: usize, to: usize) -> Block {
    let (before, behind) = (ones_from(from), ones_from(to));
    let mut part = *block;
    for w in 0..WORDS {
        part[w] = part[w] & before[w] | behind[w];
    }
    part
}

/// Ones from a place on.
#[inline(always)]
fn ones_from(place: usize) -> Block {
    // Every word counts the place from one word earlier than its own beginning: so all of them do the same, which lets
    // compilers do it at once.
    let place = place as u16 + 64;
    let mut zeros = [0u16; WORDS];
    for w in 0..WORDS {
        zeros[w] = place.saturating_sub(64 * (w as u16 + 1));
    }
    zeros.map(|zeros| u64::MAX.unbounded_shl(zeros.into()))
}

/// The last lowest place of places `from..=to`, where there are openings.
#[inline(always)]
pub(super) fn lowest_between(block: &Block, from: usize, to: usize) -> Lowest {
    #[cfg(target_arch = "x86_64")]
    if crate::simd::level() != Level::Baseline {
        // SAFETY: every level above the baseline has AVX2.
        return unsafe { avx2::lowest(block, from, to) }.of_part(from);
    }
    lowest(&part(block, from, to)).of_part(from)
}

/// The last lowest place from place `from` on, where there is an opening. If the block ends with closings, it may be one
/// of them: some opening further on lies lower then.
#[inline(always)]
pub(super) fn lowest_from(block: &Block, from: usize) -> Lowest {
    lowest_between(block, from, BITS)
}

impl Lowest {
    /// The part's excess begins at -from.
    #[inline(always)]
    fn of_part(mut self, from: usize) -> Self {
        self.excess += from as i32;
        self
    }
}

/// The last lowest place of a block, of which the excess before bit 0 is 0.
#[inline(always)]
pub(super) fn lowest(block: &Block) -> Lowest {
    let mut bytes = [0u8; BYTES];
    for (w, word) in block.iter().enumerate() {
        bytes[8 * w..][..8].copy_from_slice(&word.to_le_bytes());
    }
    // In every byte: openings, and the lowest excess before a bit, from the byte's own beginning. The excess before an odd
    // bit is lower than that before the even one just if there is a closing between.
    let mut ones = [0u8; BYTES];
    let mut lows = [0i8; BYTES];
    for j in 0..BYTES {
        let byte = bytes[j];
        ones[j] = byte.count_ones() as u8;
        let (mut excess, mut low) = (0i8, i8::MAX);
        for pair in 0..4 {
            let bits = byte >> (2 * pair);
            low = low.min(excess + (bits & 1) as i8 - 1);
            excess += ((bits & 1) + (bits >> 1 & 1)) as i8 * 2 - 2;
        }
        lows[j] = low;
    }
    // The same from the beginning of the byte's word, and the lowest of every word.
    let mut counts = [0u16; WORDS];
    let mut before = [0u8; BYTES];
    for w in 0..WORDS {
        let mut ones = u64::from_le_bytes(*ones[8 * w..].first_chunk().expect("eight bytes"));
        ones += ones << 8;
        ones += ones << 16;
        ones += ones << 32;
        counts[w] = (ones >> 56) as u16;
        before[8 * w..][..8].copy_from_slice(&(ones << 8).to_le_bytes());
    }
    for j in 0..BYTES {
        lows[j] += (2 * before[j]) as i8 - 8 * (j % 8) as i8;
    }
    let mut folded = lows;
    for shift in [32, 16, 8] {
        let mut moved = [0i8; BYTES];
        for w in 0..WORDS {
            let word = u64::from_le_bytes(folded[8 * w..].first_chunk().expect("eight bytes").map(|low| low as u8));
            moved[8 * w..][..8].copy_from_slice(&(word >> shift).to_le_bytes().map(|low| low as i8));
        }
        for j in 0..BYTES {
            folded[j] = folded[j].min(moved[j]);
        }
    }
    // One number a word, of which the lowest is the lowest word's: its excess and behind it the word, counted from the
    // end. Excess 0 before bit 0 is always there, so higher ones need not be told apart.
    let starts = running(counts);
    let mut numbers = [0i16; WORDS];
    for w in 0..WORDS {
        let excess = 2 * starts[w] as i16 - 64 * w as i16 + i16::from(folded[8 * w]);
        numbers[w] = excess.min(1) << 3 | (WORDS - 1 - w) as i16;
    }
    let best = numbers.into_iter().fold(i16::MAX, i16::min);
    let (excess, word) = (best >> 3, WORDS - 1 - (best & 7) as usize);
    // The last byte of the word that is as low, and the last bit of the byte.
    let target = (excess + 64 * word as i16 - 2 * starts[word] as i16) as u8;
    let lows = u64::from_le_bytes(lows[8 * word..].first_chunk().expect("eight bytes").map(|low| low as u8));
    let byte = last_byte_with(lows, target);
    let place = 64 * word + 8 * byte + usize::from(LAST_LOW[usize::from(bytes[8 * word + byte])]);
    // The excess before a place is twice the openings less the place.
    Lowest { excess: excess.into(), place, ones: (i32::from(excess) + place as i32) as usize / 2 }
}

/// Sums of the counts before each one, of which all fit 16 bits.
#[inline(always)]
fn running(counts: [u16; WORDS]) -> [u16; WORDS] {
    const ONES: u64 = 0x0001_0001_0001_0001;
    let four = |half: &[u16]| (0..4).map(|i| u64::from(half[i]) << (16 * i)).sum::<u64>();
    let low = four(&counts[..4]).wrapping_mul(ONES);
    let sum = low >> 48;
    let high = four(&counts[4..]).wrapping_mul(ONES).wrapping_add(sum * ONES);
    let (low, high) = (low << 16, high << 16 | sum);
    std::array::from_fn(|w| (if w < 4 { low } else { high } >> (16 * (w % 4))) as u16)
}

/// The number of the last of eight bytes that is `byte`; any if none is.
#[inline(always)]
fn last_byte_with(bytes: u64, byte: u8) -> usize {
    const LOW_BITS: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let difference = bytes ^ u64::from_le_bytes([byte; 8]);
    // The top bit of every byte that is zero; no carry leaves its byte.
    let zero = !((difference & LOW_BITS) + LOW_BITS | difference | LOW_BITS);
    7 - (zero.leading_zeros() as usize / 8).min(7)
}

/// For every byte the last bit before which its excess is lowest.
static LAST_LOW: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut excess, mut low, mut bit) = (0, 0, 0);
        while bit < 8 {
            if excess <= low {
                low = excess;
                table[byte] = bit;
            }
            excess += (byte as i32 >> bit & 1) * 2 - 1;
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// The search in the instructions of AVX2, after the same plan: tables of half bytes, which compilers do not find by
/// themselves, and the last steps without leaving the registers.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{BITS, Block, LAST_LOW, Lowest, WORDS, last_byte_with};

    /// The excess of half a byte, and the lowest before one of its bits.
    const TABLES: ([i8; 16], [i8; 16]) = {
        let (mut excess, mut low) = ([0; 16], [0; 16]);
        let mut bits = 0;
        while bits < 16 {
            let mut bit = 0;
            while bit < 4 {
                if excess[bits] < low[bits] {
                    low[bits] = excess[bits];
                }
                excess[bits] += (bits as i8 >> bit & 1) * 2 - 1;
                bit += 1;
            }
            bits += 1;
        }
        (excess, low)
    };

    #[target_feature(enable = "avx2")]
    #[inline]
    fn table(entries: [i8; 16]) -> __m256i {
        // SAFETY: the array has 16 bytes.
        _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(entries.as_ptr().cast()) })
    }

    /// What one half of the block knows: of every byte the lowest excess from the beginning of its word; of every word the
    /// lowest, in its first byte, and the excess behind it, in its last.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn half(bits: __m256i) -> (__m256i, __m256i, __m256i) {
        let (excess, low, nibble) = (table(TABLES.0), table(TABLES.1), _mm256_set1_epi8(15));
        let (first, second) = (_mm256_and_si256(bits, nibble), _mm256_and_si256(_mm256_srli_epi16(bits, 4), nibble));
        let after_first = _mm256_shuffle_epi8(excess, first);
        let own = _mm256_add_epi8(after_first, _mm256_shuffle_epi8(excess, second));
        let in_second = _mm256_add_epi8(after_first, _mm256_shuffle_epi8(low, second));
        let in_byte = _mm256_min_epi8(_mm256_shuffle_epi8(low, first), in_second);
        let mut after = _mm256_add_epi8(own, _mm256_slli_epi64(own, 8));
        after = _mm256_add_epi8(after, _mm256_slli_epi64(after, 16));
        after = _mm256_add_epi8(after, _mm256_slli_epi64(after, 32));
        let lows = _mm256_add_epi8(in_byte, _mm256_slli_epi64(after, 8));
        let mut lowest = _mm256_min_epi8(lows, _mm256_srli_epi64(lows, 32));
        lowest = _mm256_min_epi8(lowest, _mm256_srli_epi64(lowest, 16));
        lowest = _mm256_min_epi8(lowest, _mm256_srli_epi64(lowest, 8));
        (lows, lowest, after)
    }

    /// `ones` where the words of the block's half, which begin at the given places, have places from `place` on.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn ones_from(place: usize, starts: __m256i) -> __m256i {
        let zeros = _mm256_subs_epu16(_mm256_set1_epi64x(place as i64), starts);
        // More than 63 zeros leave nothing.
        _mm256_sllv_epi64(_mm256_set1_epi8(-1), zeros)
    }

    /// See [`super::lowest`] and [`super::part`]. Places up to [`BITS`].
    #[target_feature(enable = "avx2,lzcnt")]
    #[inline]
    pub(super) fn lowest(block: &Block, from: usize, to: usize) -> Lowest {
        debug_assert!(from <= BITS && to <= BITS);
        let starts = [_mm256_setr_epi64x(0, 64, 128, 192), _mm256_setr_epi64x(256, 320, 384, 448)];
        let part = |h: usize| {
            // SAFETY: a half of the block.
            let bits = unsafe { _mm256_loadu_si256(block.as_ptr().add(4 * h).cast()) };
            _mm256_or_si256(_mm256_and_si256(bits, ones_from(from, starts[h])), ones_from(to, starts[h]))
        };
        let parts = [part(0), part(1)];
        let (low_half, high_half) = (half(parts[0]), half(parts[1]));
        // Words in order, 32 bits each: the excess of every word and its lowest.
        let in_order = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
        let top = |after: __m256i| _mm256_srli_epi64(after, 56);
        let own = _mm256_or_si256(top(low_half.2), _mm256_slli_epi64(top(high_half.2), 32));
        let own = _mm256_permutevar8x32_epi32(own, in_order);
        let lowest = _mm256_blend_epi32(low_half.1, _mm256_slli_epi64(high_half.1, 32), 0b1010_1010);
        let lowest = _mm256_permutevar8x32_epi32(lowest, in_order);
        let signed = |bytes: __m256i| _mm256_srai_epi32(_mm256_slli_epi32(bytes, 24), 24);
        let (own, lowest) = (signed(own), signed(lowest));
        // The excess before every word: sums inside both halves, and the lower half's sum for the upper one.
        let mut after = _mm256_add_epi32(own, _mm256_slli_si256(own, 4));
        after = _mm256_add_epi32(after, _mm256_slli_si256(after, 8));
        let of_lower = _mm256_permute2x128_si256(_mm256_shuffle_epi32(after, 0xff), after, 0x08);
        after = _mm256_add_epi32(after, of_lower);
        let before = _mm256_sub_epi32(after, own);
        // One number a word: see `super::lowest`.
        let numbers = _mm256_slli_epi32(_mm256_add_epi32(before, lowest), 3);
        let numbers = _mm256_or_si256(numbers, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0));
        let mut best = _mm_min_epi32(_mm256_castsi256_si128(numbers), _mm256_extracti128_si256(numbers, 1));
        best = _mm_min_epi32(best, _mm_shuffle_epi32(best, 0b00_01_10_11));
        best = _mm_min_epi32(best, _mm_shuffle_epi32(best, 0b10_11_00_01));
        let best = _mm_cvtsi128_si32(best);
        let (excess, word) = (best >> 3, WORDS - 1 - (best & 7) as usize);
        // The last byte of the word that is as low, and the last bit of the byte.
        let (mut words, mut lows, mut starts) = ([0u64; WORDS], [0u64; WORDS], [0i32; WORDS]);
        // SAFETY: halves of the arrays, and a whole one.
        unsafe {
            _mm256_storeu_si256(words.as_mut_ptr().cast(), parts[0]);
            _mm256_storeu_si256(words.as_mut_ptr().add(4).cast(), parts[1]);
            _mm256_storeu_si256(lows.as_mut_ptr().cast(), low_half.0);
            _mm256_storeu_si256(lows.as_mut_ptr().add(4).cast(), high_half.0);
            _mm256_storeu_si256(starts.as_mut_ptr().cast(), before);
        }
        let byte = last_byte_with(lows[word], (excess - starts[word]) as u8);
        let place = 64 * word + 8 * byte + usize::from(LAST_LOW[usize::from((words[word] >> (8 * byte)) as u8)]);
        Lowest { excess, place, ones: (excess + place as i32) as usize / 2 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks() -> Vec<Block> {
        let mut state = 1u64;
        let mut random = || {
            // xorshift64
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let mut blocks = vec![[0; WORDS], [u64::MAX; WORDS]];
        for i in 0..24 {
            blocks.push(std::array::from_fn(|_| match i % 4 {
                0 => random(),
                1 => random() & random() & random(),
                2 => random() | random() | random(),
                // Words of one kind only: long runs.
                _ => [0, u64::MAX][(random() % 2) as usize],
            }));
        }
        for bit in [0, 1, 63, 64, 255, 256, 448, 511] {
            let one: Block = std::array::from_fn(|w| if bit / 64 == w { 1 << (bit % 64) } else { 0 });
            blocks.push(one.map(|word| !word));
            blocks.push(one);
        }
        blocks
    }

    fn is_one(block: &Block, place: usize) -> bool {
        block[place / 64] >> (place % 64) & 1 == 1
    }

    /// The last lowest of some places, by walking.
    fn walk(block: &Block, from: usize, to: usize) -> Lowest {
        let (mut excess, mut ones) = (0, 0);
        let mut best = Lowest { excess: i32::MAX, place: 0, ones: 0 };
        for place in 0..=to {
            if place >= from && excess <= best.excess {
                best = Lowest { excess, place, ones };
            }
            excess += if is_one(block, place) { 1 } else { -1 };
            ones += usize::from(is_one(block, place) && place >= from);
        }
        best
    }

    #[test]
    fn select_and_last_find_every_opening() {
        for block in blocks() {
            let places: Vec<usize> = (0..BITS).filter(|&place| is_one(&block, place)).collect();
            assert_eq!(count(&block), places.len());
            assert_eq!(last(&block), places.last().copied().unwrap_or(0));
            for (ordinal, &place) in places.iter().enumerate() {
                assert_eq!(select(&block, ordinal), place, "{block:x?}");
            }
            // No such opening: any place will do.
            for ordinal in places.len()..700 {
                assert!(select(&block, ordinal) < BITS);
            }
            for &word in &block {
                for ordinal in 0..word.count_ones() {
                    assert_eq!(select_by_halves(word, ordinal), select_in_word(word, ordinal));
                }
            }
        }
    }

    #[test]
    fn the_lowest_place_of_every_part() {
        for block in blocks() {
            let places: Vec<usize> = (0..BITS).filter(|&place| is_one(&block, place)).collect();
            for (i, &from) in places.iter().enumerate() {
                for &to in places[i..].iter().step_by(1 + i % 5) {
                    let mut found = lowest_between(&block, from, to);
                    assert!(is_one(&block, found.place), "{block:x?} {from} {to}");
                    assert_eq!(lowest(&part(&block, from, to)).of_part(from), found, "the plain search");
                    // What lies before the part counts for the block's excess, but not for the openings.
                    found.excess += 2 * i as i32 - from as i32;
                    assert_eq!(found, walk(&block, from, to), "{block:x?} {from} {to}");
                }
            }
            assert_eq!(lowest(&block), walk(&block, 0, BITS - 1));
            assert_eq!(lowest_from(&block, 0), walk(&block, 0, BITS - 1));
        }
    }
}
