//! Range minimum queries (RMQ).
//!
//! Given an array, answer many times: where is the smallest element between two positions? The array does not change, but
//! for [`Changing`], which owns it.
//! [`Rmq::new`] builds an index with the default engine, [`Rmq::with_engine`] with one of these, for either order:
//!
//! | engine | idea | extra memory | query | source |
//! |---|---|---|---|---|
//! | `lines` (default) | minima of cache lines, opened only where they can matter, under a small table | about n/11 keys | O(1), mostly from cache | this project |
//! | `hierarchy` | minima of chunks of c, of those again, down to t chunks | n/(c-1) keys and positions | O(c log n + ct) | GPU-RMQ, Kreis et al. 2026 |
//! | `padded_tree` | codes of the Cartesian trees of blocks, packed tables over them | 4.1 bits an element | O(1), mostly from cache | Soman et al. 2012 |
//! | `sparse_table` | the answer for every power-of-two range | n log n positions | O(1), two random reads | folklore |
//! | `prefix_suffix_tree` | prefix and suffix minima in every node of a binary tree | n log n positions | O(1), two random reads | JáJá 1992 |
//! | `inlabel` | lowest common ancestors in the Cartesian tree | 24 bytes an element | O(1), two to four random reads | Schieber, Vishkin 1988; Ryssel 2025 |
//! | `balanced_parens` | pushes and pops of a stack as parentheses, under a small table; needs no array | about 2.25 bits an element | O(1) but for rare bisections, at most three cache lines of the 2n bits | Fischer, Heun 2011; Ferrada, Navarro 2017; Baumstark et al. 2017 |
//! | `ray` | rays against triangles; on GPUs only | | | RTXRMQ, Meneses et al. 2024 |
//! | `naive` | scans the range | none | O(n) | the oracle |

mod balanced_parens;
mod batch;
mod changing;
mod engine;
mod explain;
#[cfg(feature = "file")]
pub mod file;
mod handle;
mod in_order;
mod lines;
mod options;
mod padded_tree;
mod stages;
mod table;
mod textbook;
mod writes;

pub use self::changing::{Changing, build_changing};
pub use self::engine::{
    ChangingEngine, RmqEngine, bad_change, expect_positions, expect_rows, expect_thresholds, expect_values,
};
pub use self::explain::{Explanation, Level, Look, Purpose};
pub use self::handle::Rmq;
pub use self::in_order::{Below, Listed, Smallest, below_each, smallest_each};
pub use self::options::{Assignment, HierarchyOptions, LinesOptions, Load, RayOptions};
pub use self::padded_tree::{Dictionary, PaddedTreeOptions, Shape as PaddedTreeShape};
pub use self::writes::Writes;

use std::ops::Range;

use self::balanced_parens::ByParens;
use self::batch::OnCpu;
use self::lines::Lines;
use self::padded_tree::PaddedTree;
use self::textbook::{ByInlabel, Hierarchy, Naive, PrefixSuffixTree, SparseTable};
use crate::width::expect_width;
use thalweg_core::bits::{Array, Bits};
use thalweg_core::engine_names;
use thalweg_core::storage::Storage;
use thalweg_core::{Coding, Error, Position, Rank, Result, by_width};

engine_names! {
    /// The RMQ engines, with their options. See the [module's table](self).
    "rmq": Engine {
        /// Minima of cache lines, opened only where they can matter. The default.
        Lines(LinesOptions) = "lines",
        /// Scans the range. The oracle of the tests.
        Naive = "naive",
        /// The answer for every power-of-two range.
        SparseTable = "sparse_table",
        /// Layers of minima: GPU-RMQ's structure.
        Hierarchy(HierarchyOptions) = "hierarchy",
        /// Codes of the Cartesian trees of blocks and packed tables over them: 4.1 bits an element.
        PaddedTree(PaddedTreeOptions) = "padded_tree",
        /// Prefix and suffix minima in every node of a binary tree.
        PrefixSuffixTree = "prefix_suffix_tree",
        /// Lowest common ancestors in the Cartesian tree.
        Inlabel = "inlabel",
        /// Two bits an element and a directory: answers without the array. See [`Rmq::without_array`].
        BalancedParens = "balanced_parens",
        /// Rays against triangles. On GPUs only.
        Ray(RayOptions) = "ray",
    }
}

impl Engine {
    /// Whether no CPU has it, whatever its options.
    pub const fn needs_gpu(&self) -> bool {
        matches!(self, Self::Ray(_))
    }
}

impl Default for Engine {
    fn default() -> Self {
        Self::Lines(LinesOptions::DEFAULT)
    }
}

/// Builds an engine of the CPU over the bits of an array, of keys that the coding tells the order of.
///
/// # Errors
/// [`Error::BadOption`] for an option's value that does not work, [`Error::NotOnDevice`] for an option of other devices,
/// [`Error::OutOfMemory`]; [`Error::Bits`] if the coding is for keys of another width.
pub fn build<'a>(array: Array<'a>, coding: Coding, engine: Engine) -> Result<Box<dyn RmqEngine + 'a>> {
    expect_width(array.bits(), coding)?;
    let narrow = u32::fits(array.len());
    by_width!(Array, array, array => {
        if narrow { build_with::<_, u32>(array, coding, engine) } else { build_with::<_, u64>(array, coding, engine) }
    })
}

/// Builds engines of the CPU for two orders over the same array in one pass, with the default engine. `done` is told, by any
/// thread, how many elements more have been looked at: for who shows progress.
///
/// # Errors
/// [`Error::OutOfMemory`]; [`Error::Bits`] if a coding is for keys of another width.
pub fn build_both<'a>(
    bits: Bits<'a>,
    codings: [Coding; 2],
    done: &(dyn Fn(usize) + Sync),
) -> Result<[Box<dyn RmqEngine + 'a>; 2]> {
    codings.iter().try_for_each(|&coding| expect_width(bits, coding))?;
    by_width!(Bits, bits, words => {
        let indexes = Lines::both(words, codings.map(Coding::ranking), done)?;
        Ok(indexes.map(|index| Box::new(OnCpu(index)) as Box<dyn RmqEngine + 'a>))
    })
}

/// Builds the default engine over an array that is larger than memory, of which `part` elements at a time are looked at; `done` is
/// told which have been: their pages may go.
///
/// ```
/// # use thalweg_arrays as thalweg;
/// use thalweg::{Order, rmq::build_in_parts};
/// use thalweg_core::{Coding, bits::Array};
/// let array: Vec<u32> = (0..10_000).map(|i| i % 97 + 5).collect();
/// let engine = build_in_parts(Array::of(&array[..]), Coding::of::<u32>(Order::Min), 4096, &|_| ())?;
/// assert_eq!(engine.position(100, 9_000), 194);
/// # Ok::<(), thalweg::Error>(())
/// ```
///
/// # Errors
/// [`Error::OutOfMemory`]; [`Error::Bits`] if the coding is for keys of another width.
pub fn build_in_parts<'a>(
    array: Array<'a>,
    coding: Coding,
    part: usize,
    done: &dyn Fn(Range<usize>),
) -> Result<Box<dyn RmqEngine + 'a>> {
    expect_width(array.bits(), coding)?;
    by_width!(Array, array, array => {
        Ok(Box::new(OnCpu(Lines::in_parts(array, coding.ranking(), part, done)?)) as Box<dyn RmqEngine + 'a>)
    })
}

/// Bytes that [`build_in_parts`] takes for the index over so many keys of so many bytes, at most.
pub fn bytes_in_parts(len: usize, width: usize) -> usize {
    lines::in_parts::bytes(len, width)
}

/// Builds the engine for one width of keys; where it holds positions, in the width given.
fn build_with<'a, R: Rank, P: Position>(
    array: Storage<'a, R>,
    coding: Coding,
    engine: Engine,
) -> Result<Box<dyn RmqEngine + 'a>> {
    let order = coding.ranking();
    Ok(match engine {
        Engine::Lines(options) => {
            options.on_cpu()?;
            Box::new(OnCpu(Lines::new(array, order)?))
        }
        Engine::Naive => Box::new(OnCpu(Naive::new(array, order))),
        Engine::SparseTable => Box::new(OnCpu(SparseTable::<_, P>::new(array, order)?)),
        Engine::Hierarchy(options) => {
            let (chunk, threshold) = options.on_cpu()?;
            Box::new(OnCpu(Hierarchy::<_, P>::new(array, order, chunk, threshold)?))
        }
        Engine::PaddedTree(options) => Box::new(OnCpu(PaddedTree::new(array, order, options)?)),
        Engine::Inlabel => Box::new(OnCpu(ByInlabel::<_, P>::new(array, coding)?)),
        Engine::BalancedParens => Box::new(OnCpu(ByParens::new(array, order)?)),
        Engine::PrefixSuffixTree => Box::new(OnCpu(PrefixSuffixTree::<_, P>::new(array, order)?)),
        Engine::Ray(_) => return Err(options::not_on_cpu("ray", "rays are traced by GPUs: it needs one")),
    })
}

/// Builds an engine of the CPU that keeps nothing of the array: it tells positions, no values.
///
/// # Errors
/// [`Error::BadOption`] for an engine that compares elements of the array when it is asked; those of [`build`].
pub fn build_without_array(bits: Bits<'_>, coding: Coding, engine: Engine) -> Result<Box<dyn RmqEngine>> {
    expect_width(bits, coding)?;
    match engine {
        Engine::BalancedParens => by_width!(Bits, bits, bits => {
            Ok(Box::new(OnCpu(ByParens::without_array(bits, coding.ranking())?)))
        }),
        engine => {
            let reason = format!("'{engine}' looks at the array when it is asked, so the array must stay");
            Err(Error::BadOption { option: "engine", reason })
        }
    }
}
