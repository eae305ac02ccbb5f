//! The smallest elements of many ranges: walks beside each other, or, of short ranges, a sort.
#![allow(unsafe_code)]

use std::sync::Mutex;

use super::smallest::Walk;
use super::{Ranks, ranks_of};
use crate::rmq::{RmqEngine, expect_rows};
use thalweg_core::disjoint::Disjoint;
use thalweg_core::parallel::try_for_each_chunk;
use thalweg_core::{Coding, Error, Pairs, Position, PositionsMut, Result};

/// A range of at most so many elements for each that is asked for is sorted. Not measured.
const SORTED: usize = 16;
/// Elements that a task tells at least, where there are enough rows.
const TOLD: usize = 1 << 11;

/// [`RmqEngine::smallest`], by an engine's batches of positions, for `portion` ranges at a time.
///
/// # Errors
/// Those of [`RmqEngine::smallest`].
pub fn smallest_each(
    engine: &dyn RmqEngine,
    coding: Coding,
    queries: Pairs<'_>,
    each: usize,
    out: PositionsMut<'_>,
    portion: usize,
) -> Result<()> {
    expect_rows(queries, each, &out)?;
    let ranks = ranks_of(engine, coding, queries)?;
    match (queries, out) {
        (Pairs::U32(queries), PositionsMut::U32(out)) => rows(engine, ranks, queries, each, out, portion),
        (Pairs::U64(queries), PositionsMut::U64(out)) => rows(engine, ranks, queries, each, out, portion),
        _ => unreachable!("queries and positions have one width"),
    }
}

fn rows<P: Position>(
    engine: &dyn RmqEngine,
    ranks: Ranks<'_>,
    queries: &[[P; 2]],
    each: usize,
    out: &mut [P],
    portion: usize,
) -> Result<()> {
    if each == 0 {
        return Ok(());
    }
    // Few rows are for all threads; many are for tasks that are worth their while.
    let portion = queries.len().div_ceil(rayon::current_num_threads()).clamp(1, portion.max(1));
    let chunk = (TOLD / each).next_multiple_of(portion).max(portion);
    let (out, failure) = (Disjoint::new(out), Mutex::new(None));
    let whole = try_for_each_chunk(queries.len(), chunk, &|rows| {
        // SAFETY: inside, and every task has its own rows.
        let out = unsafe { out.slice_mut(rows.start * each..rows.end * each) };
        let mut task = Task::new(engine, ranks, portion);
        let mut portions = queries[rows].chunks(portion).zip(out.chunks_mut(portion * each));
        match portions.try_for_each(|(queries, out)| task.tell(queries, each, out)) {
            Ok(()) => true,
            Err(error) => {
                *failure.lock().expect("nobody panics with it") = Some(error);
                false
            }
        }
    });
    let error = failure.into_inner().expect("nobody panics with it");
    if whole { Ok(()) } else { Err(error.expect("a task that fails says why")) }
}

/// What a task needs again for every portion.
struct Task<'e, P> {
    engine: &'e dyn RmqEngine,
    ranks: Ranks<'e>,
    walks: Vec<Walk<'e>>,
    /// The rows that are walked.
    walked: Vec<usize>,
    questions: Vec<[P; 2]>,
    answers: Vec<P>,
    narrow: Vec<u64>,
    wide: Vec<u128>,
}

impl<'e, P: Position> Task<'e, P> {
    fn new(engine: &'e dyn RmqEngine, ranks: Ranks<'e>, portion: usize) -> Self {
        let walks = (0..portion).map(|_| Walk::new(ranks)).collect();
        let (walked, questions, answers) = (Vec::new(), Vec::new(), Vec::new());
        Self { engine, ranks, walks, walked, questions, answers, narrow: Vec::new(), wide: Vec::new() }
    }

    /// The answers of a portion.
    fn tell(&mut self, queries: &[[P; 2]], each: usize, out: &mut [P]) -> Result<()> {
        self.walked.clear();
        for (row, query) in queries.iter().enumerate() {
            let [left, right] = query.map(P::get);
            if (right - left) / SORTED < each {
                self.sort(left, right, &mut out[row * each..(row + 1) * each])?;
            } else {
                self.walks[row].begin(left, right);
                self.walked.push(row);
            }
        }
        if self.walked.is_empty() {
            return Ok(());
        }
        for told in 0..each {
            self.questions.clear();
            for &row in &self.walked {
                self.questions.extend(self.walks[row].questions().iter().map(|range| range.map(P::new)));
            }
            self.answers.resize(self.questions.len(), P::default());
            self.engine.positions(P::pairs(&self.questions), P::buffer(&mut self.answers))?;
            for position in &self.answers {
                self.ranks.prefetch(position.get());
            }
            let mut answers = &self.answers[..];
            for &row in &self.walked {
                let walk = &mut self.walks[row];
                let (own, others) = answers.split_at(walk.questions().len());
                let mut positions = [0; 2];
                positions.iter_mut().zip(own).for_each(|(to, position)| *to = position.get());
                answers = others;
                walk.answer(positions);
                out[row * each + told] = walk.next().map_or(P::NONE, P::new);
            }
        }
        Ok(())
    }

    /// The answer of a row from a range that is not much longer.
    fn sort(&mut self, left: usize, right: usize, out: &mut [P]) -> Result<()> {
        let Self { ranks, narrow, wide, .. } = self;
        // Offsets of more than 32 bits have no room beside a rank of 32.
        if ranks.is_narrow() && right - left <= u32::MAX as usize {
            sort(*ranks, [left, right], out, narrow, |rank, i| rank << 32 | i as u64, |both| both as u32 as usize)
        } else {
            sort(
                *ranks,
                [left, right],
                out,
                wide,
                |rank, i| u128::from(rank) << 64 | i as u128,
                |both| both as u64 as usize,
            )
        }
    }
}

/// Sorts a range's ranks, each with its offset below it, as far as `out` has places for them.
fn sort<P: Position, T: Copy + Ord>(
    ranks: Ranks<'_>,
    [left, right]: [usize; 2],
    out: &mut [P],
    items: &mut Vec<T>,
    pack: impl Fn(u64, usize) -> T,
    offset: impl Fn(T) -> usize,
) -> Result<()> {
    let (len, told) = (right - left + 1, out.len().min(right - left + 1));
    let bytes = len.saturating_mul(size_of::<T>());
    items.clear();
    items.try_reserve(len).map_err(|_| Error::OutOfMemory { bytes, what: "ranks of a range" })?;
    ranks.each(left, right, |rank, position| items.push(pack(rank, position - left)));
    if told < len {
        items.select_nth_unstable(told);
        items.truncate(told);
    }
    items.sort_unstable();
    for (to, &item) in out.iter_mut().zip(&*items) {
        *to = P::new(left + offset(item));
    }
    out[told..].fill(P::NONE);
    Ok(())
}
