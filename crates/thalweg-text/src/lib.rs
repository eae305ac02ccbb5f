//! Texts: suffix arrays and what range minima and nearest smaller values make of them.
//!
//! | function | what it finds | work | file |
//! |---|---|---|---|
//! | [`suffix_array`] | all suffixes in order, through [libsais]; inverse, BWT | O(n) | `suffix_array.rs` |
//! | [`SuffixArray::lcp`] | how much neighbouring suffixes have in common | O(n) | `lcp.rs` |
//! | [`SuffixArray::find`] | all occurrences of one or many patterns | O(m log n) each | `find.rs` |
//! | [`Lce`] | how far two suffixes agree, for any pairs, as range minima | O(1) a pair | `lce.rs` |
//! | [`lz77()`](fn@lz77) | the greedy Lempel-Ziv factorisation, exactly: [engines](mod@lz77) | O(n) | `lz77/` |
//! | [`lpf`] | the longest previous factor at every position | O(n) | `lz77/lpf.rs` |
//! | [`container`] | the factorisation as a file, and back | O(z log n) bits | `container.rs` |
//! | [`find_all`] | all occurrences of a pattern, without an index: [engines](mod@search) | O(n + m) | `search/` |
//! | [`longest_repeat`] | the longest substring that occurs twice | O(n) | `repeat.rs` |
//!
//! Texts are bytes; suffix arrays, LCP and LCE also take texts of `u32` symbols ([`Symbol`]). Positions are 32 bits wide
//! below 2 GiB ([`WIDE`]) and 64 bits above.
//!
//! [libsais]: https://github.com/IlyaGrebnov/libsais

#![deny(unsafe_code)]

mod common;
pub mod container;
mod find;
mod lce;
mod lcp;
pub mod lz77;
mod repeat;
pub mod search;
mod suffix_array;
mod symbol;
mod width;

pub use lce::{Lce, LceBuilder};
#[doc(inline)]
pub use lz77::{Factors, Phrase, lpf, lz77};
pub use repeat::{Repeat, longest_repeat};
#[doc(inline)]
pub use search::find_all;
pub use suffix_array::{Bwt, SuffixArray, suffix_array};
pub use symbol::Symbol;
pub use thalweg_arrays::rmq;
pub use thalweg_core::{Error, Key, Position, Positions, Result};
pub use width::WIDE;

/// A step of a longer computation, for those who show or time its progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Sorting the suffixes.
    SuffixArray,
    /// The inverse of the suffix array.
    Inverse,
    /// Common prefixes of neighbouring suffixes.
    Lcp,
    /// Nearest smaller values of the suffix array.
    Neighbours,
    /// Bringing them into the order of the text.
    TextOrder,
    /// Longest previous factors of all positions.
    LongestPrevious,
    /// The phrases.
    Factors,
    /// The phrases' sources, where certain ones are asked for.
    Sources,
    /// An index for range minima.
    Index,
}

impl Stage {
    /// What is going on, in a word or three.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SuffixArray => "suffix array",
            Self::Inverse => "inverse suffix array",
            Self::Lcp => "LCP",
            Self::Neighbours => "nearest smaller values",
            Self::TextOrder => "text order",
            Self::LongestPrevious => "longest previous factors",
            Self::Factors => "factors",
            Self::Sources => "sources",
            Self::Index => "index",
        }
    }
}

/// Who wants to know when a stage begins.
type Watcher<'w> = Option<&'w (dyn Fn(Stage) + Sync)>;

/// Tells the watcher, if there is one.
fn enter(watcher: Watcher<'_>, stage: Stage) {
    if let Some(watcher) = watcher {
        watcher(stage);
    }
}
