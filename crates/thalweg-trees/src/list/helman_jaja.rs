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

use std::marker::PhantomData;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

use rayon::prelude::*;

use super::links::{check_range, diagnose, follow};
use super::{Direction, Load, Words, mix, sequential};
use thalweg_core::atomic_set::AtomicSet;
use thalweg_core::error::try_filled;
use thalweg_core::memory::{Aligned, collected};
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

pub(super) fn rank<P: Position, L: Load>(next: &[P], load: &L, direction: Direction, seed: u64) -> Result<Vec<L::Out>> {
    rank_tuned(next, load, direction, seed, Tuning::default())
}

fn rank_tuned<P: Position, L: Load>(
    next: &[P],
    load: &L,
    direction: Direction,
    seed: u64,
    tuning: Tuning,
) -> Result<Vec<L::Out>> {
    check_range("element", next)?;
    let len = next.len();
    let ranks = if L::ONES && len <= Counts::<L::Words>::MOST {
        let mut words = Aligned::zeroed(len, "cells of a list")?;
        Walks { next, load, cells: Counts::<L::Words>(atomic(&mut words), PhantomData) }
            .rank(direction, seed, tuning)?
    } else {
        let mut words = Aligned::zeroed(len.saturating_mul(Sums::<L::Words>::STRIDE), "cells of a list")?;
        Walks { next, load, cells: Sums::<L::Words>(atomic(&mut words), PhantomData) }.rank(direction, seed, tuning)?
    };
    ranks.ok_or_else(|| diagnose(next))
}

/// The words of cells, which threads may write at the same time.
fn atomic(words: &mut [u64]) -> &[AtomicU64] {
    // SAFETY: the same size and alignment, and the exclusive borrow becomes a shared one of the same life.
    unsafe { &*(std::ptr::from_mut(words) as *const [AtomicU64]) }
}

/// No link.
const END: usize = usize::MAX;

/// What a cell says.
enum Seen<W> {
    /// Nobody has been here: where the link leads, or [`END`], and the element's weight.
    Fresh(usize, W),
    /// The element belongs to a sublist; the sum of the weights before it.
    Walked(usize, W),
    /// A sublist begins here.
    Start(usize),
}

/// A cell for every element. All access is atomic: see the module's text.
trait Cells: Sync {
    type Words: Words;
    fn set_fresh(&self, i: usize, link: usize, weight: Self::Words);
    fn set_walked(&self, i: usize, sublist: usize, before: Self::Words);
    fn set_start(&self, i: usize, sublist: usize);
    fn get(&self, i: usize) -> Seen<Self::Words>;
    /// Whether nobody has been here.
    fn is_fresh(&self, i: usize) -> bool;
    fn prefetch(&self, i: usize);
}

/// Set in a cell when somebody has been there.
const WALKED: u64 = 1 << 63;
/// Set in a cell of [`Sums`] where a sublist begins.
const START: u64 = 1 << 62;

/// Cells of one word, for elements that weigh 1: the link, or the sublist and the number of elements before.
struct Counts<'c, W>(&'c [AtomicU64], PhantomData<W>);

impl<W> Counts<'_, W> {
    /// Elements at most.
    const MOST: usize = (1 << 31) - 1;
}

impl<W: Words> Cells for Counts<'_, W> {
    type Words = W;

    #[inline(always)]
    fn set_fresh(&self, i: usize, link: usize, _: W) {
        self.0[i].store(link as u64 & !WALKED, Ordering::Relaxed);
    }

    #[inline(always)]
    fn set_walked(&self, i: usize, sublist: usize, before: W) {
        self.0[i].store(WALKED | (sublist as u64) << 32 | before.word(0), Ordering::Relaxed);
    }

    #[inline(always)]
    fn set_start(&self, i: usize, sublist: usize) {
        self.set_walked(i, sublist, W::ZERO);
    }

    #[inline(always)]
    fn get(&self, i: usize) -> Seen<W> {
        let word = self.0[i].load(Ordering::Relaxed);
        let sublist = (word & !WALKED) >> 32;
        match (word & WALKED, word as u32) {
            (0, _) => Seen::Fresh(if word == !WALKED { END } else { word as usize }, W::from_fn(|_| 1)),
            (_, 0) => Seen::Start(sublist as usize),
            (_, before) => Seen::Walked(sublist as usize, W::from_fn(|_| before.into())),
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
struct Sums<'c, W>(&'c [AtomicU64], PhantomData<W>);

impl<W: Words> Sums<'_, W> {
    /// Words of a cell: a power of two, so that it lies in one cache line if it can.
    const STRIDE: usize = (1 + W::COUNT).next_power_of_two();

    #[inline(always)]
    fn set(&self, i: usize, word: u64, words: W) {
        let cell = &self.0[i * Self::STRIDE..][..Self::STRIDE];
        cell[0].store(word, Ordering::Relaxed);
        for c in 0..W::COUNT {
            cell[1 + c].store(words.word(c), Ordering::Relaxed);
        }
    }
}

impl<W: Words> Cells for Sums<'_, W> {
    type Words = W;

    #[inline(always)]
    fn set_fresh(&self, i: usize, link: usize, weight: W) {
        self.set(i, link as u64 & !WALKED, weight);
    }

    #[inline(always)]
    fn set_walked(&self, i: usize, sublist: usize, before: W) {
        self.set(i, WALKED | sublist as u64, before);
    }

    #[inline(always)]
    fn set_start(&self, i: usize, sublist: usize) {
        self.set(i, WALKED | START | sublist as u64, W::ZERO);
    }

    #[inline(always)]
    fn get(&self, i: usize) -> Seen<W> {
        let cell = &self.0[i * Self::STRIDE..][..Self::STRIDE];
        let word = cell[0].load(Ordering::Relaxed);
        let words = W::from_fn(|c| cell[1 + c].load(Ordering::Relaxed));
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
struct Sublist<W> {
    next: usize,
    sum: W,
}

/// A walk on its way.
#[derive(Clone, Copy)]
struct Lane<W> {
    at: usize,
    sublist: usize,
    sum: W,
}

/// Lists with their cells.
struct Walks<'l, P, L, C> {
    next: &'l [P],
    load: &'l L,
    cells: C,
}

impl<P: Position, L: Load, C: Cells<Words = L::Words>> Walks<'_, P, L, C> {
    /// The ranks, or `None` if these are no lists.
    fn rank(&self, direction: Direction, seed: u64, tuning: Tuning) -> Result<Option<Vec<L::Out>>> {
        let len = self.next.len();
        self.copy();
        let (mut walked, joined) = (AtomicUsize::new(0), AtomicBool::new(false));
        let mut starts: Vec<P> = collected(
            (0..len.div_ceil(tuning.stride)).into_par_iter().map(|k| {
                let (first, room) = (k * tuning.stride, tuning.stride.min(len - k * tuning.stride));
                P::new(first + (mix(seed, k as u64) % room as u64) as usize)
            }),
            "splitters of a list",
        )?;
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
        match rank_sublists(&sublists, direction, seed, tuning)? {
            Some(ranks) => self.finish(&ranks, direction),
            None => Ok(None),
        }
    }

    /// Fills the cells.
    fn copy(&self) {
        let len = self.next.len();
        (0..len.div_ceil(GRAIN)).into_par_iter().for_each(|block| {
            for i in block * GRAIN..len.min((block + 1) * GRAIN) {
                self.cells.set_fresh(i, follow(self.next, i).unwrap_or(END), self.load.of(i));
            }
        });
    }

    /// Walks the sublists that begin at `starts`, where nobody has been, the first of which has number `first`. Adds the
    /// number of elements to `walked`, and tells by `joined` if two walks met.
    fn walk(
        &self,
        starts: &[P],
        first: usize,
        walked: &AtomicUsize,
        joined: &AtomicBool,
    ) -> Result<Vec<Sublist<L::Words>>> {
        starts.par_iter().enumerate().with_min_len(GRAIN).for_each(|(k, i)| self.cells.set_start(i.get(), first + k));
        let mut sublists = try_filled(starts.len(), Sublist { next: END, sum: L::Words::ZERO }, "sublists")?;
        // Sublists have random lengths: many tasks a thread, of which each has many sublists.
        let task = (starts.len() / (8 * rayon::current_num_threads())).max(TASK);
        sublists.par_chunks_mut(task).zip(starts.par_chunks(task)).enumerate().for_each(|(k, (sublists, starts))| {
            let (steps, met) = self.walk_lanes(starts, first + k * task, sublists);
            walked.fetch_add(steps, Ordering::Relaxed);
            joined.fetch_or(met, Ordering::Relaxed);
        });
        Ok(sublists)
    }

    /// One task's share. Returns the number of elements, and whether a walk met another one.
    fn walk_lanes(&self, starts: &[P], first: usize, sublists: &mut [Sublist<L::Words>]) -> (usize, bool) {
        let mut waiting = 0..starts.len();
        let mut steps = starts.len();
        let mut met = false;
        let mut begin = |sublists: &mut [Sublist<L::Words>]| {
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
        let mut lanes = [Lane { at: 0, sublist: 0, sum: L::Words::ZERO }; LANES];
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
                        lane.sum = lane.sum.plus(weight);
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
    fn heads(&self) -> Result<Vec<P>> {
        let fresh: Vec<P> = positions_where(self.next.len(), |i| self.cells.is_fresh(i))?;
        let followers = AtomicSet::new(self.next.len(), "elements that follow others")?;
        fresh.par_iter().with_min_len(GRAIN).for_each(|i| {
            if let Some(j) = follow(self.next, i.get()) {
                followers.insert(j);
            }
        });
        compact(&fresh, |i| !followers.contains(i.get()))
    }

    /// The elements' ranks from those of their sublists.
    fn finish(&self, ranks: &[L::Words], direction: Direction) -> Result<Option<Vec<L::Out>>> {
        let all = AtomicBool::new(true);
        let out = collected(
            (0..self.next.len()).into_par_iter().with_min_len(GRAIN).map(|i| {
                let (sublist, before) = match self.cells.get(i) {
                    Seen::Walked(sublist, before) => (sublist, before),
                    Seen::Start(sublist) => (sublist, L::Words::ZERO),
                    Seen::Fresh(..) => {
                        all.store(false, Ordering::Relaxed);
                        return L::Out::default();
                    }
                };
                L::out(match direction {
                    Direction::ToEnd => ranks[sublist].minus(before),
                    Direction::FromHead => ranks[sublist].plus(before).plus(self.load.of(i)),
                })
            }),
            "ranks",
        )?;
        Ok(all.into_inner().then_some(out))
    }
}

/// For every sublist the sum from its start to the end of its list, or that of all sublists before it. `None` if two
/// sublists have the same successor or there is a cycle.
fn rank_sublists<W: Words>(
    sublists: &[Sublist<W>],
    direction: Direction,
    seed: u64,
    tuning: Tuning,
) -> Result<Option<Vec<W>>> {
    let followers = AtomicSet::new(sublists.len(), "sublists that follow others")?;
    // To a list, a sublist that follows itself would be a last one: it is a cycle with one splitter.
    let bad = |(k, sublist): (usize, &Sublist<W>)| {
        sublist.next == k || (sublist.next != END && followers.insert(sublist.next))
    };
    if sublists.par_iter().enumerate().any(bad) {
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
    let next: Vec<u64> = collected(links.par_iter().map(|&k| number[of(k).next]), "successors of sublists")?;
    let weights = links.par_iter().map(|&k| match direction {
        Direction::ToEnd if is_last(of(k).next) => of(k).sum.plus(sublists[of(k).next].sum),
        _ => of(k).sum,
    });
    let totals = Totals(collected(weights, "sums of sublists")?);
    let ranks = if links.len() <= tuning.few {
        sequential::rank(&next, &totals, direction)
    } else {
        rank_tuned(&next, &totals, direction, mix(seed, u64::MAX), tuning)
    };
    let ranks = match ranks {
        Ok(ranks) => ranks,
        Err(Error::Cycle { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok(Some(match direction {
        Direction::ToEnd => collected(
            (0..sublists.len()).into_par_iter().map(|k| match number[k].checked() {
                Some(q) => ranks[q].0,
                None => sublists[k].sum,
            }),
            "ranks of sublists",
        )?,
        Direction::FromHead => {
            let mut before = try_filled(sublists.len(), W::ZERO, "ranks of sublists")?;
            for (&k, rank) in links.iter().zip(&ranks) {
                before[of(k).next] = rank.0;
            }
            before
        }
    }))
}

/// Sums of sublists, to be summed again.
struct Totals<W>(Vec<W>);

/// A sum that is not turned into anything else.
#[derive(Clone, Copy)]
struct Plain<W>(W);

impl<W: Words> Default for Plain<W> {
    fn default() -> Self {
        Self(W::ZERO)
    }
}

impl<W: Words> Load for Totals<W> {
    type Words = W;
    type Out = Plain<W>;
    #[inline(always)]
    fn of(&self, element: usize) -> W {
        self.0[element]
    }
    #[inline(always)]
    fn out(sum: W) -> Plain<W> {
        Plain(sum)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Ones, Weights};
    use super::*;

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
                let (ones, load) = (Ones::<u32>(PhantomData), Weights(&weights));
                let expected = sequential::rank(&next, &ones, direction).unwrap();
                prop_assert_eq!(rank_tuned(&next, &ones, direction, seed, tuning).unwrap(), expected);
                let expected = sequential::rank(&next, &load, direction).unwrap();
                prop_assert_eq!(rank_tuned(&next, &load, direction, seed, tuning).unwrap(), expected);
            }
        }

        /// Any links at all: the same ranks or the same error.
        #[test]
        fn bad_lists_are_the_same_errors(mut next in prop::collection::vec(0u32..30, 0..30), seed: u64) {
            let n = next.len() as u32;
            next.iter_mut().filter(|to| **to > n).for_each(|to| *to = u32::NONE);
            let ones = Ones::<u32>(PhantomData);
            let expected = sequential::rank(&next, &ones, Direction::ToEnd);
            for stride in [2, 3, 7] {
                let got = rank_tuned(&next, &ones, Direction::ToEnd, seed, Tuning { stride, few: 1 });
                prop_assert_eq!(&got, &expected);
            }
        }
    }
}
