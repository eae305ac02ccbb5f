//! Two bits an element, and a few more to find one's way: answers without the array.
//!
//! *Problem.* Range minimum queries from as little memory as can be, which is two bits an element (Fischer and Heun 2011):
//! only the positions of the minima are asked for, so the elements themselves are not needed once the index is built.
//!
//! *Idea.* Go through the array with a stack: every element pops all larger ones and then lies on top. The height of the
//! stack below element i, h(i), is what the index knows. Inside a range, the lower an element lies, the smaller it is; of
//! those that lie lowest every one has popped the one before, so the *last* of them is the smallest element, and the
//! leftmost one as equal elements do not pop each other. Pops and pushes, written as closing (0) and opening (1)
//! parentheses, are 2n bits at most (what is still on the stack at the end is not closed); the opening of element i has
//! place 2i - h(i), so h(i) is the excess of opening over closing parentheses before it. A range minimum is the last place
//! of lowest excess between two openings.
//!
//! The sequence is cut into blocks of 512 bits, a cache line each, which are searched all at once ([`block`]), and
//! superblocks of 32 blocks:
//!
//! ```text
//! table        the lowest of 2^k superblocks from every superblock on
//! superblocks  height and number of the lowest element
//! minima       lowest excess in the block, from the superblock's beginning: 16 bits
//! ranks        openings before the block: the low 16 bits, as whoever asks is not far away
//! hints        the block of every 512th element
//! bits
//! ```
//!
//! The hints tell in which superblocks a range begins and ends. The table tells the lowest of those between, and if
//! no end can be lower, the answer stands there: on data without structure wide ranges are answered from the cache.
//! Otherwise the ranks lead to the two blocks, the minima tell which of the blocks between is the lowest, and a block at an
//! end is opened only if its minimum can matter. At most three blocks are read. Between two hints there may be a million
//! closings: then the block is found by bisection.
//!
//! Batches go through these steps in stages, so that their misses overlap: see [`super::stages`].
//!
//! *Source.* Fischer and Heun, *Space-efficient preprocessing schemes for range minimum queries on static arrays*, 2011,
//! for the sequence; Ferrada and Navarro, *Improved range minimum queries*, 2017, for answering by one minimum of excess;
//! Baumstark, Gog, Heuer and Labeit, *Practical range minimum queries revisited*, 2017, for the table above it that most
//! queries end in. Blocks without a tree above them, ranks of 16 bits and the search are this project's.
//!
//! *Bounds.* Building: work O(n), span O(log n) after the sequence ([`build`]), which is O(c + n/c log n) with chunks of
//! c = 2^16 elements. Query: O(1), or O(log n) where hints are far apart. Memory: at most 2.26 bits an element up to 2^26
//! elements and 2.29 up to 2^32 (the table grows), half of it on ascending arrays.

mod block;
mod build;
mod directory;
mod query;

use super::batch::CpuEngine;
#[cfg(feature = "file")]
use super::file::contents::{Contents, Sections};
use thalweg_core::bits::Bits;
use thalweg_core::coding::Ranking;
use thalweg_core::storage::Storage;
use thalweg_core::{Pairs, PositionsMut, Rank, Result};

/// Blocks of a superblock: excess inside it fits 16 bits, and their minima, 16 bits each, one AVX-512 register.
const SUPERBLOCK: usize = 32;

/// Every so many elements there is a hint.
const HINT: usize = 512;

/// So many blocks behind a hint are looked at together; where the next hint is further off, the search is a bisection.
/// Behind the ranks there are as many entries of filling.
const STEPS: usize = 8;

/// The minimum of a block without openings: higher than all others in the superblock.
const EMPTY_BLOCK: i16 = i16::MAX;

/// The height of a superblock without openings.
const EMPTY_SUPERBLOCK: u64 = i64::MAX as u64;

/// The parentheses of an array and their directory. See the module's text.
struct BalancedParens<'a> {
    len: usize,
    bits: Storage<'a, u64>,
    ranks: Storage<'a, u16>,
    /// Numbers with a sign: see [`EMPTY_BLOCK`].
    minima: Storage<'a, u16>,
    hints: Storage<'a, u32>,
    heights: Storage<'a, u64>,
    lowest: Storage<'a, u64>,
    table: Storage<'a, u32>,
}

impl BalancedParens<'_> {
    fn new<R: Rank>(array: &[R], order: Ranking<R>) -> Result<Self> {
        Self::with_directory(build::parentheses(array, order, build::CHUNK)?, array.len())
    }

    fn held_bytes(&self) -> usize {
        self.bits.held_bytes()
            + self.ranks.held_bytes()
            + self.minima.held_bytes()
            + self.hints.held_bytes()
            + self.heights.held_bytes()
            + self.lowest.held_bytes()
            + self.table.held_bytes()
    }
}

/// How long the parts are. Every index has these lengths, or queries would be undefined behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lengths {
    bits: usize,
    ranks: usize,
    minima: usize,
    hints: usize,
    /// Both of [`BalancedParens::heights`] and [`BalancedParens::lowest`].
    superblocks: usize,
    table: usize,
}

impl Lengths {
    /// The parts for `len` elements whose parentheses fill so many blocks.
    fn new(len: usize, blocks: usize) -> Self {
        let superblocks = blocks.div_ceil(SUPERBLOCK);
        Self {
            bits: blocks * block::WORDS,
            ranks: superblocks * SUPERBLOCK + STEPS,
            minima: superblocks * SUPERBLOCK,
            hints: len.div_ceil(HINT) + 1,
            superblocks,
            table: superblocks * superblocks.checked_ilog2().map_or(0, |rows| rows as usize + 1),
        }
    }

    /// How many blocks the parentheses of `len` elements may fill: every element opens one, and may close one.
    #[cfg_attr(not(feature = "file"), allow(dead_code))]
    fn blocks(len: usize) -> std::ops::RangeInclusive<usize> {
        len.div_ceil(block::BITS)..=len.div_ceil(block::BITS / 2)
    }
}

/// The engine: the parentheses, and the array if values are wanted.
pub(super) struct ByParens<'a, R> {
    array: Option<Storage<'a, R>>,
    parens: BalancedParens<'a>,
}

impl<'a, R: Rank> ByParens<'a, R> {
    pub(super) fn new(array: Storage<'a, R>, order: Ranking<R>) -> Result<Self> {
        Ok(Self { parens: BalancedParens::new(&array, order)?, array: Some(array) })
    }

    /// An index that keeps nothing of the array.
    pub(super) fn without_array(array: &[R], order: Ranking<R>) -> Result<Self> {
        Ok(Self { parens: BalancedParens::new(array, order)?, array: None })
    }
}

#[cfg(feature = "file")]
impl<R: Rank> ByParens<'static, R> {
    /// The index from a file, and the array if it is there.
    pub(super) fn load(from: &mut Sections<'_>) -> Result<Self> {
        let len = from.len();
        let lengths = Lengths::new(len, from.option("blocks", Lengths::blocks(len))?);
        let parens = BalancedParens {
            len,
            bits: from.part("bits", lengths.bits)?,
            ranks: from.part("ranks", lengths.ranks)?,
            minima: from.part("minima", lengths.minima)?,
            hints: from.part("hints", lengths.hints)?,
            heights: from.part("heights", lengths.superblocks)?,
            lowest: from.part("lowest", lengths.superblocks)?,
            table: from.part("table", lengths.table)?,
        };
        Ok(Self { array: from.array_if_any()?, parens })
    }
}

impl<R: Rank> CpuEngine for ByParens<'_, R> {
    fn name(&self) -> &'static str {
        "balanced_parens"
    }

    fn len(&self) -> usize {
        self.parens.len
    }

    fn array(&self) -> Option<Bits<'_>> {
        self.array.as_deref().map(R::erase)
    }

    fn extra_bytes(&self) -> usize {
        self.parens.held_bytes()
    }

    #[cfg(feature = "file")]
    fn contents(&self) -> Result<Contents<'_>> {
        let parens = &self.parens;
        let contents = Contents::new()
            .option("blocks", parens.bits.len() / block::WORDS)
            .part("bits", &parens.bits)
            .part("ranks", &parens.ranks)
            .part("minima", &parens.minima)
            .part("hints", &parens.hints)
            .part("heights", &parens.heights)
            .part("lowest", &parens.lowest)
            .part("table", &parens.table);
        Ok(match &self.array {
            Some(array) => contents.array(array, 0),
            None => contents,
        })
    }

    fn position(&self, left: usize, right: usize) -> usize {
        query::single(&self.parens, left, right)
    }

    fn answer(&self, queries: Pairs<'_>, out: PositionsMut<'_>) -> Option<()> {
        query::positions(&self.parens, queries, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_core::Order;
    use thalweg_core::coding::Ranking;

    fn random(i: usize) -> usize {
        let x = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((x ^ x >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 20) as usize
    }

    fn index(array: &[u32]) -> BalancedParens<'static> {
        BalancedParens::new(array, Ranking::of::<u32>(Order::Min)).unwrap()
    }

    /// Ranges of all lengths, from a single element to everything.
    fn ranges(len: usize, count: usize) -> Vec<[u32; 2]> {
        let range = |i| {
            let longest = len >> (random(3 * i) % (len.ilog2() as usize + 1));
            let width = random(3 * i + 1) % longest.max(1);
            let left = random(3 * i + 2) % (len - width);
            [left as u32, (left + width) as u32]
        };
        (0..count).map(range).collect()
    }

    fn answers(index: &BalancedParens<'_>, ranges: &[[u32; 2]]) -> Vec<u32> {
        let mut out = vec![u32::MAX; ranges.len()];
        query::positions(index, Pairs::U32(ranges), PositionsMut::U32(&mut out)).expect("no range is bad");
        for (&[l, r], &batched) in ranges.iter().zip(&out) {
            assert_eq!(query::single(index, l as usize, r as usize), batched as usize, "{l}..={r}");
        }
        out
    }

    /// The leftmost minima, from a sparse table.
    fn check(array: &[u32], ranges: &[[u32; 2]], what: &str) {
        let len = array.len();
        let mut rows: Vec<Vec<u32>> = vec![(0..len as u32).collect()];
        let better = |a: u32, b: u32| if array[b as usize] < array[a as usize] { b } else { a };
        while 2 << (rows.len() - 1) <= len {
            let (half, last) = (1 << (rows.len() - 1), &rows[rows.len() - 1]);
            rows.push((0..len + 1 - 2 * half).map(|i| better(last[i], last[i + half])).collect());
        }
        for (&[l, r], answer) in ranges.iter().zip(answers(&index(array), ranges)) {
            let row = (r - l + 1).ilog2();
            let row = (&rows[row as usize], 1 << row);
            assert_eq!(answer, better(row.0[l as usize], row.0[(r + 1 - row.1) as usize]), "{what} {l}..={r}");
        }
    }

    #[test]
    fn the_directory_describes_the_parentheses() {
        for shape in 0..4 {
            let element = |i: usize| [random(i) as u32, i as u32, 200_000 - i as u32, (i % 30_000) as u32][shape];
            let array: Vec<u32> = (0..100_000).map(element).collect();
            let index = index(&array);
            let blocks = index.bits.len() / block::WORDS;
            assert!(Lengths::blocks(array.len()).contains(&blocks));
            let lengths = Lengths::new(array.len(), blocks);
            let parts = (index.bits.len(), index.ranks.len(), index.minima.len(), index.hints.len());
            assert_eq!(parts, (lengths.bits, lengths.ranks, lengths.minima, lengths.hints));
            let parts = (index.heights.len(), index.lowest.len(), index.table.len());
            assert_eq!(parts, (lengths.superblocks, lengths.superblocks, lengths.table));
            // Walk over the bits.
            let (mut element, mut excess, mut start) = (0, 0i64, 0);
            let mut heights = vec![EMPTY_SUPERBLOCK as i64; lengths.superblocks];
            let mut lowest = vec![0; lengths.superblocks];
            for b in 0..blocks {
                let s = b / SUPERBLOCK;
                if b % SUPERBLOCK == 0 {
                    start = excess;
                }
                assert_eq!(index.ranks[b], element as u16);
                let mut minimum = i64::from(EMPTY_BLOCK);
                for place in block::BITS * b..block::BITS * (b + 1) {
                    let opens = index.bits[place / 64] >> (place % 64) & 1 == 1;
                    if opens {
                        assert_eq!(place as i64, 2 * element as i64 - excess);
                        minimum = minimum.min(excess - start);
                        if excess <= heights[s] {
                            (heights[s], lowest[s]) = (excess, element as u64);
                        }
                        if element % HINT == 0 {
                            assert_eq!(index.hints[element / HINT] as usize, b);
                        }
                        element += 1;
                    }
                    excess += if opens { 1 } else { -1 };
                }
                assert_eq!(i64::from(index.minima[b] as i16), minimum);
            }
            assert_eq!(element, array.len());
            assert!(index.heights.iter().map(|&height| height as i64).eq(heights));
            assert!(index.lowest[..] == lowest);
        }
    }

    #[test]
    fn all_ranges_of_short_arrays() {
        for len in [1, 2, 3, 30, 100] {
            for values in [2, 5, 1000] {
                let array: Vec<u32> = (0..len).map(|i| (random(i + 1000 * values) % values) as u32).collect();
                let ranges: Vec<[u32; 2]> =
                    (0..len as u32).flat_map(|l| (l..len as u32).map(move |r| [l, r])).collect();
                check(&array, &ranges, "short");
            }
        }
        assert!(index(&[]).held_bytes() < 64);
        assert!(query::positions(&index(&[]), Pairs::U32(&[[0, 0]]), PositionsMut::U32(&mut [0])).is_none());
    }

    #[test]
    fn slopes_cliffs_and_mountains() {
        let n = 300_000;
        let shapes: [(&str, &dyn Fn(usize) -> usize); 8] = [
            ("random", &random),
            ("few values", &|i| random(i) % 3),
            // Behind a slope come 100,000 closings in a row: whole superblocks without openings, hints far apart.
            ("cliffs", &|i| i % 100_000 + 1000 - i / 1000),
            ("one cliff", &|i| if i < 290_000 { i + 300_000 } else { random(i) % 300_000 }),
            ("mountain", &|i| i.min(n - i)),
            ("valley", &|i| i.max(n - i)),
            ("teeth", &|i| i % 700),
            ("drift", &|i| random(i) % 1000 + i / 16),
        ];
        for (what, element) in shapes {
            let array: Vec<u32> = (0..n).map(|i| element(i) as u32).collect();
            check(&array, &ranges(n, 20_000), what);
        }
    }

    /// The last superblock is full, or nearly so: its last elements are looked for behind its end too.
    #[test]
    fn the_end_of_full_superblocks() {
        for n in [8192, 8100, 2 * 8192, 2 * 8192 - 300] {
            let array: Vec<u32> = (0..n).map(|i| (n - i) as u32).collect();
            let blocks = index(&array).bits.len() / block::WORDS;
            assert!((blocks - 1) % SUPERBLOCK > SUPERBLOCK - STEPS, "{n}: {blocks}");
            let near_end = |[l, r]: [u32; 2]| [l + n as u32 - 3000, r + n as u32 - 3000];
            let ranges: Vec<[u32; 2]> = ranges(3000, 3000).into_iter().map(near_end).collect();
            check(&array, &ranges, "full");
        }
    }

    /// Between two hints there are four superblocks, and the minimum lies in none of the outer two. What the table knows of
    /// those further right is one higher, as high as the last of the four, so a look at the outer two would settle for it.
    #[test]
    fn a_minimum_between_far_hints() {
        let minimum = 41_372;
        let element = |i: usize| match i {
            0..1000 => i,
            _ if i < minimum => 200_000 + i,
            _ if i == minimum => 1000,
            _ if i < 80_000 => 200_000 - i,
            // The right end is higher than everything between.
            _ => 200_000 + i,
        };
        let array: Vec<u32> = (0..140_000).map(|i| element(i) as u32).collect();
        let index = index(&array);
        let superblock = |hint: usize| index.hints[hint] as usize / SUPERBLOCK;
        assert_eq!((superblock(minimum / HINT), superblock(minimum / HINT + 1)), (2, 5));
        assert_eq!(answers(&index, &[[41_100, 135_000]]), [minimum as u32]);
        check(&array, &ranges(array.len(), 5000), "far hints");
    }

    #[test]
    fn a_damaged_index_answers_inside_the_range() {
        let n = 70_000;
        let array: Vec<u32> = (0..n).map(|i| (random(i) % 1000 + i / 8) as u32).collect();
        let ranges = ranges(n, 3000);
        let noise =
            |from: usize, len: usize| (from..from + len).map(|i| random(i) as u64 ^ (random(i + 7) as u64) << 40);
        for damage in 0..60 {
            let mut index = index(&array);
            let seed = damage * 1_000_000;
            // One part is noise, or all are; or the numbers are just too large, or all zero.
            let hit = |part: usize| damage % 8 == part || damage % 8 == 7;
            macro_rules! damage {
                ($($part:ident: $t:ty = $number:expr;)*) => {$(
                    if hit($number) {
                        let len = index.$part.len();
                        let damaged: Vec<$t> = match damage / 8 {
                            0 => vec![0; len],
                            1 => vec![<$t>::MAX; len],
                            2 => index.$part.iter().map(|x| x.wrapping_add(1)).collect(),
                            3 => index.$part.iter().rev().copied().collect(),
                            _ => noise(seed, len).map(|x| x as $t).collect(),
                        };
                        index.$part = damaged.into();
                    }
                )*};
            }
            damage! {
                bits: u64 = 0;
                ranks: u16 = 1;
                minima: u16 = 2;
                hints: u32 = 3;
                heights: u64 = 4;
                lowest: u64 = 5;
                table: u32 = 6;
            }
            let mut out = vec![u32::MAX; ranges.len()];
            query::positions(&index, Pairs::U32(&ranges), PositionsMut::U32(&mut out)).expect("no range is bad");
            for (&[l, r], &answer) in ranges.iter().zip(&out) {
                assert!((l..=r).contains(&answer), "damage {damage}: {l}..={r}: {answer}");
                let single = query::single(&index, l as usize, r as usize) as u32;
                assert!((l..=r).contains(&single), "damage {damage}: {l}..={r}: {single}");
            }
        }
    }

    #[test]
    fn a_few_bits_an_element() {
        for (n, ascending, limit) in [(1 << 20, false, 2.3), (1 << 22, false, 2.3), (1 << 20, true, 1.2)] {
            let array: Vec<u32> = (0..n).map(|i| if ascending { i as u32 } else { random(i) as u32 }).collect();
            let bits = 8.0 * index(&array).held_bytes() as f64 / n as f64;
            assert!(bits <= limit, "{bits} bits for {n} elements");
        }
    }
}
