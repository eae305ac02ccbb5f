//! The default engine: compares only where a phrase begins.
//!
//! Kärkkäinen, Kempa and Puglisi (2013), *Linear time Lempel-Ziv factorization: simple, fast, small*: with the two
//! neighbours of every position at hand, the phrase at p is the longer one of two matches, found by comparing. A phrase
//! of length l costs O(l), so all of them O(n), and neither LCP nor LPF array is needed. What is sequential in that, the
//! chain of phrases, is cut in `chain.rs`.

use super::chain::Chain;
use super::factors::Entry;
use super::neighbours::Near;
use crate::common_prefix::common_bytes;
use thalweg_core::Position;
use thalweg_core::simd::prefetch;

pub(super) struct Starts<'t, P> {
    pub(super) text: &'t [u8],
    pub(super) near: &'t [Near<P>],
}

impl<P: Position> Chain<P> for Starts<'_, P> {
    #[inline(always)]
    fn expect(&self, position: usize) {
        prefetch(self.near, position);
    }

    #[inline(always)]
    fn prepare(&self, position: usize) {
        for neighbour in self.near[position] {
            // "None" is no address: nothing is read there.
            prefetch(self.text, neighbour.get());
        }
    }

    #[inline(always)]
    fn phrase(&self, position: usize) -> Entry<P> {
        let rest = &self.text[position..];
        let length = |neighbour: P| neighbour.checked().map_or(0, |n| common_bytes(&self.text[n..], rest));
        let [below, above] = self.near[position];
        let (below_length, above_length) = (length(below), length(above));
        let (source, length) = if above_length > below_length { (above, above_length) } else { (below, below_length) };
        if length == 0 { [P::new(usize::from(rest[0])), P::new(0)] } else { [source, P::new(length)] }
    }
}
