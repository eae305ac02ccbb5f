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
//! *Bounds.* Building: work O(n), span O(log n) times chunks of 2^16 elements, see [`build`]. Query: O(1) but for the
//! bisection, O(log n). Memory: at most 2.26 bits an element up to 2^26 elements and 2.28 up to 2^32 (the table grows).

mod block;
mod build;
mod directory;
mod query;

use super::CpuEngine;
#[cfg(feature = "file")]
use super::file::{Contents, Sections};
use crate::coding::Coding;
use crate::part::Part;
use crate::{Position, Rank, Result};

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

/// Rows of a sparse table over so many superblocks.
fn table_rows(width: usize) -> usize {
    width.checked_ilog2().map_or(0, |rows| rows as usize + 1)
}

/// The parentheses of an array and their directory. See the module's text.
struct BalancedParens<'a> {
    len: usize,
    bits: Part<'a, u64>,
    ranks: Part<'a, u16>,
    /// Numbers with a sign: see [`EMPTY_BLOCK`].
    minima: Part<'a, u16>,
    hints: Part<'a, u32>,
    heights: Part<'a, u64>,
    lowest: Part<'a, u64>,
    table: Part<'a, u32>,
}

impl BalancedParens<'_> {
    fn new<R: Rank>(array: &[R], order: Coding<R>) -> Result<Self> {
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

/// The engine: the parentheses, and the array if values are wanted.
pub(super) struct ByParens<'a, R> {
    array: Option<Part<'a, R>>,
    parens: BalancedParens<'a>,
}

impl<'a, R: Rank> ByParens<'a, R> {
    pub(super) fn new(array: Part<'a, R>, order: Coding<R>) -> Result<Self> {
        Ok(Self { parens: BalancedParens::new(&array, order)?, array: Some(array) })
    }

    /// An index that keeps nothing of the array.
    pub(super) fn without_array(array: &[R], order: Coding<R>) -> Result<Self> {
        Ok(Self { parens: BalancedParens::new(array, order)?, array: None })
    }
}

#[cfg(feature = "file")]
impl<R: Rank> ByParens<'static, R> {
    /// The index from a file, and the array if it is there.
    pub(super) fn load(from: &mut Sections<'_>) -> Result<Self> {
        let len = from.len();
        // One bit an element at least, two at most.
        let (least, most) = (len.div_ceil(block::BITS), len.div_ceil(block::BITS / 2));
        let blocks = from.option("blocks", least..=most)?;
        let superblocks = blocks.div_ceil(SUPERBLOCK);
        let parens = BalancedParens {
            len,
            bits: from.part("bits", blocks * (block::BITS / 64))?,
            ranks: from.part("ranks", superblocks * SUPERBLOCK + STEPS)?,
            minima: from.part("minima", superblocks * SUPERBLOCK)?,
            hints: from.part("hints", len.div_ceil(HINT) + 1)?,
            heights: from.part("heights", superblocks)?,
            lowest: from.part("lowest", superblocks)?,
            table: from.part("table", table_rows(superblocks) * superblocks)?,
        };
        Ok(Self { array: from.array_if_any()?, parens })
    }
}

impl<R: Rank> CpuEngine<R> for ByParens<'_, R> {
    const NAME: &'static str = "balanced_parens";

    fn len(&self) -> usize {
        self.parens.len
    }

    fn array(&self) -> Option<&[R]> {
        self.array.as_deref()
    }

    fn extra_bytes(&self) -> usize {
        self.parens.held_bytes()
    }

    #[cfg(feature = "file")]
    fn contents(&self) -> Result<Contents<'_>> {
        let parens = &self.parens;
        let contents = Contents::new()
            .option("blocks", parens.bits.len() / (block::BITS / 64))
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

    fn argmin(&self, left: usize, right: usize) -> usize {
        query::argmin(&self.parens, left, right)
    }

    fn argmin_chunk<P: Position>(&self, queries: &[[P; 2]], out: &mut [P]) -> Option<()> {
        query::argmin_chunk(&self.parens, queries, out)
    }
}
