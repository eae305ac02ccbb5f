//! Sizes of the index, and the options that choose them.

use super::code::Dictionary;
use thalweg_core::{Error, Result};

/// Elements of a block, blocks of a superblock and bits of the dictionary's strings, unless chosen otherwise. The first two
/// are the paper's; others have not been measured. The paper's dictionary has 4 bits, for a GPU's small memory; here 8 are
/// better. On 2^24 random numbers a batch takes for ranges of some 150 elements 62, 58 and 55 ns a query with 2, 4 and 8
/// bits, for ranges of some 5 elements 118, 86 and 68.
const DEFAULT_BLOCK: usize = 16;
const DEFAULT_SUPERBLOCK: usize = 64;
const DEFAULT_DICTIONARY: usize = 8;

/// Options of [`Engine::PaddedTree`](crate::rmq::Engine::PaddedTree), on every device. `None` leaves the choice to the
/// library: 16, 64 and 8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PaddedTreeOptions {
    /// Elements of a block: 4, 8 or 16. Smaller blocks take more memory: 32 bits each besides the 2 bits an element.
    pub block: Option<usize>,
    /// Blocks of a superblock: 16, 32 or 64.
    pub superblock: Option<usize>,
    /// Bits of the strings that the dictionary knows: 2, 4 or 8. It has 8 bytes for every string of so many bits, once for
    /// the whole program.
    pub dictionary: Option<usize>,
}

/// Sizes, as logarithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Elements of a block.
    pub block: u32,
    /// Blocks of a superblock.
    pub blocks: u32,
}

impl Shape {
    /// Elements of a superblock, as a logarithm.
    #[inline(always)]
    pub fn superblock(self) -> u32 {
        self.block + self.blocks
    }
}

impl PaddedTreeOptions {
    /// The library's choice.
    pub const DEFAULT: Self = Self { block: None, superblock: None, dictionary: None };

    /// What they say, checked.
    ///
    /// ```
    /// # use thalweg_arrays as thalweg;
    /// use thalweg::rmq::PaddedTreeOptions;
    /// let (shape, dictionary) = PaddedTreeOptions { block: Some(8), ..PaddedTreeOptions::DEFAULT }.read()?;
    /// assert_eq!((shape.block, shape.blocks, shape.superblock(), dictionary.width), (3, 6, 9, 8));
    /// assert!(PaddedTreeOptions { block: Some(5), ..PaddedTreeOptions::DEFAULT }.read().is_err());
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::BadOption`] for a size that is none of those.
    pub fn read(self) -> Result<(Shape, Dictionary)> {
        let one_of = |option, value: Option<usize>, default, known: [usize; 3]| {
            let value = value.unwrap_or(default);
            if known.contains(&value) {
                return Ok(value);
            }
            let [a, b, c] = known;
            Err(Error::BadOption { option, reason: format!("{value} is not one of {a}, {b} and {c}") })
        };
        let block = one_of("block", self.block, DEFAULT_BLOCK, [4, 8, 16])?;
        let blocks = one_of("superblock", self.superblock, DEFAULT_SUPERBLOCK, [16, 32, 64])?;
        let width = one_of("dictionary", self.dictionary, DEFAULT_DICTIONARY, [2, 4, 8])?;
        let dictionary = Dictionary::of_width(width).expect("the widths are those of the dictionaries");
        Ok((Shape { block: block.ilog2(), blocks: blocks.ilog2() }, dictionary))
    }
}
