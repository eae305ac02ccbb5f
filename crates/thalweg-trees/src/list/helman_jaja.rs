//! The default engine: sublists from random splitters, several walked at once by every thread.
//!
//! Walking a list is slow because every step waits for the memory to answer the one before. So splitters are chosen at
//! random, one in every [`Tuning::stride`] elements of the array; each begins a sublist, which ends at the next splitter.
//! Every thread walks [`LANES`] sublists in turns, and the answers to their steps are on the way at the same time.
//!
//! ```text
//! 1  copy       a cell an element: its link and its weight side by side, so that a step is one miss
//! 2  walk       from every splitter; an element's cell becomes its sublist and the sum from the sublist's start
//! 3  heads      elements that no splitter leads to come first in their lists: find the heads, and walk from them
//! 4  reduce     the sublists are lists of sublists: rank those, by the same means if they are many
//! 5  finish     an element's rank is its sublist's and what it noted; in the order of the array
//! ```
//!
//! So there is one random access an element, and four passes in order. Counts of elements up to 2^31 and sublists fit
//! one word of 64 bits; weights get words of their own in the cell, which is filled up to a power of two so that it never
//! lies in two cache lines.
//!
//! What is no list shows itself: two walks meet, or walks are not n steps together, or sublists have two predecessors, or
//! a cell stays as it was. (Cells are atomic, so that a bad list is an error and not a data race.)
//!
//! Helman and JáJá 1999. Work O(n), span O(stride · log n) with random splitters, and O(n / threads) in practice. Extra
//! memory: 8 bytes an element without weights, otherwise 16 or the next power of two.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use super::load::{Load, Store, Sums, minus, plus};
use super::options::Direction;
use super::random::mix;
use super::sequential;
use crate::links::{check_range, diagnose, follow};
use thalweg_core::atomic_set::AtomicSet;
use thalweg_core::disjoint::Disjoint;
use thalweg_core::error::try_filled;
use thalweg_core::memory::{Aligned, computed, filled};
use thalweg_core::parallel::{for_each_chunk, for_each_chunk_mut, try_for_each_chunk};
use thalweg_core::primitives::{compact, positions_where};
use thalweg_core::simd::prefetch;
use thalweg_core::{Error, Position, Result};

/// Sublists that a thread walks at the same time: more than the misses that a core has under way. With 24 a step on a
/// random list of 2^24 elements takes 24 ns on one thread where a single walk takes 205; other numbers were not measured.
const LANES: usize = 24;

/// Elements that a task takes at once in the passes over the array.
const GRAIN: usize = 1 << 14;

/// Sublists that a task walks at least, so that its lanes are busy most of the time.
const TASK: usize = 8 * LANES;

/// Sizes that tests set low, so that short lists have many sublists and levels.
#[derive(Clone, Copy)]
struct Tuning {
    /// Elements a splitter, at least 2. With 2^10 the ranks of 2^14 sublists of 2^24 elements fit the second-level cache.
    stride: usize,
    /// So many sublists are ranked by walking.
    few: usize,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { stride: 1 << 10, few: 1 << 16 }
    }
}

pub(super) fn rank<P: Position, const C: usize>(
    next: &[P],
    load: &Load<'_>,
    direction: Direction,
    seed: u64,
    out: &impl Store<C>,
) -> Result<()> {
    rank_tuned(next, load, direction, seed, Tuning::default(), out)
}

fn rank_tuned<P: Position, const C: usize>(
    next: &[P],
    load: &Load<'_>,
    direction: Direction,
    seed: u64,
    tuning: Tuning,
    out: &impl Store<C>,
) -> Result<()> {
    check_range("element", next)?;
    let len = next.len();
    let done = if matches!(load, Load::Ones) && len <= CountCells::MOST {
        let mut words = Aligned::zeroed(len, "cells of a list")?;
        Walks { next, load, cells: CountCells(atomic(&mut words)) }.rank(direction, seed, tuning, out)?
    } else {
        let mut words = Aligned::zeroed(len.saturating_mul(SumCells::<C>::STRIDE), "cells of a list")?;
        Walks { next, load, cells: SumCells::<C>(atomic(&mut words)) }.rank(direction, seed, tuning, out)?
    };
    if done { Ok(()) } else { Err(diagnose(next)) }
}

/// The words of cells, which threads may write at the same time.
fn atomic(words: &mut [u64]) -> &[AtomicU64] {
    // SAFETY: the same size and alignment, and the exclusive borrow becomes a shared one of the same life.
    unsafe { &*(std::ptr::from_mut(words) as *const [AtomicU64]) }
}

/// No link.
const END: usize = usize::MAX;

/// What a cell says.
enum Seen<const C: usize> {
    /// Nobody has been here: where the link leads, or [`END`], and the element's weight.
    Fresh(usize, [u64; C]),
    /// The element belongs to a sublist; the sum of the weights before it.
    Walked(usize, [u64; C]),
    /// A sublist begins here.
    Start(usize),
}

/// A cell for every element. All access is atomic: see the module's text.
trait Cells<const C: usize>: Sync {
    fn set_fresh(&self, i: usize, link: usize, weight: [u64; C]);
    fn set_walked(&self, i: usize, sublist: usize, before: [u64; C]);
    fn set_start(&self, i: usize, sublist: usize);
    fn get(&self, i: usize) -> Seen<C>;
    /// Whether nobody has been here.
    fn is_fresh(&self, i: usize) -> bool;
    fn prefetch(&self, i: usize);
}

/// Set in a cell when somebody has been there.
const WALKED: u64 = 1 << 63;
/// Set in a cell of [`SumCells`] where a sublist begins.
const START: u64 = 1 << 62;

/// Cells of one word, for elements that weigh 1: the link, or the sublist and the number of elements before.
struct CountCells<'c>(&'c [AtomicU64]);

impl CountCells<'_> {
    /// Elements at most.
    const MOST: usize = (1 << 31) - 1;
}

impl<const C: usize> Cells<C> for CountCells<'_> {
    #[inline(always)]
    fn set_fresh(&self, i: usize, link: usize, _: [u64; C]) {
        self.0[i].store(link as u64 & !WALKED, Ordering::Relaxed);
    }

    #[inline(always)]
    fn set_walked(&self, i: usize, sublist: usize, before: [u64; C]) {
        self.0[i].store(WALKED | (sublist as u64) << 32 | before[0], Ordering::Relaxed);
    }

    #[inline(always)]
    fn set_start(&self, i: usize, sublist: usize) {
        self.set_walked(i, sublist, [0; C]);
    }

    #[inline(always)]
    fn get(&self, i: usize) -> Seen<C> {
        let word = self.0[i].load(Ordering::Relaxed);
        let sublist = (word & !WALKED) >> 32;
        match (word & WALKED, word as u32) {
            (0, _) => Seen::Fresh(if word == !WALKED { END } else { word as usize }, [1; C]),
            (_, 0) => Seen::Start(sublist as usize),
            (_, before) => Seen::Walked(sublist as usize, [before.into(); C]),
        }
    }

    #[inline(always)]
    fn is_fresh(&self, i: usize) -> bool {
        self.0[i].load(Ordering::Relaxed) & WALKED == 0
    }

    #[inline(always)]
    fn prefetch(&self, i: usize) {
        prefetch(self.0, i);
    }
}

/// Cells of a word for the link or the sublist, and words for the weights or the sums before.
struct SumCells<'c, const C: usize>(&'c [AtomicU64]);

impl<const C: usize> SumCells<'_, C> {
    /// Words of a cell: a power of two, so that it lies in one cache line if it can.
    const STRIDE: usize = (1 + C).next_power_of_two();

    #[inline(always)]
    fn set(&self, i: usize, word: u64, words: [u64; C]) {
        let cell = &self.0[i * Self::STRIDE..][..Self::STRIDE];
        cell[0].store(word, Ordering::Relaxed);
        for c in 0..C {
            cell[1 + c].store(words[c], Ordering::Relaxed);
        }
    }
}

impl<const C: usize> Cells<C> for SumCells<'_, C> {
    #[inline(always)]
    fn set_fresh(&self, i: usize, link: usize, weight: [u64; C]) {
        self.set(i, link as u64 & !WALKED, weight);
    }

    #[inline(always)]
    fn set_walked(&self, i: usize, sublist: usize, before: [u64; C]) {
        self.set(i, WALKED | sublist as u64, before);
    }

    #[inline(always)]
    fn set_start(&self, i: usize, sublist: usize) {
        self.set(i, WALKED | START | sublist as u64, [0; C]);
    }

    #[inline(always)]
    fn get(&self, i: usize) -> Seen<C> {
        let cell = &self.0[i * Self::STRIDE..][..Self::STRIDE];
        let word = cell[0].load(Ordering::Relaxed);
        let words = std::array::from_fn(|c| cell[1 + c].load(Ordering::Relaxed));
        let sublist = (word & !(WALKED | START)) as usize;
        match (word & WALKED, word & START) {
            (0, _) => Seen::Fresh(if word == !WALKED { END } else { word as usize }, words),
            (_, 0) => Seen::Walked(sublist, words),
            _ => Seen::Start(sublist),
        }
    }

    #[inline(always)]
    fn is_fresh(&self, i: usize) -> bool {
        self.0[i * Self::STRIDE].load(Ordering::Relaxed) & WALKED == 0
    }

    #[inline(always)]
    fn prefetch(&self, i: usize) {
        prefetch(self.0, i * Self::STRIDE);
    }
}

/// A walk that has ended: at which sublist, or [`END`], and the sum of the weights on the way.
#[derive(Clone, Copy)]
struct Sublist<const C: usize> {
    next: usize,
    sum: [u64; C],
}

/// A walk on its way.
#[derive(Clone, Copy)]
struct Lane<const C: usize> {
    at: usize,
    sublist: usize,
    sum: [u64; C],
}

/// Lists with their cells.
struct Walks<'l, P, T> {
    next: &'l [P],
    load: &'l Load<'l>,
    cells: T,
}

impl<P: Position, T> Walks<'_, P, T> {
    /// Puts the ranks, and tells whether these are lists.
    fn rank<const C: usize>(&self, direction: Direction, seed: u64, tuning: Tuning, out: &impl Store<C>) -> Result<bool>
    where
        T: Cells<C>,
    {
        match self.rank_splitters(direction, seed, tuning)? {
            Some(ranks) => Ok(self.finish(&ranks, direction, out)),
            None => Ok(false),
        }
    }

    /// The ranks of the sublists, or `None` if these are no lists.
    fn rank_splitters<const C: usize>(
        &self,
        direction: Direction,
        seed: u64,
        tuning: Tuning,
    ) -> Result<Option<Vec<[u64; C]>>>
    where
        T: Cells<C>,
    {
        let len = self.next.len();
        self.copy();
        let (mut walked, joined) = (AtomicUsize::new(0), AtomicBool::new(false));
        let splitter = |k: usize| {
            let (first, room) = (k * tuning.stride, tuning.stride.min(len - k * tuning.stride));
            P::new(first + (mix(seed, k as u64) % room as u64) as usize)
        };
        let mut starts = computed(len.div_ceil(tuning.stride), GRAIN, "splitters of a list", splitter)?;
        let mut sublists = self.walk(&starts, 0, &walked, &joined)?;
        if *walked.get_mut() < len {
            let heads = self.heads()?;
            sublists.extend(self.walk(&heads, starts.len(), &walked, &joined)?);
            starts.extend(heads);
        }
        // If elements were walked over twice, or heads were missing, the number of steps or a fresh cell tells.
        if joined.into_inner() || *walked.get_mut() != len {
            return Ok(None);
        }
        rank_sublists(&sublists, direction, seed, tuning)
    }

    /// Fills the cells.
    fn copy<const C: usize>(&self)
    where
        T: Cells<C>,
    {
        for_each_chunk(self.next.len(), GRAIN, &|range| {
            for i in range {
                self.cells.set_fresh(i, follow(self.next, i).unwrap_or(END), self.load.of(i));
            }
        });
    }

    /// Walks the sublists that begin at `starts`, where nobody has been, the first of which has number `first`. Adds the
    /// number of elements to `walked`, and tells by `joined` if two walks met.
    fn walk<const C: usize>(
        &self,
        starts: &[P],
        first: usize,
        walked: &AtomicUsize,
        joined: &AtomicBool,
    ) -> Result<Vec<Sublist<C>>>
    where
        T: Cells<C>,
    {
        for_each_chunk(starts.len(), GRAIN, &|range| {
            for k in range {
                self.cells.set_start(starts[k].get(), first + k);
            }
        });
        let mut sublists = try_filled(starts.len(), Sublist { next: END, sum: [0; C] }, "sublists")?;
        // Sublists have random lengths: many tasks a thread, of which each has many sublists.
        let task = (starts.len() / (8 * rayon::current_num_threads())).max(TASK);
        for_each_chunk_mut(&mut sublists, task, &|k, sublists| {
            let (steps, met) = self.walk_lanes(&starts[k..k + sublists.len()], first + k, sublists);
            walked.fetch_add(steps, Ordering::Relaxed);
            joined.fetch_or(met, Ordering::Relaxed);
        });
        Ok(sublists)
    }

    /// One task's share. Returns the number of elements, and whether a walk met another one.
    fn walk_lanes<const C: usize>(&self, starts: &[P], first: usize, sublists: &mut [Sublist<C>]) -> (usize, bool)
    where
        T: Cells<C>,
    {
        let mut waiting = 0..starts.len();
        let mut steps = starts.len();
        let mut met = false;
        let mut begin = |sublists: &mut [Sublist<C>]| {
            for sublist in waiting.by_ref() {
                let start = starts[sublist].get();
                let sum = self.load.of(start);
                match follow(self.next, start) {
                    Some(at) => {
                        self.cells.prefetch(at);
                        return Some(Lane { at, sublist, sum });
                    }
                    None => sublists[sublist] = Sublist { next: END, sum },
                }
            }
            None
        };
        let mut lanes = [Lane { at: 0, sublist: 0, sum: [0; C] }; LANES];
        let mut busy = 0;
        while busy < LANES
            && let Some(lane) = begin(sublists)
        {
            lanes[busy] = lane;
            busy += 1;
        }
        while busy > 0 {
            let mut k = 0;
            while k < busy {
                let lane = &mut lanes[k];
                let next = match self.cells.get(lane.at) {
                    Seen::Fresh(link, weight) => {
                        self.cells.set_walked(lane.at, first + lane.sublist, lane.sum);
                        lane.sum = plus(lane.sum, weight);
                        steps += 1;
                        if link != END {
                            self.cells.prefetch(link);
                            lane.at = link;
                            k += 1;
                            continue;
                        }
                        END
                    }
                    Seen::Start(sublist) => sublist,
                    Seen::Walked(..) => {
                        met = true;
                        END
                    }
                };
                sublists[lane.sublist] = Sublist { next, sum: lane.sum };
                match begin(sublists) {
                    Some(fresh) => {
                        *lane = fresh;
                        k += 1;
                    }
                    None => {
                        busy -= 1;
                        lanes[k] = lanes[busy];
                    }
                }
            }
        }
        (steps, met)
    }

    /// The heads of the lists, as far as nobody has been there: fresh elements to which no fresh one leads.
    fn heads<const C: usize>(&self) -> Result<Vec<P>>
    where
        T: Cells<C>,
    {
        let fresh: Vec<P> = positions_where(self.next.len(), |i| self.cells.is_fresh(i))?;
        let followers = AtomicSet::new(self.next.len(), "elements that follow others")?;
        for_each_chunk(fresh.len(), GRAIN, &|range| {
            for j in fresh[range].iter().filter_map(|i| follow(self.next, i.get())) {
                followers.insert(j);
            }
        });
        compact(&fresh, |i| !followers.contains(i.get()))
    }

    /// The elements' ranks from those of their sublists. Tells whether every element has one.
    fn finish<const C: usize>(&self, ranks: &[[u64; C]], direction: Direction, out: &impl Store<C>) -> bool
    where
        T: Cells<C>,
    {
        let len = self.next.len();
        assert_eq!(out.room(), len);
        try_for_each_chunk(len, GRAIN, &|range| {
            for i in range {
                let (sublist, before) = match self.cells.get(i) {
                    Seen::Walked(sublist, before) => (sublist, before),
                    Seen::Start(sublist) => (sublist, [0; C]),
                    Seen::Fresh(..) => return false,
                };
                let sum = match direction {
                    Direction::ToEnd => minus(ranks[sublist], before),
                    Direction::FromHead => plus(plus(ranks[sublist], before), self.load.of(i)),
                };
                // SAFETY: there is room for all elements, and ranges do not overlap.
                unsafe { out.put(i, sum) };
            }
            true
        })
    }
}

/// For every sublist the sum from its start to the end of its list, or that of all sublists before it. `None` if two
/// sublists have the same successor or there is a cycle.
fn rank_sublists<const C: usize>(
    sublists: &[Sublist<C>],
    direction: Direction,
    seed: u64,
    tuning: Tuning,
) -> Result<Option<Vec<[u64; C]>>> {
    let followers = AtomicSet::new(sublists.len(), "sublists that follow others")?;
    // To a list, a sublist that follows itself would be a last one: it is a cycle with one splitter.
    let bad = |k: usize| {
        let next = sublists[k].next;
        next == k || (next != END && followers.insert(next))
    };
    if !try_for_each_chunk(sublists.len(), GRAIN, &|mut range| !range.any(bad)) {
        return Ok(None);
    }
    // Lists without a splitter are one sublist each, and there may be many. Of the others, the last sublist's rank is
    // known or its predecessor's: what is left are at most as many as there are splitters.
    let links: Vec<u64> = positions_where(sublists.len(), |k| sublists[k].next != END)?;
    let is_last = |k: usize| sublists[k].next == END;
    let mut number = try_filled(sublists.len(), u64::NONE, "numbers of sublists")?;
    for (q, &k) in links.iter().enumerate() {
        number[k as usize] = q as u64;
    }
    let of = |k: u64| &sublists[k as usize];
    let next = computed(links.len(), GRAIN, "successors of sublists", |q| number[of(links[q]).next])?;
    let totals = computed(links.len(), GRAIN, "sums of sublists", |q| {
        let sublist = of(links[q]);
        match direction {
            Direction::ToEnd if is_last(sublist.next) => plus(sublist.sum, sublists[sublist.next].sum),
            _ => sublist.sum,
        }
    })?;
    let mut ranks = filled(links.len(), [0; C], "ranks of sublists")?;
    let out = Sums { out: Disjoint::new(ranks.as_flattened_mut()), count: C, first: 0 };
    let load = Load::of_sums(&totals);
    let done = if links.len() <= tuning.few {
        sequential::rank::<u64, C>(&next, &load, direction, &out)
    } else {
        rank_tuned::<u64, C>(&next, &load, direction, mix(seed, u64::MAX), tuning, &out)
    };
    match done {
        Ok(()) => {}
        Err(Error::Cycle { .. }) => return Ok(None),
        Err(error) => return Err(error),
    }
    Ok(Some(match direction {
        Direction::ToEnd => computed(sublists.len(), GRAIN, "ranks of sublists", |k| match number[k].checked() {
            Some(q) => ranks[q],
            None => sublists[k].sum,
        })?,
        Direction::FromHead => {
            let mut before = try_filled(sublists.len(), [0; C], "ranks of sublists")?;
            for (&k, &rank) in links.iter().zip(&ranks) {
                before[of(k).next] = rank;
            }
            before
        }
    }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::load::Ranks;
    use super::super::weight::Weight;
    use super::*;

    /// The ranks, without a tuning by walking.
    fn ranks(next: &[u32], direction: Direction, seed: u64, tuning: Option<Tuning>) -> Result<Vec<u32>> {
        let mut ranks = vec![0; next.len()];
        let out = Ranks(Disjoint::new(&mut ranks));
        match tuning {
            Some(tuning) => rank_tuned(next, &Load::Ones, direction, seed, tuning, &out)?,
            None => sequential::rank(next, &Load::Ones, direction, &out)?,
        }
        Ok(ranks)
    }

    /// The sums of three weights an element, likewise.
    fn sums(
        next: &[u32],
        weights: &[[i32; 3]],
        direction: Direction,
        seed: u64,
        tuning: Option<Tuning>,
    ) -> Result<Vec<u64>> {
        let load = Load::Numbers { numbers: Weight::view(weights), count: 3, first: 0 };
        let mut sums = vec![0; 3 * next.len()];
        let out = Sums { out: Disjoint::new(&mut sums), count: 3, first: 0 };
        match tuning {
            Some(tuning) => rank_tuned::<_, 3>(next, &load, direction, seed, tuning, &out)?,
            None => sequential::rank::<_, 3>(next, &load, direction, &out)?,
        }
        Ok(sums)
    }

    /// Lists over 0..n: a permutation cut at random places; some ends point to themselves.
    fn lists(n: usize, seed: u64) -> Vec<u32> {
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_by_key(|&i| mix(seed, i.into()));
        let mut next = vec![u32::NONE; n];
        for (k, &i) in order.iter().enumerate() {
            next[i as usize] = match mix(seed ^ 77, k as u64) % 11 {
                0 => u32::NONE,
                1 => i,
                _ => order.get(k + 1).copied().unwrap_or(i),
            };
        }
        next
    }

    proptest! {
        /// Short lists with many sublists and many levels agree with the plain walk, in both directions.
        #[test]
        fn tiny_tunings_agree_with_walks(n in 0usize..400, seed: u64, stride in 2usize..9, few in 1usize..5) {
            let (next, tuning) = (lists(n, seed), Tuning { stride, few });
            let weights: Vec<[i32; 3]> = (0..n).map(|i| [i as i32, -5, 1 << 30]).collect();
            for direction in [Direction::ToEnd, Direction::FromHead] {
                let expected = ranks(&next, direction, seed, None).unwrap();
                prop_assert_eq!(ranks(&next, direction, seed, Some(tuning)).unwrap(), expected);
                let expected = sums(&next, &weights, direction, seed, None).unwrap();
                prop_assert_eq!(sums(&next, &weights, direction, seed, Some(tuning)).unwrap(), expected);
            }
        }

        /// Any links at all: the same ranks or the same error.
        #[test]
        fn bad_lists_are_the_same_errors(mut next in prop::collection::vec(0u32..30, 0..30), seed: u64) {
            let n = next.len() as u32;
            next.iter_mut().filter(|to| **to > n).for_each(|to| *to = u32::NONE);
            let expected = ranks(&next, Direction::ToEnd, seed, None);
            for stride in [2, 3, 7] {
                prop_assert_eq!(&ranks(&next, Direction::ToEnd, seed, Some(Tuning { stride, few: 1 })), &expected);
            }
        }
    }
}
