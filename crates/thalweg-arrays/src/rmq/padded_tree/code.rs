//! The Cartesian tree of a block as two bits an element, and minima from them alone.
//!
//! Give every node of the block's Cartesian tree its two children, nodes or *gaps*, and write the padded tree down in
//! preorder, a one for a node and a zero for a gap, lowest bit first. Gap i lies before element i, so the i-th zero
//! stands for element i, and the gap behind the last element, always the last zero, is left out: 2b bits for b elements.
//!
//! Replace zeros by -1: the sum of the bits up to the i-th zero is the number of nodes that have the gap in their left
//! subtree, less one. An ancestor has fewer of these than what lies in its left subtree, and not more than what lies in
//! its right one. So the minimum of elements a to b is where the prefix sums are least, at the first such place between
//! the a-th and the b-th zero; first, because of equal elements the leftmost one is the ancestor.
//!
//! A *dictionary* knows all strings of 2, 4 or 8 bits: their zeros, where these are, and the first least prefix sum. So
//! a code is read in 16, 8 or 4 steps, with neither a branch nor a bit by itself.

use std::hint::black_box;

use thalweg_core::Rank;

/// Elements of a block at most: their code is a word of 32 bits.
pub(super) const PLACES: usize = 16;

/// A block's code, its minimum, and where that is.
pub(super) struct Encoded<R> {
    pub(super) code: u32,
    pub(super) minimum: R,
    pub(super) offset: u32,
}

/// Encodes a block. One of fewer elements is filled up with the worst rank; then the 2b lowest bits of the code count.
#[inline(always)]
pub(super) fn encode<R: Rank>(ranks: &[R; PLACES]) -> Encoded<R> {
    // The nodes with gap i in their left subtree are the elements from i on that are less than all from i to there.
    // All lanes search at once: `least` is what lane i has met so far.
    let (mut least, mut nodes) = (*ranks, [1u32; PLACES]);
    for (next, &rank) in ranks.iter().enumerate() {
        let behind: &[R; PLACES] = R::MASK[2 * PLACES - next..].first_chunk().expect("next < PLACES");
        for lane in 0..PLACES {
            // Lanes behind the element do not meet it: they see the worst rank.
            let rank = rank | behind[lane];
            nodes[lane] += u32::from(rank < least[lane]);
            least[lane] = rank.min(least[lane]);
        }
    }
    // Seen from here on as memory, not as 16 variables: else compilers take the lanes apart, and building takes twice as
    // long.
    let nodes = black_box(nodes);
    // Before the i-th zero are i zeros and the ones of its nodes and of the i elements before it.
    let zeros = nodes.iter().zip(0..).fold(0, |zeros, (nodes, lane)| zeros | 1u32 << (2 * lane + nodes));
    // The minimum is the first to be less than all behind it, or equal.
    let last = nodes.iter().zip(0..).fold(0, |last, (&nodes, lane)| last | u32::from(nodes == 1) << lane);
    let offset = last.trailing_zeros();
    Encoded { code: !zeros, minimum: ranks[offset as usize % PLACES], offset }
}

/// What the dictionary says about a string of bits: the number of zeros in byte 0, the first least prefix sum at a zero,
/// plus [`BIAS`], in byte 1, which zero that is in byte 2, and from bit 32 on the places of the zeros, 3 bits each.
type Entry = u64;

/// Makes prefix sums positive. A string without zeros says twice as much: more than any sum in a code.
const BIAS: i32 = 64;

#[inline(always)]
fn zeros(entry: Entry) -> u32 {
    entry as u8 as u32
}

#[inline(always)]
fn least(entry: Entry) -> i32 {
    i32::from((entry >> 8) as u8) - BIAS
}

#[inline(always)]
fn ordinal(entry: Entry) -> u32 {
    u32::from((entry >> 16) as u8)
}

/// Where in the string zero number `i` is; anything if there is none.
#[inline(always)]
fn place(entry: Entry, i: u32) -> u32 {
    (entry.wrapping_shr(32 + 3 * (i & 7)) & 7) as u32
}

/// The entries of all strings of one width.
const fn entries<const COUNT: usize>() -> [Entry; COUNT] {
    let width = COUNT.ilog2();
    let mut entries = [0; COUNT];
    let mut string = 0;
    while string < COUNT {
        let (mut sum, mut least, mut ordinal, mut zeros, mut places, mut bit) = (0, BIAS, 0, 0, 0, 0);
        while bit < width {
            if string >> bit & 1 == 1 {
                sum += 1;
            } else {
                sum -= 1;
                places |= (bit as Entry) << (3 * zeros);
                if sum < least {
                    (least, ordinal) = (sum, zeros);
                }
                zeros += 1;
            }
            bit += 1;
        }
        entries[string] = zeros | ((least + BIAS) as Entry) << 8 | ordinal << 16 | places << 32;
        string += 1;
    }
    entries
}

static OF_2_BITS: [Entry; 4] = entries();
static OF_4_BITS: [Entry; 16] = entries();
static OF_8_BITS: [Entry; 256] = entries();

/// A dictionary of all strings of some bits.
#[derive(Clone, Copy, Debug)]
pub struct Dictionary {
    /// How many bits.
    pub width: u32,
    /// What there is to know of each string: see the module's text.
    pub entries: &'static [Entry],
}

impl Dictionary {
    /// For strings of 2, 4 or 8 bits.
    pub(super) fn of_width(width: usize) -> Option<Self> {
        let entries: &'static [Entry] = match width {
            2 => &OF_2_BITS,
            4 => &OF_4_BITS,
            8 => &OF_8_BITS,
            _ => return None,
        };
        Some(Self { width: width as u32, entries })
    }

    #[inline(always)]
    fn entry(&self, string: u32) -> Entry {
        self.entries[string as usize & (self.entries.len() - 1)]
    }

    /// The leftmost minimum of places `first..=last` of the block with this code. The result is never beyond `last`,
    /// even if the code is none.
    #[inline(always)]
    pub(super) fn argmin(&self, code: u32, first: u32, last: u32) -> u32 {
        let (mut first_at, mut last_at, mut before) = (0, 0, 0u32);
        for start in (0..u32::BITS).step_by(self.width as usize) {
            let entry = self.entry(code >> start);
            let (i, j) = (first.wrapping_sub(before), last.wrapping_sub(before));
            first_at = if i < zeros(entry) { start + place(entry, i) } else { first_at };
            last_at = if j < zeros(entry) { start + place(entry, j) } else { last_at };
            before += zeros(entry);
        }
        // Ones in place of what lies outside: no zeros there, and all sums between grow by the same number.
        let code = code | ((1 << first_at) - 1) | !1 << last_at;
        let (mut sum, mut best, mut at, mut before) = (0, i32::MAX, first, first);
        for start in (0..u32::BITS).step_by(self.width as usize) {
            let entry = self.entry(code >> start);
            let here = sum + least(entry);
            (best, at) = if here < best { (here, before + ordinal(entry)) } else { (best, at) };
            before += zeros(entry);
            sum += self.width as i32 - 2 * zeros(entry) as i32;
        }
        at.min(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The code as the text describes it: the padded tree of the block, written down in preorder.
    fn preorder(block: &[u32]) -> Vec<bool> {
        let Some(&least) = block.iter().min() else { return vec![false] };
        let root = block.iter().position(|&x| x == least).unwrap();
        [vec![true], preorder(&block[..root]), preorder(&block[root + 1..])].concat()
    }

    fn check(block: &[u32]) {
        let mut ranks = [u32::MAX; PLACES];
        ranks[..block.len()].copy_from_slice(block);
        let Encoded { code, minimum, offset } = encode(&ranks);
        assert_eq!((minimum, block[offset as usize]), (*block.iter().min().unwrap(), minimum), "{block:?}");
        assert!(block[..offset as usize].iter().all(|&x| x > minimum), "{block:?}");
        let bits = preorder(block);
        assert!(!bits[2 * block.len()], "the last gap comes last");
        for (i, &bit) in bits[..2 * block.len()].iter().enumerate() {
            assert_eq!(code >> i & 1 == 1, bit, "bit {i} of {block:?}");
        }
        for width in [2, 4, 8] {
            let dictionary = Dictionary::of_width(width).unwrap();
            for first in 0..block.len() {
                let mut best = first;
                for last in first..block.len() {
                    if block[last] < block[best] {
                        best = last;
                    }
                    let got = dictionary.argmin(code, first as u32, last as u32);
                    assert_eq!(got, best as u32, "{first}..={last} of {block:?}, {width} bits");
                }
            }
        }
    }

    #[test]
    fn all_short_blocks_with_and_without_ties() {
        for len in 1..=6 {
            // All sequences of numbers below `len`: all permutations, and all ways to tie. The largest number is the
            // worst rank, as the filling is.
            let worst = |x: usize| if x == len - 1 { u32::MAX } else { x as u32 };
            for code in 0..len.pow(len as u32) {
                let block: Vec<u32> = (0..len).map(|i| worst(code / len.pow(i as u32) % len)).collect();
                check(&block);
            }
        }
    }

    #[test]
    fn long_blocks() {
        let mut state = 1u64;
        for round in 0..2000 {
            let len = [4, 8, 16][round % 3];
            let values = [2, 5, u32::MAX][round / 3 % 3];
            let block: Vec<u32> = (0..len)
                .map(|_| {
                    state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
                    (state >> 33) as u32 % values
                })
                .collect();
            check(&block);
        }
        for len in [4, 8, 16] {
            check(&(0..len).collect::<Vec<_>>());
            check(&(0..len).rev().collect::<Vec<_>>());
            check(&vec![7; len as usize]);
            check(&vec![u32::MAX; len as usize]);
        }
    }

    #[test]
    fn every_word_gives_a_place_in_the_range() {
        for code in (0..=u32::MAX).step_by(0x0001_0f2b).chain([0, u32::MAX]) {
            for width in [2, 4, 8] {
                let dictionary = Dictionary::of_width(width).unwrap();
                for (first, last) in [(0, 0), (0, 15), (3, 9), (15, 15)] {
                    assert!((first..=last).contains(&dictionary.argmin(code, first, last)));
                }
            }
        }
    }
}
