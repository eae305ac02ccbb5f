//! Common prefixes of neighbouring suffixes: the LCP array.
//!
//! Kärkkäinen, Manzini and Puglisi (2009), *Permuted longest-common-prefix array*: Φ tells for every position which
//! suffix comes before its own in the order. In the order of the *text* the common prefixes with it shrink by at most
//! one from a position to the next, so going through the text extends every match from where the last one ended: O(n)
//! comparisons. And where the predecessor is just the next one too, the match is one shorter, exactly: no comparison.
//!
//! In parallel: the text is cut into parts, each of which extends its first match from nothing. That costs a part at
//! most the length of the longest match, so there are few parts: [`PARTS`] a thread. Then the values go to the order of
//! the suffixes, by a gather.
//!
//! Work O(n + threads · longest match), span O(n / threads). Memory: the result and Φ, in which the permuted values
//! replace the predecessors.
#![allow(unsafe_code)]

use crate::common_prefix::common_prefix;
use crate::permutation::{AHEAD, GRAIN, scatter};
use crate::position_width::by_position;
use crate::symbol::{Symbol, Symbols, by_symbol};
use thalweg_core::memory::computed;
use thalweg_core::parallel::for_each_chunk_mut;
use thalweg_core::simd::prefetch;
use thalweg_core::{Position, Positions, Result};

/// Parts of the text for every thread: enough for balance.
const PARTS: usize = 8;

/// A part is not shorter than this.
const PART: usize = 1 << 14;

/// Symbols of a part of a text that the threads go through in order.
pub(crate) fn part_len(len: usize) -> usize {
    len.div_ceil(PARTS * rayon::current_num_threads()).max(PART)
}

/// The LCP array of a text and its suffix array, which is a permutation.
pub(super) fn lcp(text: Symbols<'_>, positions: &Positions) -> Result<Positions> {
    // SAFETY: nothing but a `SuffixArray` calls this.
    by_symbol!(text, text => by_position!(positions, sa => unsafe { lcp_as(text, sa) }.map(Position::list)))
}

/// The LCP array.
///
/// # Safety
/// The suffix array is a permutation of the text's positions.
pub(crate) unsafe fn lcp_as<T: Symbol, P: Position>(text: &[T], sa: &[P]) -> Result<Vec<P>> {
    // SAFETY: the caller's promise.
    let permuted = unsafe { permuted(text, sa)? };
    computed(sa.len(), GRAIN, "the LCP array", |rank| {
        if let Some(later) = sa.get(rank + AHEAD) {
            prefetch(&permuted, later.get());
        }
        permuted[sa[rank].get()]
    })
}

/// The common prefix of every suffix with its predecessor, in the order of the text.
///
/// # Safety
/// The suffix array is a permutation of the text's positions.
unsafe fn permuted<T: Symbol, P: Position>(text: &[T], sa: &[P]) -> Result<Vec<P>> {
    let predecessor = |rank: usize| if rank == 0 { P::NONE } else { sa[rank - 1] };
    // SAFETY: the caller's promise.
    let mut phi = unsafe { scatter(sa.len(), "the LCP array", |rank| sa[rank].get(), predecessor)? };
    let part = part_len(text.len());
    for_each_chunk_mut(&mut phi, part, &|start, phi| {
        let mut matches = Matches::new(text);
        for at in 0..phi.len() {
            if let Some(&later) = phi.get(at + AHEAD) {
                prefetch(text, later.get().saturating_add(matches.length.saturating_sub(AHEAD)));
            }
            phi[at] = P::new(matches.next(start + at, phi[at]));
        }
    });
    Ok(phi)
}

/// Matches of position after position with partners that keep the promise: the common prefix with the next partner is
/// at most one shorter than with this one.
pub(crate) struct Matches<'t, T> {
    text: &'t [T],
    /// The last match.
    pub(crate) length: usize,
    /// Where it would go on at the next position.
    follower: usize,
}

impl<'t, T: Symbol> Matches<'t, T> {
    pub(crate) fn new(text: &'t [T]) -> Self {
        Self { text, length: 0, follower: usize::MAX }
    }

    /// The common prefix of the next position and its partner, if it has one.
    #[inline(always)]
    pub(crate) fn next<P: Position>(&mut self, position: usize, partner: P) -> usize {
        if partner == P::NONE {
            *self = Self::new(self.text);
            return 0;
        }
        let partner = partner.get();
        if self.length > 0 && partner == self.follower {
            self.length -= 1;
        } else {
            let known = self.length.saturating_sub(1);
            self.length = known + common_prefix(self.text, position + known, partner + known);
        }
        self.follower = partner + 1;
        self.length
    }
}
