//! For every position of the text: the two earlier suffixes that are nearest in lexicographic order.
//!
//! In the order of the suffixes these are nearest smaller values; the engine of [`crate::ansv`] finds them. A phrase
//! begins at a position of the text, though, so they are brought into its order: one pass that reads the suffix array in
//! order and writes pairs to random places, which is what this step costs.
#![allow(unsafe_code)]

use super::super::suffix_array::scatter;
use super::super::width::Width;
use super::super::{Stage, Watcher, enter};
use crate::Result;
use crate::ansv::{Builder, Sides};
use crate::memory::large_zeroed;

/// The neighbours of a position: below and above it in lexicographic order, [`crate::Position::NONE`] for none.
pub(super) type Near<P> = [P; 2];

/// The neighbours of all positions.
pub(super) fn in_text_order<P: Width>(sa: &[P], watcher: Watcher<'_>) -> Result<Vec<Near<P>>> {
    enter(watcher, Stage::Neighbours);
    let mut below = large_zeroed::<P>(sa.len(), "nearest smaller values")?;
    let mut above = large_zeroed::<P>(sa.len(), "nearest smaller values")?;
    Builder::new().run_into(sa, Sides { left: Some(&mut below), right: Some(&mut above) })?;
    enter(watcher, Stage::TextOrder);
    let position = |rank: P| if rank == P::NONE { P::NONE } else { sa[rank.get()] };
    // SAFETY: a suffix array is a permutation.
    unsafe {
        let near = |rank: usize| [position(below[rank]), position(above[rank])];
        scatter(sa.len(), "neighbours in text order", |rank| sa[rank].get(), near)
    }
}
