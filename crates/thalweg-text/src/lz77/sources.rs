//! Certain sources: the leftmost or the nearest earlier occurrence of every phrase.
//!
//! The suffixes that begin with a phrase are an interval of the suffix array, the largest one around the phrase's own
//! suffix in which no common prefix is shorter than the phrase: two searches in a tree of minima over LCP. In that
//! interval,
//!
//! - the *leftmost* occurrence is the minimum of the suffix array: a range minimum query;
//! - the *nearest* is the largest entry below the phrase's position. Going through the text from left to right, a tree of
//!   maxima over the ranks of the positions passed so far answers it, and since later positions are larger, an insertion
//!   only overwrites. The lowest level of the tree is the suffix array itself, compared with the position.
//!
//! The phrases are cut into parts, one a thread; each starts with the tree of all positions before its own, which is one
//! pass over the suffix array. Work O(n · threads + z log n) for z phrases. Memory besides text, suffix array and phrases:
//! inverse and LCP array, trees of n/15 and, for every thread, n/63 entries.
#![allow(unsafe_code)]

use super::Source;
use super::factors::Entry;
use crate::permutation::inverse;
use crate::stage::{Stage, Watcher};
use crate::suffix_array::lcp::lcp_as;
use crate::tasks::try_tasks;
use thalweg_arrays::Rmq;
use thalweg_arrays::ansv::min_tree::MinTree;
use thalweg_core::bits::words;
use thalweg_core::coding::Ranking;
use thalweg_core::disjoint::Disjoint;
use thalweg_core::error::{try_filled, try_with_capacity};
use thalweg_core::memory::computed;
use thalweg_core::parallel::for_each_chunk_mut;
use thalweg_core::{Error, Order, Position, Rank, Result};

/// Phrases whose intervals are held at a time.
const BATCH: usize = 1 << 20;

/// Children of a node in the tree of maxima.
const FANOUT: usize = 64;

/// Replaces the sources of all phrases. Makes the LCP array unless it is given.
///
/// If order or LCP array are not the text's, the sources are not right, and may not lie before their phrases.
///
/// # Safety
/// The suffix array is a permutation of the text's positions.
pub(super) unsafe fn choose<P: Position>(
    text: &[u8],
    sa: &[P],
    lcp: Option<&[P]>,
    phrases: &mut [Entry<P>],
    source: Source,
    watcher: Watcher<'_>,
) -> Result<()> {
    // LCP first: it takes another array while it is made.
    let made;
    let lcp = match lcp {
        Some(lcp) => lcp,
        None => {
            watcher.enter(Stage::Lcp);
            // SAFETY: the caller's promise.
            made = unsafe { lcp_as(text, sa)? };
            &made
        }
    };
    watcher.enter(Stage::Inverse);
    // SAFETY: the caller's promise.
    let ranks = unsafe { inverse(sa)? };
    watcher.enter(Stage::Sources);
    let intervals = Intervals { ranks: &ranks, tree: MinTree::build(words(lcp), Ranking::of::<P>(Order::Min))? };
    match source {
        Source::Any => Ok(()),
        Source::Leftmost => leftmost(sa, phrases, &intervals),
        Source::Nearest => nearest(sa, phrases, &intervals),
    }
}

/// What arrays from elsewhere may lead to.
fn not_of_the_text() -> Error {
    let reason = "phrases, suffix array and LCP array are not those of one text".to_owned();
    Error::BadOption { option: "phrases", reason }
}

/// Finds the suffixes that begin with a phrase.
struct Intervals<'i, P: Position> {
    ranks: &'i [P],
    tree: MinTree<'i, P::Rank>,
}

impl<P: Position> Intervals<'_, P> {
    /// First and last rank of the suffixes that begin as the one at `position`, for `length` symbols.
    fn of(&self, position: usize, length: usize) -> Result<[usize; 2]> {
        let rank = self.ranks[position].get();
        let shorter = |common: P::Rank| common.to_u64() < length as u64;
        // The first suffix has nothing in common with one before it.
        let first = self.tree.last_before(rank + 1, shorter).ok_or_else(not_of_the_text)?;
        let last = self.tree.first_from(rank + 1, shorter).map_or(self.ranks.len(), |next| next) - 1;
        Ok([first, last])
    }
}

/// Where the first of every `chunk` phrases begins, and the end of the text.
fn starts<P: Position>(phrases: &[Entry<P>], chunk: usize) -> Result<Vec<usize>> {
    let extent = |part: usize| {
        let phrases = phrases[part * chunk..].iter().take(chunk);
        phrases.map(|phrase| phrase[1].get().max(1)).sum::<usize>()
    };
    let mut starts = computed(phrases.len().div_ceil(chunk), 1, "where phrases begin", extent)?;
    let mut position = 0;
    for start in &mut starts {
        let extent = *start;
        *start = position;
        position += extent;
    }
    Ok(starts)
}

fn leftmost<P: Position>(sa: &[P], phrases: &mut [Entry<P>], intervals: &Intervals<'_, P>) -> Result<()> {
    const CHUNK: usize = 1 << 12;
    let rmq = Rmq::new(sa)?;
    let mut queries = try_filled(phrases.len().min(BATCH), [P::new(0); 2], "intervals of phrases")?;
    let mut answers = try_filled(phrases.len().min(BATCH), P::new(0), "sources")?;
    let starts = starts(phrases, CHUNK)?;
    for (phrases, starts) in phrases.chunks_mut(BATCH).zip(starts.chunks(BATCH / CHUNK)) {
        let (queries, answers) = (&mut queries[..phrases.len()], &mut answers[..phrases.len()]);
        let shared = Disjoint::new(queries);
        try_tasks(phrases.len(), CHUNK, &|range| {
            let mut position = starts[range.start / CHUNK];
            // SAFETY: as many queries as phrases, and ranges do not overlap.
            let queries = unsafe { shared.slice_mut(range.clone()) };
            for (phrase, query) in phrases[range].iter().zip(queries) {
                let length = phrase[1].get();
                // A literal has no source; any range will do.
                *query = if length == 0 { [P::new(0); 2] } else { intervals.of(position, length)?.map(P::new) };
                position += length.max(1);
            }
            Ok(())
        })?;
        rmq.values(queries, answers)?;
        for_each_chunk_mut(phrases, CHUNK, &|start, phrases| {
            for (phrase, &source) in phrases.iter_mut().zip(&answers[start..]) {
                if phrase[1] != P::new(0) {
                    phrase[0] = source;
                }
            }
        });
    }
    Ok(())
}

fn nearest<P: Position>(sa: &[P], phrases: &mut [Entry<P>], intervals: &Intervals<'_, P>) -> Result<()> {
    let chunk = phrases.len().div_ceil(rayon::current_num_threads()).max(1 << 10);
    let starts = starts(phrases, chunk)?;
    let shared = Disjoint::new(phrases);
    try_tasks(shared.len(), chunk, &|range| {
        let mut position = starts[range.start / chunk];
        let mut recent = Recent::before(sa, position)?;
        // SAFETY: inside, and ranges do not overlap.
        for phrase in unsafe { shared.slice_mut(range) } {
            let length = phrase[1].get();
            if length > 0 {
                let [first, last] = intervals.of(position, length)?;
                phrase[0] = P::new(recent.latest(first, last, position).ok_or_else(not_of_the_text)?);
            }
            for passed in position..position + length.max(1) {
                recent.insert(intervals.ranks[passed].get(), passed);
            }
            position += length.max(1);
        }
        Ok(())
    })
}

/// The latest position, of those passed so far, in any range of ranks.
struct Recent<'s, P> {
    sa: &'s [P],
    /// Maxima of groups of [`FANOUT`] ranks, then of groups of those, down to a level of one group. Positions count from 1;
    /// 0 is none.
    levels: Vec<Vec<P>>,
}

/// A position below `bound`, counted from 1; or 0.
#[inline(always)]
fn below<P: Position>(position: P, bound: P) -> P {
    if position < bound { P::new(position.get() + 1) } else { P::new(0) }
}

/// The largest of some.
#[inline(always)]
fn largest<P: Position>(of: impl Iterator<Item = P>) -> P {
    of.fold(P::new(0), |best, one| if one > best { one } else { best })
}

impl<'s, P: Position> Recent<'s, P> {
    /// All positions before `start`.
    fn before(sa: &'s [P], start: usize) -> Result<Self> {
        let mut levels: Vec<Vec<P>> = Vec::new();
        loop {
            let len = levels.last().map_or(sa.len(), Vec::len);
            if len <= FANOUT && !levels.is_empty() {
                return Ok(Self { sa, levels });
            }
            let mut level = try_with_capacity(len.div_ceil(FANOUT), "the tree of positions")?;
            match levels.last() {
                None => {
                    level.extend(sa.chunks(FANOUT).map(|group| largest(group.iter().map(|&p| below(p, P::new(start))))))
                }
                Some(under) => level.extend(under.chunks(FANOUT).map(|group| largest(group.iter().copied()))),
            }
            levels.push(level);
        }
    }

    /// Adds the next position.
    #[inline(always)]
    fn insert(&mut self, rank: usize, position: usize) {
        let mut node = rank;
        for level in &mut self.levels {
            node /= FANOUT;
            level[node] = P::new(position + 1);
        }
    }

    /// The latest position in a range of ranks, both ends inclusive, before `bound`, up to which all have been added.
    fn latest(&self, first: usize, last: usize, bound: usize) -> Option<usize> {
        let bound = P::new(bound);
        let scan = |from: usize, to: usize| largest(self.sa[from..to].iter().map(|&p| below(p, bound)));
        let (mut first, mut end) = (first, last + 1);
        let mut best;
        if end - first <= 2 * FANOUT {
            best = scan(first, end);
        } else {
            let (inner, inner_end) = (first.next_multiple_of(FANOUT), end / FANOUT * FANOUT);
            best = scan(first, inner).max(scan(inner_end, end));
            (first, end) = (inner / FANOUT, inner_end / FANOUT);
            for level in &self.levels {
                if end - first <= 2 * FANOUT {
                    best = best.max(largest(level[first..end].iter().copied()));
                    break;
                }
                let (inner, inner_end) = (first.next_multiple_of(FANOUT), end / FANOUT * FANOUT);
                let ends = level[first..inner].iter().chain(&level[inner_end..end]);
                best = best.max(largest(ends.copied()));
                (first, end) = (inner / FANOUT, inner_end / FANOUT);
            }
        }
        best.get().checked_sub(1)
    }
}
