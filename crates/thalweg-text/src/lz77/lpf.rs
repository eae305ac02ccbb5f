//! Engine `lpf`: the longest previous factor of every position, then jumps.
//!
//! The match of a position with its neighbour below is at most one longer than that of the next position with its own:
//! moving both by one gives an earlier suffix on the same side, and the neighbour is the nearest. The same holds above. So
//! all matches are found in the order of the text as in `lcp.rs`, with O(n) comparisons, in parallel by parts. The
//! phrases are then jumps p → p + max(1, LPF[p]), which `chain.rs` follows.
//!
//! More work than `starts`, as every position is looked at and not one in a phrase's length; but its result answers
//! questions about every position.

#![allow(unsafe_code)]

use super::chain::Chain;
use super::factors::Entry;
use super::neighbours::Near;
use crate::permutation::AHEAD;
use crate::suffix_array::lcp::{Matches, part_len};
use thalweg_core::disjoint::Disjoint;
use thalweg_core::memory::large_zeroed;
use thalweg_core::parallel::{for_each_chunk, for_each_chunk_mut};
use thalweg_core::simd::prefetch;
use thalweg_core::{Position, Positions, Result};

/// Longest previous factors, and where they are, from whatever device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lpf {
    /// Lengths, by position; 0 where a symbol occurs for the first time.
    pub lengths: Positions,
    /// Where a previous factor of that length begins; none where there is none. Of the two that are nearest in
    /// lexicographic order, that below if both are as long.
    pub sources: Positions,
}

/// Matches of the positions from `start` on with their neighbours below and above; `put` gets them.
fn matches<P: Position>(
    text: &[u8],
    near: &[Near<P>],
    start: usize,
    count: usize,
    mut put: impl FnMut(usize, usize, usize),
) {
    let (mut below, mut above) = (Matches::new(text), Matches::new(text));
    for at in 0..count {
        let position = start + at;
        if let Some(later) = near.get(position + AHEAD) {
            prefetch(text, later[0].get().saturating_add(below.length.saturating_sub(AHEAD)));
            prefetch(text, later[1].get().saturating_add(above.length.saturating_sub(AHEAD)));
        }
        let [b, a] = near[position];
        put(at, below.next(position, b), above.next(position, a));
    }
}

/// The longest previous factor of every position.
pub(super) fn lengths<P: Position>(text: &[u8], near: &[Near<P>]) -> Result<Vec<P>> {
    let mut lengths = large_zeroed::<P>(text.len(), "longest previous factors")?;
    let part = part_len(text.len());
    for_each_chunk_mut(&mut lengths, part, &|start, lengths| {
        let count = lengths.len();
        matches(text, near, start, count, |at, below, above| lengths[at] = P::new(below.max(above)));
    });
    Ok(lengths)
}

/// The same, and where they are.
pub(super) fn with_sources<P: Position>(text: &[u8], near: &[Near<P>]) -> Result<Lpf> {
    let mut lengths = large_zeroed::<P>(text.len(), "longest previous factors")?;
    let mut sources = large_zeroed::<P>(text.len(), "their sources")?;
    let part = part_len(text.len());
    let shared = [Disjoint::new(&mut lengths), Disjoint::new(&mut sources)];
    for_each_chunk(text.len(), part, &|range| {
        // SAFETY: both are as long as the text, and ranges do not overlap.
        let [lengths, sources] = shared.map(|array| unsafe { array.slice_mut(range.clone()) });
        let (start, count) = (range.start, range.len());
        matches(text, near, start, count, |at, below, above| {
            lengths[at] = P::new(below.max(above));
            let [b, a] = near[start + at];
            sources[at] = match below.max(above) {
                0 => P::NONE,
                _ if above > below => a,
                _ => b,
            };
        });
    });
    Ok(Lpf { lengths: P::list(lengths), sources: P::list(sources) })
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
        // One of them is that long; the one below if it is, or if it is the only one.
        let long = length.get();
        let matches = |n: usize| self.text[n..n + long] == self.text[position..position + long];
        let is_below = above == P::NONE || below.checked().is_some_and(matches);
        [if is_below { below } else { above }, length]
    }
}

/// The same with the sources at hand, from arrays that may say anything: a phrase ends with the text, whatever they say.
pub(super) struct Given<'t, P> {
    pub(super) text: &'t [u8],
    pub(super) lengths: &'t [P],
    pub(super) sources: &'t [P],
}

impl<P: Position> Chain<P> for Given<'_, P> {
    #[inline(always)]
    fn expect(&self, position: usize) {
        prefetch(self.lengths, position);
        prefetch(self.sources, position);
    }

    #[inline(always)]
    fn prepare(&self, position: usize) {
        prefetch(self.text, position);
    }

    #[inline(always)]
    fn phrase(&self, position: usize) -> Entry<P> {
        match self.lengths[position].get().min(self.text.len() - position) {
            0 => [P::new(usize::from(self.text[position])), P::new(0)],
            length => [self.sources[position], P::new(length)],
        }
    }
}
