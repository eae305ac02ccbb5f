//! For every position of the text: the two earlier suffixes that are nearest in lexicographic order.
//!
//! In the order of the suffixes these are nearest smaller values; the engine of [`thalweg_arrays::ansv`] finds them. A phrase
//! begins at a position of the text, though, so they are brought into its order: a pass that reads the suffix array in
//! order and writes pairs to random places, which is what this step costs.
//!
//! All at once that would need 20 bytes a position below 2 GiB. So the first half of the text goes first; the neighbours of
//! the second half are then moved together, and 16 bytes are enough. That takes a third longer than one pass (0.71 and 0.83 to
//! 0.98 s for 64 MB on two threads).
#![allow(unsafe_code)]

use crate::permutation::{AHEAD, GRAIN};
use crate::stage::{Stage, Watcher};
use thalweg_arrays::ansv::{self, Relation, Sides};
use thalweg_core::memory::{large_zeroed, try_with_large_capacity};
use thalweg_core::parallel::for_each_chunk;
use thalweg_core::primitives::disjoint::Disjoint;
use thalweg_core::primitives::{compact, kill_in_place_by};
use thalweg_core::simd::prefetch_line;
use thalweg_core::{Position, Result};

/// The neighbours of a position: below and above it in lexicographic order, [`thalweg_core::Position::NONE`] for none.
pub(super) type Near<P> = [P; 2];

/// The neighbours of all positions, and the suffix array if it was to be kept.
pub(super) struct Neighbours<P> {
    pub(super) near: Vec<Near<P>>,
    pub(super) sa: Option<Vec<P>>,
}

/// Finds them.
pub(super) fn in_text_order<P: Position>(sa: Vec<P>, keep: bool, watcher: Watcher<'_>) -> Result<Neighbours<P>> {
    watcher.enter(Stage::Neighbours);
    let len = sa.len();
    let mut below = large_zeroed::<P>(len, "nearest smaller values")?;
    let mut above = large_zeroed::<P>(len, "nearest smaller values")?;
    let sides = Sides { left: Some(&mut below[..]), right: Some(&mut above[..]) };
    ansv::solve_into(&sa, Relation::Smaller, &*ansv::engine(ansv::Engine::default())?, sides)?;

    watcher.enter(Stage::TextOrder);
    let mut near = try_with_large_capacity::<Near<P>>(len, "neighbours in text order")?;
    let place = Disjoint::uninit(&mut near.spare_capacity_mut()[..len]);
    let half = P::new(len / 2);
    first_half(&sa, &mut below, &mut above, half, place);
    for side in [&mut below, &mut above] {
        kill_in_place_by(side, |rank| sa[rank] >= half)?;
        side.shrink_to_fit();
    }
    let later = compact(&sa, |&position| position >= half)?;
    let sa = keep.then_some(sa);
    second_half(&later, &below, &above, place);
    // SAFETY: a suffix array holds every position, so both halves have been written.
    unsafe { near.set_len(len) };
    Ok(Neighbours { near, sa })
}

/// Writes the pairs of the positions below `half`, and turns all neighbours from ranks to positions.
fn first_half<P: Position>(sa: &[P], below: &mut [P], above: &mut [P], half: P, near: Disjoint<'_, Near<P>>) {
    let position = |rank: P| if rank == P::NONE { P::NONE } else { sa[rank.get()] };
    let sides = [Disjoint::new(below), Disjoint::new(above)];
    for_each_chunk(sa.len(), GRAIN, &|ranks| {
        // SAFETY: both sides are as long as the suffix array, and ranges do not overlap.
        let [below, above] = sides.map(|side| unsafe { side.slice_mut(ranks.clone()) });
        let sa = &sa[ranks.start..];
        // Where pairs of the other half go: a place that nobody reads instead of a branch that nobody foresees.
        let mut nowhere = [P::NONE; 2];
        let target = |p: P, nowhere: *mut Near<P>| if p < half { near.as_ptr().wrapping_add(p.get()) } else { nowhere };
        for i in 0..below.len() {
            if let Some(&later) = sa.get(i + AHEAD) {
                prefetch_line(target(later, &raw mut nowhere));
            }
            (below[i], above[i]) = (position(below[i]), position(above[i]));
            // SAFETY: positions are below the length, all different, and `nowhere` is this task's own.
            unsafe { target(sa[i], &raw mut nowhere).write([below[i], above[i]]) };
        }
    });
}

/// Writes the pairs of the positions in `later`.
fn second_half<P: Position>(later: &[P], below: &[P], above: &[P], near: Disjoint<'_, Near<P>>) {
    for_each_chunk(later.len(), GRAIN, &|range| {
        let (later, below, above) = (&later[range.clone()], &below[range.clone()], &above[range]);
        for (i, &p) in later.iter().enumerate() {
            if let Some(next) = later.get(i + AHEAD) {
                prefetch_line(near.as_ptr().wrapping_add(next.get()));
            }
            // SAFETY: positions of the text, all different.
            unsafe { near.put(p.get(), [below[i], above[i]]) };
        }
    });
}
