//! Witnesses and duels: Vishkin (1985), *Optimal parallel pattern matching in strings*; JáJá (1992), chapter 7.
//!
//! If the pattern cannot occur at two places whose distance is d, a *witness* says why: a position w where the pattern and
//! the pattern moved by d differ. Of two such places, the text's symbol at the witness rules one out, or both: a *duel*.
//! One look at the text instead of two comparisons with the pattern.
//!
//! Every distance below the pattern's period p has a witness. So the places are cut into blocks of p, in each of which duels
//! leave one survivor; only there the pattern is compared.
//!
//! - **Non-periodic** patterns, whose period is more than half of their length m: n/p survivors, O(m) each, are O(n).
//! - **Periodic** ones, u^k v with |u| = p and v a prefix of u, k at least 2: the duels look for u u v, which is short. Its
//!   occurrences are at least p apart, so the pattern is where k - 1 of them follow each other at distances of p: the
//!   (k-2)th after this one in the list is at a distance of (k-2) p. One comparison for each.
//!
//! Witnesses come from the Z function of the pattern, sequentially: O(m). The text: O(n) work, O(log n) span but for the
//! comparisons at a survivor, which are sequential, O(m). Memory: m words, and 8 bytes for every occurrence of u u v.

use std::ops::Range;

use super::period::agreements;
use super::{Found, in_blocks, split};
use thalweg_core::Result;

pub(super) fn find<F: Found>(text: &[u8], pattern: &[u8]) -> Result<F> {
    let m = pattern.len();
    // A distance without a witness is a period.
    let witnesses = agreements(pattern);
    let period = (1..m).find(|&distance| distance + witnesses[distance] == m).unwrap_or(m);
    let witnesses = &witnesses[..period];
    if 2 * period > m {
        return survivors(text, pattern, witnesses);
    }
    let repetitions = m / period;
    let short = &pattern[..2 * period + m % period];
    let list: Vec<u64> = survivors(text, short, witnesses)?;
    let more = repetitions - 2;
    let follows = |i: usize| list.get(i + more).is_some_and(|&last| last - list[i] == (more * period) as u64);
    in_blocks(split(list.len(), 0), |range| {
        let mut found = F::default();
        range.filter(|&i| follows(i)).for_each(|i| found.push(list[i] as usize));
        found
    })
}

/// The occurrences of a pattern.
fn survivors<F: Found>(text: &[u8], pattern: &[u8], witnesses: &[usize]) -> Result<F> {
    let places = (text.len() + 1).saturating_sub(pattern.len());
    in_blocks(split(places, pattern.len()), |block| {
        let mut found = F::default();
        for start in block.clone().step_by(witnesses.len()) {
            let place = duels(text, pattern, witnesses, start..block.end.min(start + witnesses.len()));
            if &text[place..place + pattern.len()] == pattern {
                found.push(place);
            }
        }
        found
    })
}

/// Who is left of some places, fewer than the period apart and none of them so late that the pattern would not fit.
#[inline]
fn duels(text: &[u8], pattern: &[u8], witnesses: &[usize], places: Range<usize>) -> usize {
    let mut survivor = places.start;
    for challenger in places.skip(1) {
        // The pattern has one symbol here for the challenger and another for the survivor.
        let witness = witnesses[challenger - survivor];
        if text[challenger + witness] == pattern[witness] {
            survivor = challenger;
        }
    }
    survivor
}
