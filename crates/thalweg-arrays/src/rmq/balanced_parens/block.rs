//! A block: 512 parentheses in one cache line, and what can be asked of it.
//!
//! Bit by bit the excess rises by one at an opening parenthesis (1) and falls by one at a closing one (0). What is asked
//! for is the lowest excess *before* one of the bits of a part of the block, and the last place where it is that low.
//!
//! The part is cut out by changing bits, not by testing places: with closings before it and openings behind it, the
//! excess falls until the part begins and rises after it ends, so the last lowest place of the whole block lies in the
//! part. So there is only one search, over all 64 bytes at once, and no branch in it.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use thalweg_core::simd::Level;

/// Words of a block.
pub(super) const WORDS: usize = 8;
/// Bits of a block.
pub(super) const BITS: usize = 64 * WORDS;

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
    if thalweg_core::simd::level() != Level::Baseline {
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
fn part(block: &Block, from: usize, to: usize) -> Block {
    let ones_from = |place: usize, w: usize| u64::MAX.unbounded_shl(place.saturating_sub(64 * w) as u32);
    std::array::from_fn(|w| block[w] & ones_from(from, w) | ones_from(to, w))
}

/// The last lowest place of places `from..=to`, where there are openings.
#[inline(always)]
pub(super) fn lowest_between(block: &Block, from: usize, to: usize) -> Lowest {
    #[cfg(target_arch = "x86_64")]
    if thalweg_core::simd::level() != Level::Baseline {
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
    /// The excess before a place is twice the openings less the place.
    #[inline(always)]
    fn new(excess: i32, place: usize) -> Self {
        Self { excess, place, ones: (excess + place as i32) as usize / 2 }
    }

    /// The part's excess begins at -from.
    #[inline(always)]
    fn of_part(mut self, from: usize) -> Self {
        self.excess += from as i32;
        self
    }
}

/// The last lowest place of a block, of which the excess before bit 0 is 0: byte by byte, on any machine.
fn lowest(block: &Block) -> Lowest {
    let (mut excess, mut best, mut best_byte) = (0, i32::MAX, 0);
    for (w, word) in block.iter().enumerate() {
        for (b, byte) in word.to_le_bytes().into_iter().enumerate() {
            let low = excess + i32::from(BYTES[usize::from(byte)].low);
            if low <= best {
                (best, best_byte) = (low, 8 * w + b);
            }
            excess += 2 * byte.count_ones() as i32 - 8;
        }
    }
    let byte = block[best_byte / 8] >> (8 * (best_byte % 8)) & 0xff;
    Lowest::new(best, 8 * best_byte + usize::from(BYTES[byte as usize].place))
}

/// The lowest excess before a bit of a byte, from the byte's beginning, and the last bit before which it is that low.
#[derive(Clone, Copy)]
struct LowOfByte {
    low: i8,
    place: u8,
}

static BYTES: [LowOfByte; 256] = {
    let mut table = [LowOfByte { low: 0, place: 0 }; 256];
    let mut byte = 0;
    while byte < 256 {
        let (mut excess, mut place) = (0, 0);
        while place < 8 {
            if excess <= table[byte].low {
                table[byte] = LowOfByte { low: excess, place };
            }
            excess += (byte >> place & 1) as i8 * 2 - 1;
            place += 1;
        }
        byte += 1;
    }
    table
};

/// The search in the instructions of AVX2: all bytes at once, then all words, then one byte of one word. Written in plain
/// loops it took twice as long (2^22 elements, ranges around n^0.3: 165 ns a query instead of 80), as compilers do not find
/// the tables of half bytes.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{BITS, BYTES, Block, Lowest, WORDS};

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

    /// Ones from `place` on, for four words that begin at the given places.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn ones_from(place: usize, starts: __m256i) -> __m256i {
        let zeros = _mm256_subs_epu16(_mm256_set1_epi64x(place as i64), starts);
        // More than 63 zeros leave nothing.
        _mm256_sllv_epi64(_mm256_set1_epi8(-1), zeros)
    }

    /// The number of the last of eight bytes that is `byte`; any if none is.
    #[inline(always)]
    fn last_byte_with(bytes: u64, byte: u8) -> usize {
        const LOW_BITS: u64 = 0x7f7f_7f7f_7f7f_7f7f;
        let difference = bytes ^ u64::from_le_bytes([byte; 8]);
        // The top bit of every byte that is zero; no carry leaves its byte.
        let zero = !(((difference & LOW_BITS) + LOW_BITS) | difference | LOW_BITS);
        7 - (zero | 1).leading_zeros() as usize / 8
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
        // One number a word, of which the lowest is the lowest word's: its excess, and behind it the word, from the end.
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
        let bits = (words[word] >> (8 * byte)) as u8;
        Lowest::new(excess, 64 * word + 8 * byte + usize::from(BYTES[usize::from(bits)].place))
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
