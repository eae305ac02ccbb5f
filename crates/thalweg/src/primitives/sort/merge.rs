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

use rayon::prelude::*;

use super::super::disjoint::Disjoint;
use super::item::Item;
use super::{Result, try_with_capacity};

/// Elements whose first rounds stay in one thread's cache.
const BLOCK: usize = 1 << 13;

/// Elements sorted by insertion at the very start.
const TINY: usize = 16;

/// Elements that a task of a round places.
const GRAIN: usize = 1 << 13;

/// Work O(n log n) searches, span O(block log block + log² n), extra memory two items per key.
pub(super) fn sort<I: Item, O: Copy + Send>(
    len: usize,
    load: &(impl Fn(usize) -> I + Sync),
    emit: &(impl Fn(I) -> O + Sync),
    out: Disjoint<'_, O>,
) -> Result<()> {
    assert_eq!(out.len(), len);
    let mut items = try_with_capacity::<I>(len, "items to sort")?;
    let mut other = try_with_capacity::<I>(len, "merge buffer")?;
    (0..len).into_par_iter().with_min_len(BLOCK).map(load).collect_into_vec(&mut items);
    // Copied rather than left empty, so that rounds work on plain slices.
    other.par_extend(items.par_iter().with_min_len(BLOCK));
    items.par_chunks_mut(BLOCK).zip(other.par_chunks_mut(BLOCK)).for_each(|(items, other)| sort_block(items, other));
    let mut segment = BLOCK;
    while segment < len {
        let place = Disjoint::new(&mut other);
        (0..len.div_ceil(GRAIN)).into_par_iter().for_each(|run| {
            let range = run * GRAIN..len.min((run + 1) * GRAIN);
            // SAFETY: ranks in the merged segments are a permutation, so no two elements have the same place.
            unsafe { place_run(&items, range.start, range.end, segment, place.as_ptr()) };
        });
        std::mem::swap(&mut items, &mut other);
        segment = segment.saturating_mul(2);
    }
    items.par_chunks(GRAIN).enumerate().for_each(|(chunk, items)| {
        let start = chunk * GRAIN;
        // SAFETY: inside, and this chunk's own.
        let out = unsafe { out.slice(start..start + items.len()) };
        for (out, &item) in out.iter_mut().zip(items) {
            out.write(emit(item));
        }
    });
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
        unsafe { place_run(from, 0, from.len(), segment, to.as_mut_ptr()) };
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

/// Puts the elements `start..end` of `items`, whose segments of length `segment` are sorted, to their places in the
/// merged segments.
///
/// # Safety
/// `out` has as many places as `items` elements, elsewhere; nobody else writes to the places of these elements.
unsafe fn place_run<I: Item>(items: &[I], start: usize, end: usize, segment: usize, out: *mut I) {
    let mut i = start;
    while i < end {
        // One stretch per segment: the neighbour is the same for all of it.
        let own = i - i % segment;
        let stretch_end = end.min(own + segment);
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
