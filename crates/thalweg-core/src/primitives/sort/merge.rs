//! BSGP's merge sort (Hou et al. 2008, supplementary material 1): every element finds its place by a search.
//!
//! Neighbouring sorted segments of length m become one of length 2m: an element's place in it is its offset in its own
//! segment plus the number of elements before it in the other one, which a binary search finds. All elements of a
//! round are placed in parallel; no two threads wait for each other inside a round.
//!
//! Three things differ from the listing:
//! - Ties: elements of the left segment count the *smaller* ones of the right, those of the right count the *smaller
//!   or equal* ones of the left. So no two elements get the same place, and the sort is stable.
//! - Rounds inside a block of [`BLOCK`] elements are done by one thread, in its cache.
//! - A task places a run of neighbours, whose places ascend: each search starts where the last one ended, with steps
//!   that double. A round costs O(n) instead of O(n log m) on average.
#![allow(unsafe_code)]

use std::ops::Range;

use super::item::Item;
use super::source::{Source, load_all, write_payloads};
use crate::Result;
use crate::disjoint::Disjoint;
use crate::memory::try_with_large_capacity;
use crate::parallel::for_each_chunk;

/// Elements whose first rounds stay in one thread's cache; and that a task of a later round places.
const BLOCK: usize = 1 << 13;

/// Elements sorted by insertion at the very start.
const TINY: usize = 16;

/// Work O(n log n) searches, span O(block log block + log² n), extra memory two items per key.
pub(super) fn sort<I: Item>(source: &dyn Source<I>, out: Disjoint<'_, I::Payload>) -> Result<()> {
    let mut items = load_all(source)?;
    let len = items.len();
    let mut other = try_with_large_capacity::<I>(len, "merge buffer")?;
    {
        let here = Disjoint::new(&mut items);
        let there = Disjoint::uninit(&mut other.spare_capacity_mut()[..len]);
        for_each_chunk(len, BLOCK, &|range| {
            // SAFETY: inside, and a block's own; copying fills the other buffer, so that rounds work on plain slices.
            let (items, other) = unsafe {
                let items = here.slice_mut(range.clone());
                there.copy_from(range.start, items);
                (items, there.slice_mut(range))
            };
            sort_block(items, other);
        });
    }
    // SAFETY: every block has been filled.
    unsafe { other.set_len(len) };

    let mut segment = BLOCK;
    while segment < len {
        let place = Disjoint::new(&mut other);
        for_each_chunk(len, BLOCK, &|run| {
            // SAFETY: ranks in the merged segments are a permutation, so no two elements have the same place.
            unsafe { place_run(&items, run, segment, place.as_ptr()) };
        });
        std::mem::swap(&mut items, &mut other);
        segment = segment.saturating_mul(2);
    }
    write_payloads(&items, out);
    Ok(())
}

/// The first rounds, of one block.
fn sort_block<I: Item>(items: &mut [I], other: &mut [I]) {
    items.chunks_mut(TINY).for_each(insertion_sort);
    let (mut from, mut to) = (&mut *items, &mut *other);
    let mut segment = TINY;
    let mut rounds = 0;
    while segment < from.len() {
        // SAFETY: as in the parallel rounds.
        unsafe { place_run(from, 0..from.len(), segment, to.as_mut_ptr()) };
        std::mem::swap(&mut from, &mut to);
        segment *= 2;
        rounds += 1;
    }
    if rounds % 2 == 1 {
        items.copy_from_slice(other);
    }
}

/// Sorts a few items, stable.
pub(super) fn insertion_sort<I: Item>(items: &mut [I]) {
    for i in 1..items.len() {
        let item = items[i];
        let mut j = i;
        while j > 0 && items[j - 1].number() > item.number() {
            items[j] = items[j - 1];
            j -= 1;
        }
        items[j] = item;
    }
}

/// Puts the elements `run` of `items`, whose segments of length `segment` are sorted, to their places in the
/// merged segments.
///
/// # Safety
/// `out` has as many places as `items` elements, elsewhere; nobody else writes to the places of these elements.
unsafe fn place_run<I: Item>(items: &[I], run: Range<usize>, segment: usize, out: *mut I) {
    let mut i = run.start;
    while i < run.end {
        // One stretch per segment: the neighbour is the same for all of it.
        let own = i - i % segment;
        let stretch_end = run.end.min(own + segment);
        let is_left = (own / segment).is_multiple_of(2);
        let (pair, neighbour) = if is_left { (own, own + segment) } else { (own - segment, own - segment) };
        let neighbour = &items[neighbour.min(items.len())..(neighbour + segment).min(items.len())];
        let mut before = 0;
        while i < stretch_end {
            let number = items[i].number();
            before = if is_left {
                gallop(neighbour, before, |other| other < number)
            } else {
                gallop(neighbour, before, |other| other <= number)
            };
            let place = pair + (i - own) + before;
            debug_assert!(place < items.len());
            // SAFETY: the offset in one segment plus the rank in the other is less than their lengths together.
            unsafe { *out.add(place) = items[i] };
            i += 1;
        }
    }
}

/// The first position at or after `from` whose number does not pass `is_before`; the numbers ascend.
#[inline(always)]
fn gallop<I: Item>(items: &[I], from: usize, is_before: impl Fn(u64) -> bool) -> usize {
    let mut step = 1;
    let mut low = from;
    while low + step <= items.len() && is_before(items[low + step - 1].number()) {
        low += step;
        step *= 2;
    }
    let high = items.len().min(low + step - 1);
    low + items[low..high].partition_point(|item| is_before(item.number()))
}
