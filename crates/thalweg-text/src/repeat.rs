//! The longest repeated substring: the largest common prefix of neighbouring suffixes.

use rayon::prelude::*;

use super::width::by_width;
use super::{SuffixArray, Symbol, suffix_array};
use thalweg_core::error::try_with_capacity;
use thalweg_core::{Position, Result};

/// A substring that occurs more than once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeat {
    /// How long it is; 0 if nothing occurs twice.
    pub length: usize,
    /// Where it begins, from left to right. Occurrences may overlap. Empty if nothing occurs twice.
    pub places: Vec<usize>,
}

/// The longest substring that occurs at least twice, and all its places. Of several, that whose first place comes first.
///
/// Work O(n), and O(k log k) for the k places of the longest repeats.
///
/// ```
/// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
/// let repeat = thalweg::text::longest_repeat(b"banana")?;
/// assert_eq!((repeat.length, &repeat.places[..]), (3, &[1, 3][..])); // ana
/// assert!(thalweg::text::longest_repeat(b"abc")?.places.is_empty());
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn longest_repeat<T: Symbol>(text: &[T]) -> Result<Repeat> {
    suffix_array(text)?.longest_repeat()
}

impl<T: Symbol> SuffixArray<'_, T> {
    /// [`longest_repeat`] for a text whose suffixes are sorted already.
    pub fn longest_repeat(&self) -> Result<Repeat> {
        let lcp = self.lcp()?;
        by_width!(self.positions(), sa => by_width!(&lcp, lcp => find(sa, lcp)))
    }
}

fn find<P: Position, L: Position>(sa: &[P], lcp: &[L]) -> Result<Repeat> {
    let length = lcp.par_iter().copied().max().unwrap_or(L::new(0));
    if length == L::new(0) {
        return Ok(Repeat { length: 0, places: Vec::new() });
    }
    // Suffixes that begin with one of the longest repeats are neighbours: a run of ranks with the largest LCP, and the rank
    // before it. The run that holds the leftmost position of all is the answer.
    let leftmost = (1..sa.len())
        .into_par_iter()
        .filter(|&rank| lcp[rank] == length)
        .min_by_key(|&rank| sa[rank].min(sa[rank - 1]))
        .expect("the largest is somewhere");
    let first = (1..leftmost).rev().find(|&rank| lcp[rank] != length).unwrap_or(0);
    let end = (leftmost..sa.len()).find(|&rank| lcp[rank] != length).unwrap_or(sa.len());
    let mut places = try_with_capacity(end - first, "places of the longest repeat")?;
    places.extend(sa[first..end].iter().map(|place| place.get()));
    places.par_sort_unstable();
    Ok(Repeat { length: length.get(), places })
}
