//! The Burrows-Wheeler transform (1994), from a suffix array: a gather. And back: a sort, and a walk.

use crate::permutation::GRAIN;
use crate::position_width::by_position;
use crate::symbol::{Symbol, Symbols, SymbolsMut};
use thalweg_core::error::try_filled;
use thalweg_core::parallel::{find_first, for_each_chunk_mut};
use thalweg_core::{Error, Position, Positions, Result, primitives};

/// The Burrows-Wheeler transform of a text: the symbol before every suffix, in the order of the suffixes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bwt<T> {
    /// The text's last symbol, as the empty suffix is the first of all, then the symbols before the others. The suffix
    /// that is the whole text has no symbol before it and is left out.
    pub symbols: Vec<T>,
    /// Where it was left out: the rank of the whole text among the suffixes, the empty one included. 0 if there is no text.
    pub primary: usize,
}

/// Fills a buffer of the text's length with the transform's symbols; returns its primary row. The positions are a
/// permutation.
pub(super) fn fill(text: Symbols<'_>, positions: &Positions, out: SymbolsMut<'_>) -> usize {
    match (text, out) {
        (Symbols::U8(text), SymbolsMut::U8(out)) => by_position!(positions, sa => fill_as(text, sa, out)),
        (Symbols::U32(text), SymbolsMut::U32(out)) => by_position!(positions, sa => fill_as(text, sa, out)),
        _ => unreachable!("text and buffer are of one type"),
    }
}

fn fill_as<T: Symbol, P: Position>(text: &[T], sa: &[P], out: &mut [T]) -> usize {
    let Some(&last) = text.last() else { return 0 };
    let whole = find_first(sa.len(), GRAIN, &|mut ranks| ranks.find(|&rank| sa[rank].get() == 0));
    let whole = whole.expect("the whole text is a suffix");
    // The empty suffix comes first; the suffixes up to the whole text move up by one.
    for_each_chunk_mut(out, GRAIN, &|start, out| {
        for (i, out) in (start..).zip(out) {
            *out = match i {
                0 => last,
                i if i <= whole => text[sa[i - 1].get() - 1],
                i => text[sa[i].get() - 1],
            };
        }
    });
    whole + 1
}

/// The text that has a certain Burrows-Wheeler transform: the inverse of [`SuffixArray::bwt`](crate::SuffixArray::bwt).
///
/// The suffix that follows another in the text is found from the first symbol of that: the suffixes that begin with a symbol
/// have the order of those before which the symbol stands. So a stable sort of the transform's symbols tells for every
/// suffix the next one, and a walk that begins with the whole text reads it. Work O(n): the sort on all threads, the walk,
/// at random places, on one. Memory: the result and 4 bytes a symbol below 4 GiB.
///
/// Symbols and primary row that are no text's are an error.
///
/// ```
/// # mod thalweg { pub use thalweg_text as text; pub use thalweg_text::*; }
/// assert_eq!(thalweg::text::inverse_bwt(b"annbaa", 4)?, b"banana");
/// assert!(thalweg::text::inverse_bwt(b"annbaa", 7).is_err());
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn inverse_bwt<T: Symbol>(symbols: &[T], primary: usize) -> Result<Vec<T>> {
    let mut text = try_filled(symbols.len(), T::default(), "the text")?;
    match (T::symbols(symbols), T::symbols_mut(&mut text)) {
        (Symbols::U8(symbols), SymbolsMut::U8(text)) => invert(symbols, primary, text)?,
        (Symbols::U32(symbols), SymbolsMut::U32(text)) => invert(symbols, primary, text)?,
        _ => unreachable!("both are of one type"),
    }
    Ok(text)
}

fn bad(reason: String) -> Error {
    Error::BadOption { option: "BWT", reason }
}

fn invert<T: Symbol>(symbols: &[T], primary: usize, text: &mut [T]) -> Result<()> {
    let rows = if symbols.is_empty() { 0..=0 } else { 1..=symbols.len() };
    if !rows.contains(&primary) {
        return Err(bad(format!("primary row {primary}, where {} symbols have {rows:?}", symbols.len())));
    }
    by_position!(primitives::sort_idx(symbols)?, order => walk(symbols, primary, &order, text))
}

/// Rows are the suffixes in order, the empty one is row 0. `order[row - 1]` is where the first symbol of a row's suffix stands
/// in the transform, from which the primary row is left out.
fn walk<T: Symbol, P: Position>(symbols: &[T], primary: usize, order: &[P], text: &mut [T]) -> Result<()> {
    let mut row = primary;
    for (at, symbol) in text.iter_mut().enumerate() {
        // Rows lead to different rows, so a walk that does not end here does not end before its time.
        let place = row.checked_sub(1).ok_or_else(|| bad(format!("no text's: a walk ends after {at} symbols")))?;
        let next = order[place].get();
        *symbol = symbols[next];
        row = if next < primary { next } else { next + 1 };
    }
    Ok(())
}
