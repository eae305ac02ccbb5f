//! The Burrows-Wheeler transform (1994), from a suffix array: a gather.

use crate::permutation::GRAIN;
use crate::position_width::by_position;
use crate::symbol::{Symbol, Symbols, SymbolsMut};
use thalweg_core::parallel::{find_first, for_each_chunk_mut};
use thalweg_core::{Position, Positions};

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
