//! Texts: suffix arrays and what range minima and nearest smaller values make of them, on any device.
//!
//! | function | what it finds | with a device | work |
//! |---|---|---|---|
//! | [`suffix_array`] | all suffixes in order; inverse, LCP, BWT ([and back](inverse_bwt)) | [`SuffixBuilder`] | O(n) |
//! | [`in_blocks`] | all suffixes in order, of texts larger than memory | | O(n²/m) |
//! | [`SuffixArray::find`] | all occurrences of one or many patterns | | O(m log n) each |
//! | [`Lce`] | how far two suffixes agree, for any pairs, as range minima | [`LceBuilder`] | O(1) a pair |
//! | [`lz77()`](fn@lz77) | the greedy Lempel-Ziv factorisation, exactly | [`lz77::Builder`] | O(n) |
//! | [`lpf`] | the longest previous factor at every position | | O(n) |
//! | [`container`] | the factorisation as a file, and back | | O(z log n) bits |
//! | [`find_all`] | all occurrences of a pattern, without an index | [`search::Builder`] | O(n + m) |
//! | [`longest_repeat`] | the longest substring that occurs twice | [`SuffixBuilder::longest_repeat`] | O(n) |
//!
//! Texts are bytes; suffix arrays, LCP and LCE also take texts of `u32` symbols ([`Symbol`]) on the CPU. Positions are 32
//! bits wide below 2 GiB ([`WIDE`]) and 64 bits above; on a GPU texts are shorter than that.

mod lce;
pub mod lz77;
pub mod search;
mod suffixes;

#[doc(inline)]
pub use thalweg_text::{
    Bwt, Factors, Lce, Phrase, Repeat, Stage, SuffixArray, Symbol, WIDE, Watcher, container, find_all, in_blocks,
    inverse_bwt, longest_repeat, longest_repeat_from_lcp, lpf, suffix_array,
};

#[doc(inline)]
pub use self::lz77::lz77;

pub use self::lce::LceBuilder;
pub use self::suffixes::{Parts, Sorted, SuffixBuilder};
