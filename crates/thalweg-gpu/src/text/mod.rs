//! Texts on the device: what range minima and nearest smaller values make of suffix arrays, and string matching.
//!
//! | function | what it finds | work | file |
//! |---|---|---|---|
//! | [`suffix_array`], [`suffix_array_with_lcp`] | all suffixes in order, by prefix doubling | O(n log n) | `suffix_array/` |
//! | [`check_suffixes`] | whether arrays are suffix and LCP array of a text | O(n), with LCP mostly | `check/` |
//! | [`bwt`] | the Burrows-Wheeler transform, from the suffix array | O(n) | `bwt/` |
//! | [`lpf`], [`lpf_with_sources`] | the longest previous factor at every position, from suffix and LCP array | O(n log n), mostly O(n) | `lpf/` |
//! | [`lz77`] | the greedy Lempel-Ziv factorisation, from suffix and LCP array | as `lpf` | `lz77/` |
//! | [`Lce`] | how far two suffixes agree, for any pairs, as range minima | O(1) a pair | `lce/` |
//! | [`find_all`] | all occurrences of a pattern: [engines](mod@search) | O(n + m) | `search/` |
//!
//! Positions have 32 bits: texts are shorter than [`WIDE`](thalweg_text::WIDE). Suffix and LCP arrays are arrays of
//! `u32` on the device, whoever has made them: those of the CPU are uploaded as they are.

/// Positions of a thread in kernels that have nothing to do for most of them. Not measured.
const ITEMS: u32 = 8;

mod bwt;
mod check;
mod checks;
mod device_text;
mod lce;
mod lpf;
mod lz77;
mod positions;
mod range_minima;
pub mod search;
mod suffix_array;

pub use self::bwt::bwt;
pub use self::check::check_suffixes;
pub use self::device_text::Text;
pub use self::lce::Lce;
pub use self::lpf::{Lpf, lpf, lpf_with_sources};
pub use self::lz77::lz77;
pub use self::positions::to_positions;
#[doc(inline)]
pub use self::search::find_all;
pub use self::suffix_array::{Suffixes, suffix_array, suffix_array_with_lcp};
