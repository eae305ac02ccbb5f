//! Engine `lpf`: the longest previous factor of every position, then jumps.
//!
//! The match of a position with its neighbour below is at most one longer than that of the next position with its own:
//! moving both by one gives an earlier suffix on the same side, and the neighbour is the nearest. The same holds above. So
//! all matches are found in the order of the text as in `lcp.rs`, with O(n) comparisons, in parallel by parts. The
//! phrases are then jumps p → p + max(1, LPF[p]), which `chain.rs` follows.
//!
//! More work than `starts`, as every position is looked at and not one in a phrase's length; but its result answers
//! questions about every position.

use rayon::prelude::*;

use super::super::lcp::{Matches, part_len};
use super::super::suffix_array::AHEAD;
use super::chain::Chain;
use super::factors::Entry;
use super::neighbours::Near;
use thalweg_core::memory::large_zeroed;
use thalweg_core::simd::prefetch;
use thalweg_core::{Position, Result};

/// The longest previous factor of every position.
pub(super) fn longest<P: Position>(text: &[u8], near: &[Near<P>]) -> Result<Vec<P>> {
    let mut lengths = large_zeroed::<P>(text.len(), "longest previous factors")?;
    let part = part_len(text.len());
    lengths.par_chunks_mut(part).enumerate().for_each(|(index, lengths)| {
        let start = index * part;
        let (mut below, mut above) = (Matches::new(text), Matches::new(text));
        for (at, out) in lengths.iter_mut().enumerate() {
            let position = start + at;
            if let Some(later) = near.get(position + AHEAD) {
                prefetch(text, later[0].get().saturating_add(below.length.saturating_sub(AHEAD)));
                prefetch(text, later[1].get().saturating_add(above.length.saturating_sub(AHEAD)));
            }
            let [b, a] = near[position];
            *out = P::new(below.next(position, b).max(above.next(position, a)));
        }
    });
    Ok(lengths)
}

/// From phrase to phrase by the lengths.
pub(super) struct Jumps<'t, P> {
    pub(super) text: &'t [u8],
    pub(super) near: &'t [Near<P>],
    pub(super) lengths: &'t [P],
}

impl<P: Position> Chain<P> for Jumps<'_, P> {
    #[inline(always)]
    fn expect(&self, position: usize) {
        prefetch(self.lengths, position);
        prefetch(self.near, position);
    }

    #[inline(always)]
    fn prepare(&self, position: usize) {
        prefetch(self.text, self.near[position][0].get());
    }

    #[inline(always)]
    fn phrase(&self, position: usize) -> Entry<P> {
        let length = self.lengths[position];
        if length == P::new(0) {
            return [P::new(usize::from(self.text[position])), length];
        }
        let [below, above] = self.near[position];
        // One of them is that long; the one below if it is.
        let long = length.get();
        let matches = |n: usize| self.text[n..n + long] == self.text[position..position + long];
        [if below.checked().is_some_and(matches) { below } else { above }, length]
    }
}
