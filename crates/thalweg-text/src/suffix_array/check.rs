//! Suffix arrays from elsewhere: are they what they claim to be?
#![allow(unsafe_code)]

use crate::permutation::{GRAIN, inverse};
use crate::position_width::by_position;
use crate::symbol::{Symbol, Symbols, by_symbol};
use thalweg_core::atomic_set::AtomicSet;
use thalweg_core::parallel::find_first;
use thalweg_core::{Error, Position, Positions, Result};

fn bad(reason: String) -> Error {
    Error::BadOption { option: "suffix array", reason }
}

/// An error unless every position below the length occurs once.
pub(super) fn permutation(positions: &Positions) -> Result<()> {
    by_position!(positions, sa => permutation_as(sa))
}

fn permutation_as<P: Position>(sa: &[P]) -> Result<()> {
    let len = sa.len();
    let seen = AtomicSet::new(len, "positions seen")?;
    let is_wrong = |rank: &usize| sa[*rank].get() >= len || seen.insert(sa[*rank].get());
    let wrong = find_first(len, GRAIN, &|mut ranks| ranks.find(is_wrong));
    match wrong.map(|rank| (rank, sa[rank].get())) {
        None => Ok(()),
        Some((element, to)) if to >= len => Err(Error::Link { what: "suffix", element, to: to as u64, len }),
        Some((_, position)) => Err(bad(format!("position {position} occurs twice"))),
    }
}

/// An error unless the suffixes are in order.
///
/// Two that begin with the same symbol are in order if the suffixes behind that are (Burkhardt and Kärkkäinen 2003): O(n)
/// work, whatever the suffixes have in common.
///
/// # Safety
/// The positions are a permutation, one for every symbol.
pub(super) unsafe fn order(text: Symbols<'_>, positions: &Positions) -> Result<()> {
    // SAFETY: the caller's promise.
    by_symbol!(text, text => by_position!(positions, sa => unsafe { order_as(text, sa) }))
}

/// # Safety
/// The suffix array is a permutation of the text's positions.
unsafe fn order_as<T: Symbol, P: Position>(text: &[T], sa: &[P]) -> Result<()> {
    // SAFETY: the caller's promise.
    let ranks = unsafe { inverse(sa)? };
    let rank = |position: usize| ranks.get(position).map_or(0, |rank| rank.get() + 1);
    let in_order = |rank_here: usize| {
        let (a, b) = (sa[rank_here - 1].get(), sa[rank_here].get());
        text[a] < text[b] || text[a] == text[b] && rank(a + 1) < rank(b + 1)
    };
    match find_first(sa.len(), GRAIN, &|mut ranks| ranks.find(|&rank| rank > 0 && !in_order(rank))) {
        None => Ok(()),
        Some(rank) => Err(bad(format!("the suffixes of rank {} and {rank} are not in order", rank - 1))),
    }
}
