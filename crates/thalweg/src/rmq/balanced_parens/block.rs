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
    if std::arch::is_x86_feature_detected!("bmi2") {
        // SAFETY: the processor has the instruction.
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
    let mut part = *block;
    for (w, word) in part.iter_mut().enumerate() {
        let ones_from = |place: usize| u64::MAX.unbounded_shl(place.saturating_sub(64 * w).min(64) as u32);
        *word = *word & ones_from(from) | ones_from(to);
    }
    part
}

/// The last lowest place of places `from..=to`, where there are openings.
#[inline(always)]
pub(super) fn lowest_between(block: &Block, from: usize, to: usize) -> Lowest {
    let mut lowest = lowest(&part(block, from, to));
    // The part's excess begins at -from instead of that of the block.
    lowest.excess += from as i32;
    lowest
}

/// The last lowest place of a block, of which the excess before bit 0 is 0.
#[inline(always)]
pub(super) fn lowest(block: &Block) -> Lowest {
    let mut bytes = [0u8; BYTES];
    for (w, word) in block.iter().enumerate() {
        bytes[8 * w..][..8].copy_from_slice(&word.to_le_bytes());
    }
    // The lowest excess before a bit of each byte, from the byte's own beginning.
    let mut lows = [0i8; BYTES];
    let mut ones = [0u8; BYTES];
    for j in 0..BYTES {
        let byte = bytes[j];
        let (mut excess, mut low) = (0i8, 0i8);
        for bit in 0..7 {
            excess += (byte >> bit & 1) as i8 * 2 - 1;
            low = low.min(excess);
        }
        lows[j] = low;
        ones[j] = byte.count_ones() as u8;
    }
    // Openings before each byte in its word, and before each word.
    let mut before_bytes = [0u64; WORDS];
    let mut before_words = [0i16; WORDS];
    let mut sum = 0;
    for w in 0..WORDS {
        let mut prefix = u64::from_le_bytes(*ones[8 * w..].first_chunk().expect("eight bytes"));
        prefix += prefix << 8;
        prefix += prefix << 16;
        prefix += prefix << 32;
        before_bytes[w] = prefix << 8;
        before_words[w] = sum;
        sum += (prefix >> 56) as i16;
    }
    // One number a byte, of which the lowest is the lowest place's: its excess and behind it the byte, counted from the
    // end. Excess 0 before bit 0 is always there, so higher ones need not be told apart; the lowest possible is -511.
    let mut best = i16::MAX;
    for w in 0..WORDS {
        let before = before_bytes[w].to_le_bytes();
        for b in 0..8 {
            let j = 8 * w + b;
            let excess = 2 * (before_words[w] + i16::from(before[b])) - 8 * j as i16 + i16::from(lows[j]);
            best = best.min(excess.min(1) << 6 | (BYTES - 1 - j) as i16);
        }
    }
    let (excess, byte) = (i32::from(best >> 6), BYTES - 1 - (best & 63) as usize);
    let place = 8 * byte + usize::from(LAST_LOW[usize::from(bytes[byte])]);
    // The excess before a place is twice the openings less the place.
    Lowest { excess, place, ones: (excess + place as i32) as usize / 2 }
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
        for i in 0..40 {
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
                for &to in places[i..].iter().step_by(1 + i % 3) {
                    let mut found = lowest_between(&block, from, to);
                    assert!(is_one(&block, found.place), "{block:x?} {from} {to}");
                    // What lies before the part counts for the block's excess, but not for the openings.
                    found.excess += 2 * i as i32 - from as i32;
                    assert_eq!(found, walk(&block, from, to), "{block:x?} {from} {to}");
                }
            }
            assert_eq!(lowest(&block), walk(&block, 0, BITS - 1));
        }
    }
}
