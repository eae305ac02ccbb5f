//! Blocks as codes of their Cartesian trees, and packed tables over them: four bits an element.
//!
//! *Problem.* Range minimum queries with little extra memory, and answers mostly without a look at the array.
//!
//! *Idea.* The array is cut into blocks of 16 elements, 64 of which are a superblock, and there are:
//!
//! ```text
//! table        minimum of 2^k groups of 64 superblocks from every group on, and the superblock where it lies
//! superblocks  minimum of 1,024 elements, where it is (10 bits), and in which of the 2, 4, ..., 32 superblocks from
//!              it on the best one is, relative to it (15 bits)
//! blocks       where the minimum of 16 elements is (4 bits), how many blocks of the superblock have a better one (6 bits),
//!              and in which of the 2, 4, ..., 32 blocks from it on the best one is (15 bits)
//! codes        the Cartesian tree of every block, 2 bits an element
//! ```
//!
//! The *places* of the blocks' minima in their superblock, 6 bits each, take the role of the minima themselves: they
//! tell which of two blocks has the better one, so comparing blocks of one superblock reads neither the array nor
//! anything else. And since they are all different, ties are settled once and for all, when they are made.
//!
//! A query is answered from the inside out. The superblocks inside the range are two lookups in the table and two in
//! the group of either end; all that is small and in the cache. An end's superblock is opened only if its own minimum
//! beats what is known, and not even then if that minimum lies in the range: then it is the answer to this end. What is
//! opened is a *part*, a range inside one superblock: the blocks inside are two lookups in the words, and an end's
//! block is opened only if its minimum would be the best and is outside the range. Then its [code](code) tells the
//! best of the rest. Only the few candidates that neither places nor minima compare are read in the array.
//!
//! *Ties* go to the leftmost position: among candidates the better rank counts, then the smaller position.
//!
//! Batches are answered in [stages](super::stages), so that the misses of many queries overlap.
//!
//! *Source.* Soman, Kothapalli, Narayanan, *Discrete range searching primitive for the GPU and its applications*, 2012:
//! the codes of padded trees, the dictionary, the packed relative tables and the sizes. The places of minima, the tests
//! that leave ends closed and the order of looking are this project's.
//!
//! *Bounds.* Build: O(n) work for constant block sizes, O(log n) span. Query: O(1). Extra memory with 16 and 64: 4 bits an
//! element, a key and 32 bits a superblock, and the table: 4.1 bits an element in all, for keys of 64 bits too.

mod build;
mod code;
mod query;
mod shape;
mod word;

pub use self::code::Dictionary;
pub use self::shape::{PaddedTreeOptions, Shape};

use super::batch::CpuEngine;
#[cfg(feature = "file")]
use super::file::contents::{Contents, Sections};
#[cfg(feature = "file")]
use super::table::Entry;
use super::table::Table;
use thalweg_core::bits::Bits;
use thalweg_core::coding::Ranking;
use thalweg_core::storage::Storage;
use thalweg_core::{Pairs, PositionsMut, Rank, Result};

/// Blocks of a superblock at most, and superblocks of a group: places have 6 bits.
const FAN: usize = 64;

/// The index. See the module's text.
pub(super) struct PaddedTree<'a, R: Rank> {
    array: Storage<'a, R>,
    order: Ranking<R>,
    shape: Shape,
    dictionary: Dictionary,
    /// The codes of all blocks, one after the other, and a [`Word`] for each, up to a whole superblock.
    codes: Storage<'a, u32>,
    blocks: Storage<'a, u32>,
    /// The minima of superblocks, and a word for each.
    minima: Storage<'a, R>,
    superblocks: Storage<'a, u32>,
    /// Over groups of [`FAN`] superblocks.
    table: Table<'a, R>,
}

impl<'a, R: Rank> PaddedTree<'a, R> {
    pub(super) fn new(array: Storage<'a, R>, order: Ranking<R>, options: PaddedTreeOptions) -> Result<Self> {
        let (shape, dictionary) = options.read()?;
        let build::Parts { codes, blocks, minima, superblocks, entries } = build::parts(&array, order, shape)?;
        let table = Table::new(entries)?;
        let (codes, blocks, minima, superblocks) = (codes.into(), blocks.into(), minima.into(), superblocks.into());
        Ok(Self { array, order, shape, dictionary, codes, blocks, minima, superblocks, table })
    }
}

#[cfg(feature = "file")]
impl<R: Rank> PaddedTree<'static, R> {
    /// The index from a file.
    pub(super) fn load(from: &mut Sections<'_>, order: Ranking<R>) -> Result<Self> {
        let mut option = |name| from.option(name, 0..=FAN).map(Some);
        let (block, superblock, dictionary) = (option("block")?, option("superblock")?, option("dictionary")?);
        let (shape, dictionary) = PaddedTreeOptions { block, superblock, dictionary }.read()?;
        let count = from.len().div_ceil(1 << shape.superblock());
        let (codes, blocks) =
            (from.part("codes", count * codes_each(shape))?, from.part("blocks", count << shape.blocks)?);
        let (minima, superblocks) = (from.part("minima", count)?, from.part("superblocks", count)?);
        let table = Table::load(from, count.div_ceil(FAN))?;
        Ok(Self { array: from.array()?, order, shape, dictionary, codes, blocks, minima, superblocks, table })
    }
}

/// Words of codes in a superblock: two bits an element in words of 32.
fn codes_each(shape: Shape) -> usize {
    2 << shape.superblock() >> 5
}

impl<R: Rank> CpuEngine for PaddedTree<'_, R> {
    fn name(&self) -> &'static str {
        "padded_tree"
    }

    fn len(&self) -> usize {
        self.array.len()
    }

    fn array(&self) -> Option<Bits<'_>> {
        Some(R::erase(&self.array))
    }

    fn extra_bytes(&self) -> usize {
        self.codes.held_bytes()
            + self.blocks.held_bytes()
            + self.minima.held_bytes()
            + self.superblocks.held_bytes()
            + self.table.entries.held_bytes()
    }

    #[cfg(feature = "file")]
    fn contents(&self) -> Result<Contents<'_>> {
        Ok(Contents::new()
            .option("block", 1 << self.shape.block)
            .option("superblock", 1 << self.shape.blocks)
            .option("dictionary", self.dictionary.width as usize)
            .part("codes", &self.codes)
            .part("blocks", &self.blocks)
            .part("minima", &self.minima)
            .part("superblocks", &self.superblocks)
            .converted("table", size_of::<Entry<R>>(), self.table.to_bytes()?)
            .array(&self.array, 0))
    }

    fn position(&self, left: usize, right: usize) -> usize {
        query::single(self, left, right)
    }

    fn answer(&self, queries: Pairs<'_>, out: PositionsMut<'_>) -> Option<()> {
        query::positions(self, queries, out)
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::Entry;
    use super::*;
    use thalweg_core::Order;
    use thalweg_core::coding::Ranking;

    fn number(state: &mut u64) -> u64 {
        *state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        *state >> 33
    }

    /// What a damaged file might hold: every answer is a position of the array, and nothing panics.
    #[test]
    fn garbage_gives_positions() {
        let state = &mut 7;
        let array: Vec<u32> = (0..30_011).map(|_| number(state) as u32).collect();
        let queries: Vec<[u32; 2]> = (0..4000)
            .map(|i| {
                let left = number(state) as usize % array.len();
                let right = left + number(state) as usize % (array.len() - left).min([40, 3000, 40_000][i % 3]);
                [left as u32, right as u32]
            })
            .collect();
        for (block, superblock) in [(16, 64), (4, 16), (8, 32)] {
            let options = PaddedTreeOptions { block: Some(block), superblock: Some(superblock), dictionary: None };
            let mut tree = PaddedTree::new(Storage::from(&array[..]), Ranking::of::<u32>(Order::Min), options).unwrap();
            let mut garbage = |len: usize| (0..len).map(|_| (number(state) * 3) as u32).collect::<Vec<u32>>();
            tree.codes = garbage(tree.codes.len()).into();
            tree.blocks = garbage(tree.blocks.len()).into();
            tree.minima = garbage(tree.minima.len()).into();
            tree.superblocks = garbage(tree.superblocks.len()).into();
            let entries = garbage(2 * tree.table.entries.len());
            let entries = entries.chunks(2).map(|pair| Entry { rank: pair[0], group: pair[1] });
            tree.table.entries = entries.collect::<Vec<_>>().into();
            let mut out = vec![u32::MAX; queries.len()];
            tree.answer(Pairs::U32(&queries), PositionsMut::U32(&mut out)).unwrap();
            for (&[left, right], &position) in queries.iter().zip(&out) {
                assert!((position as usize) < array.len());
                assert!(tree.position(left as usize, right as usize) < array.len());
            }
        }
    }
}
