//! Texts: suffix arrays and what range minima and nearest smaller values make of them, on the CPU. Users add the crate
//! `thalweg`, which chooses engines and devices.
//!
//! | function | what it finds | work | file |
//! |---|---|---|---|
//! | [`suffix_array`] | all suffixes in order, through [libsais]; inverse, BWT, [and back](inverse_bwt) | O(n) | `suffix_array/` |
//! | [`in_blocks`] | the same of texts larger than memory, block by block | O(n²/m) | `in_blocks/` |
//! | [`SuffixArray::lcp`] | how much neighbouring suffixes have in common | O(n) | `suffix_array/lcp.rs` |
//! | [`SuffixArray::find`] | all occurrences of one or many patterns | O(m log n) each | `suffix_array/patterns.rs` |
//! | [`Lce`] | how far two suffixes agree, for any pairs, as range minima | O(1) a pair | `lce.rs` |
//! | [`lz77()`](fn@lz77) | the greedy Lempel-Ziv factorisation, exactly: [engines](mod@lz77) | O(n) | `lz77/` |
//! | [`lpf`] | the longest previous factor at every position | O(n) | `lz77/lpf.rs` |
//! | [`container`] | the factorisation as a file, and back | O(z log n) bits | `container.rs` |
//! | [`find_all`] | all occurrences of a pattern, without an index: [engines](mod@search) | O(n + m) | `search/` |
//! | [`longest_repeat`] | the longest substring that occurs twice | O(n) | `longest_repeat.rs` |
//!
//! Texts are bytes; suffix arrays, LCP and LCE also take texts of `u32` symbols ([`Symbol`]). Positions are 32 bits wide
//! below 2 GiB ([`WIDE`]) and 64 bits above.
//!
//! What another device has made goes on here with the same results: suffix arrays ([`SuffixArray::from_positions`]), longest
//! previous factors ([`lz77::factors_from_lpf`]), LCP arrays ([`longest_repeat_from_lcp`]), range minima
//! ([`Lce::from_parts`]).
//!
//! The feature `libsais`, on by default, sorts suffixes, and needs a C compiler. Without it, functions that start with
//! that are left out.
//!
//! [libsais]: https://github.com/IlyaGrebnov/libsais

#![deny(unsafe_code)]

mod common_prefix;
pub mod container;
#[cfg(feature = "libsais")]
pub mod in_blocks;
mod lce;
mod longest_repeat;
pub mod lz77;
mod permutation;
mod position_width;
pub mod search;
mod stage;
mod suffix_array;
mod symbol;
mod tasks;
#[cfg(all(test, feature = "libsais"))]
mod widths;

pub use lce::{Lce, LceEngine, LceParts};
#[cfg(feature = "libsais")]
pub use longest_repeat::longest_repeat;
pub use longest_repeat::{Repeat, longest_repeat_from_lcp};
#[doc(inline)]
pub use lz77::{Factors, Lpf, Phrase};
#[cfg(feature = "libsais")]
#[doc(inline)]
pub use lz77::{lpf, lpf_with_sources, lz77};
pub use position_width::WIDE;
#[doc(inline)]
pub use search::find_all;
pub use stage::{Stage, Watcher};
#[cfg(feature = "libsais")]
pub use suffix_array::sorting::suffix_array;
pub use suffix_array::{Bwt, SuffixArray, inverse_bwt};
pub use symbol::Symbol;
pub use thalweg_arrays::rmq;
pub use thalweg_core::{Chosen, Error, Key, Order, Position, Positions, Result};
