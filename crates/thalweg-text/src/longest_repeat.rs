//! The longest repeated substring: the largest common prefix of neighbouring suffixes.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use crate::permutation::GRAIN;
use crate::suffix_array::SuffixArray;
#[cfg(feature = "libsais")]
use crate::suffix_array::sorting::suffix_array;
use crate::symbol::Symbol;
use thalweg_core::error::{expect_len, try_with_capacity};
use thalweg_core::parallel::{find_first, for_each_chunk};
use thalweg_core::{Error, Position, Positions, Result};

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
#[cfg(feature = "libsais")]
pub fn longest_repeat<T: Symbol>(text: &[T]) -> Result<Repeat> {
    suffix_array(text)?.longest_repeat()
}

impl<T: Symbol> SuffixArray<'_, T> {
    /// [`longest_repeat`](crate::longest_repeat()) for a text whose suffixes are sorted already.
    pub fn longest_repeat(&self) -> Result<Repeat> {
        longest_repeat_from_lcp(self.positions(), &self.lcp()?)
    }
}

/// [`longest_repeat`](crate::longest_repeat()) from a suffix array and its LCP array, whoever made them: another device, or
/// [`SuffixArray::positions`] and [`SuffixArray::lcp`].
///
/// The arrays are trusted to be those of a text: of others the answer is wrong. It is inside the text in any case, or an
/// error; and so are arrays of two lengths or widths.
///
/// ```
/// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
/// use thalweg::{Positions, text::longest_repeat_from_lcp};
/// // banana
/// let (suffixes, lcp) = (Positions::U32(vec![5, 3, 1, 0, 4, 2]), Positions::U32(vec![0, 1, 3, 0, 0, 2]));
/// assert_eq!(longest_repeat_from_lcp(&suffixes, &lcp)?.places, [1, 3]);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn longest_repeat_from_lcp(suffixes: &Positions, lcp: &Positions) -> Result<Repeat> {
    expect_len("LCP array", lcp.len(), suffixes.len())?;
    match (suffixes, lcp) {
        (Positions::U32(sa), Positions::U32(lcp)) => find(sa, lcp),
        (Positions::U64(sa), Positions::U64(lcp)) => find(sa, lcp),
        _ => Err(bad("it has another width than the suffix array")),
    }
}

fn bad(reason: &str) -> Error {
    Error::BadOption { option: "LCP array", reason: reason.to_owned() }
}

fn find<P: Position>(sa: &[P], lcp: &[P]) -> Result<Repeat> {
    // The first suffix has no neighbour before it.
    let inner = lcp.get(1..).unwrap_or(&[]);
    let longest = AtomicU64::new(0);
    for_each_chunk(inner.len(), GRAIN, &|range| {
        longest.fetch_max(inner[range].iter().max().map_or(0, |length| length.get() as u64), Relaxed);
    });
    let length = P::new(longest.into_inner() as usize);
    if length == P::new(0) {
        return Ok(Repeat { length: 0, places: Vec::new() });
    }
    // Suffixes that begin with one of the longest repeats are neighbours: a run of ranks with the largest LCP, and the rank
    // before it. The run that holds the leftmost position of all is the answer.
    let place = |rank: usize| sa[rank].min(sa[rank - 1]).get();
    let is_longest = |rank: &usize| *rank > 0 && lcp[*rank] == length;
    let earliest = AtomicU64::new(u64::MAX);
    for_each_chunk(sa.len(), GRAIN, &|ranks| {
        let place = ranks.filter(is_longest).map(place).min();
        earliest.fetch_min(place.map_or(u64::MAX, |place| place as u64), Relaxed);
    });
    let earliest = earliest.into_inner() as usize;
    let is_answer = |rank: &usize| is_longest(rank) && place(*rank) == earliest;
    let leftmost = find_first(sa.len(), GRAIN, &|mut ranks| ranks.find(is_answer)).expect("the largest is somewhere");
    let first = (1..leftmost).rev().find(|&rank| lcp[rank] != length).unwrap_or(0);
    let end = (leftmost..sa.len()).find(|&rank| lcp[rank] != length).unwrap_or(sa.len());
    let mut places = try_with_capacity(end - first, "places of the longest repeat")?;
    places.extend(sa[first..end].iter().map(|place| place.get()));
    places.par_sort_unstable();
    if places.last().is_some_and(|last| last.saturating_add(length.get()) > sa.len()) {
        return Err(bad("it is not that of these suffixes: a repeat would end beyond the text"));
    }
    Ok(Repeat { length: length.get(), places })
}
