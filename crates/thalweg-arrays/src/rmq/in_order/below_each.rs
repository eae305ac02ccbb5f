//! What is not above its threshold, in many ranges: walks beside each other.
//!
//! How much there is, nobody knows before: every task lists what it finds, and the lists are put together afterwards. Where
//! there are few ranges they are cut into pieces first, so that all threads, and all misses of a thread, have something to do.
#![allow(unsafe_code)]

use std::sync::Mutex;

use super::below::{Step, Walk};
use super::{PORTION, Ranks, ranks_of};
use crate::rmq::{RmqEngine, expect_thresholds};
use thalweg_core::bits::Bits;
use thalweg_core::disjoint::Disjoint;
use thalweg_core::memory::try_with_large_capacity;
use thalweg_core::parallel::{for_each_chunk, try_for_each_chunk};
use thalweg_core::{Coding, Error, Pairs, Position, Positions, Result};

/// What [`Rmq::below_each`](crate::Rmq::below_each) has found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed<P> {
    /// How many positions every range has.
    pub lengths: Vec<P>,
    /// All positions: those of the first range, of the second and so on, each in ascending order.
    pub positions: Vec<P>,
}

impl<P: Position> Listed<P> {
    /// The positions of every range in turn.
    ///
    /// ```
    /// # use thalweg_arrays as thalweg;
    /// let found = thalweg::Rmq::new(&[3, 1, 2])?.below_each(&[[0u32, 2], [0, 0], [1, 1]], &[2])?;
    /// assert_eq!(found.rows().collect::<Vec<_>>(), [&[1, 2][..], &[], &[1]]);
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[P]> {
        let mut rest = &self.positions[..];
        self.lengths.iter().map(move |length| {
            let (row, others) = rest.split_at(length.get());
            rest = others;
            row
        })
    }
}

/// [`RmqEngine::below`], by an engine's batches of positions, for `portion` ranges at a time.
///
/// # Errors
/// Those of [`RmqEngine::below`].
pub fn below_each(
    engine: &dyn RmqEngine,
    coding: Coding,
    queries: Pairs<'_>,
    thresholds: Bits<'_>,
    portion: usize,
) -> Result<[Positions; 2]> {
    expect_thresholds(queries, thresholds, coding.bytes())?;
    let ranks = ranks_of(engine, coding, queries)?;
    match queries {
        Pairs::U32(queries) => list(engine, ranks, queries, thresholds, portion.max(1)),
        Pairs::U64(queries) => list(engine, ranks, queries, thresholds, portion.max(1)),
    }
}

fn list<P: Position>(
    engine: &dyn RmqEngine,
    ranks: Ranks<'_>,
    queries: &[[P; 2]],
    thresholds: Bits<'_>,
    portion: usize,
) -> Result<[Positions; 2]> {
    // Pieces of a row. They depend on the number of threads, what they find together does not.
    let pieces = (PORTION.min(portion) * rayon::current_num_threads()).checked_div(queries.len()).unwrap_or(1).max(1);
    let piece = |i: usize| {
        let (row, piece) = (i / pieces, i % pieces);
        let [left, right] = queries[row].map(P::get);
        let (len, most) = (right - left + 1, ranks.of(thresholds, if thresholds.len() == 1 { 0 } else { row }));
        let cut = |piece: usize| (len as u128 * piece as u128 / pieces as u128) as usize;
        let (first, end) = (left + cut(piece), left + cut(piece + 1));
        ((first < end).then(|| (first, end - 1)), most)
    };
    let count = queries.len() * pieces;
    let mut lengths = try_with_large_capacity::<P>(count, LENGTHS)?;
    lengths.resize(count, P::default());
    let mut lists = try_with_large_capacity::<Vec<P>>(count.div_ceil(portion), LENGTHS)?;
    lists.resize_with(count.div_ceil(portion), Vec::new);
    let failure = Mutex::new(None);
    let (lengths_place, lists_place) = (Disjoint::new(&mut lengths), Disjoint::new(&mut lists));
    let whole = try_for_each_chunk(count, portion, &|range| {
        let chunk = range.start / portion;
        // SAFETY: inside, and every task has its own.
        let (lengths, lists) =
            unsafe { (lengths_place.slice_mut(range.clone()), lists_place.slice_mut(chunk..chunk + 1)) };
        let mut walks = Portion::new(ranks);
        for i in range {
            walks.add(piece(i));
        }
        match walks.list(engine, lengths) {
            Ok(list) => {
                lists[0] = list;
                true
            }
            Err(error) => {
                *failure.lock().expect("nobody panics with it") = Some(error);
                false
            }
        }
    });
    if !whole {
        return Err(failure.into_inner().expect("nobody panics with it").expect("a task that fails says why"));
    }
    Ok([P::list(rows(lengths, pieces)), P::list(together(&lists)?)])
}

const LENGTHS: &str = "lengths of lists";
const POSITIONS: &str = "positions of a batch";

/// The lengths of rows, from those of their pieces.
fn rows<P: Position>(mut lengths: Vec<P>, pieces: usize) -> Vec<P> {
    if pieces > 1 {
        let rows = lengths.len() / pieces;
        for row in 0..rows {
            let length = lengths[row * pieces..(row + 1) * pieces].iter().map(|length| length.get()).sum();
            lengths[row] = P::new(length);
        }
        lengths.truncate(rows);
    }
    lengths
}

/// One list of many.
fn together<P: Position>(lists: &[Vec<P>]) -> Result<Vec<P>> {
    let mut starts = Vec::with_capacity(lists.len());
    let mut all = 0;
    for list in lists {
        starts.push(all);
        all += list.len();
    }
    let mut positions = try_with_large_capacity(all, POSITIONS)?;
    let place = Disjoint::uninit(&mut positions.spare_capacity_mut()[..all]);
    for_each_chunk(lists.len(), 1, &|range| {
        for i in range {
            // SAFETY: lists follow each other, and the last one ends where the memory does.
            unsafe { place.copy_from(starts[i], &lists[i]) };
        }
    });
    // SAFETY: the lists have filled all of it.
    unsafe { positions.set_len(all) };
    Ok(positions)
}

/// Walks of one thread.
struct Portion<'r, P> {
    ranks: Ranks<'r>,
    walks: Vec<(Walk<'r>, Vec<P>)>,
}

impl<'r, P: Position> Portion<'r, P> {
    fn new(ranks: Ranks<'r>) -> Self {
        Self { ranks, walks: Vec::with_capacity(PORTION) }
    }

    fn add(&mut self, (range, most): (Option<(usize, usize)>, u64)) {
        let mut walk = Walk::new(self.ranks);
        walk.begin(range, most);
        self.walks.push((walk, Vec::new()));
    }

    /// What all walks find, one after the other, and how much each does.
    fn list(mut self, engine: &dyn RmqEngine, lengths: &mut [P]) -> Result<Vec<P>> {
        let (mut questions, mut answers) = (Vec::<[P; 2]>::with_capacity(PORTION), Vec::<P>::with_capacity(PORTION));
        let mut active: Vec<usize> = (0..self.walks.len()).collect();
        while !active.is_empty() {
            questions.clear();
            let mut failure = Ok(());
            active.retain(|&i| {
                let (walk, found) = &mut self.walks[i];
                match next_question(walk, found) {
                    Ok(Some(question)) => questions.push(question),
                    Ok(None) => return false,
                    Err(error) => failure = Err(error),
                }
                true
            });
            failure?;
            answers.resize(questions.len(), P::default());
            engine.positions(P::pairs(&questions), P::buffer(&mut answers))?;
            for position in &answers {
                self.ranks.prefetch(position.get());
            }
            for (&i, position) in active.iter().zip(&answers) {
                self.walks[i].0.answer(position.get());
            }
        }
        let all = self.walks.iter().map(|(_, found)| found.len()).sum();
        if let [(_, found)] = &mut self.walks[..] {
            lengths[0] = P::new(all);
            return Ok(std::mem::take(found));
        }
        let mut list = try_with_large_capacity(all, POSITIONS)?;
        for ((_, found), length) in self.walks.iter().zip(lengths) {
            *length = P::new(found.len());
            list.extend_from_slice(found);
        }
        Ok(list)
    }
}

/// Lists what can be listed, up to the next range whose least element has to be found.
fn next_question<P: Position>(walk: &mut Walk<'_>, list: &mut Vec<P>) -> Result<Option<[P; 2]>> {
    while let Some(step) = walk.step() {
        match step {
            Step::Question(left, right) => return Ok(Some([P::new(left), P::new(right)])),
            Step::Found(block, mut found) => {
                let bytes = list.len().saturating_mul(2 * size_of::<P>());
                let count = found.count_ones() as usize;
                list.try_reserve(count).map_err(|_| Error::OutOfMemory { bytes, what: POSITIONS })?;
                while found != 0 {
                    list.push(P::new(block + found.trailing_zeros() as usize));
                    found &= found - 1;
                }
            }
        }
    }
    Ok(None)
}
