//! How the CPU's engines answer batches: cut into chunks, for all threads.
//!
//! An engine answers one query, or a chunk of a batch on one thread: [`CpuEngine`]. [`OnCpu`] makes an [`RmqEngine`] of
//! it. What spreads the chunks sees neither the engine's type nor the widths of keys and positions, so that the thread
//! pool's machinery is compiled once and not for every engine.
#![allow(unsafe_code)]

use std::fmt;
use std::ops::Range;

use super::engine::{ChangingEngine, RmqEngine, expect_positions, expect_values, first_bad_query};
use super::explain::Explanation;
#[cfg(feature = "file")]
use super::file::contents::{Contents, not_saved};
use super::in_order::{PORTION as IN_ORDER, below_each, smallest_each};
use super::stages::PORTION;
use thalweg_core::bits::{Bits, BitsMut};
use thalweg_core::disjoint::Disjoint;
use thalweg_core::parallel::try_for_each_chunk;
use thalweg_core::simd::prefetch;
use thalweg_core::{Coding, Error, Pairs, Position, Positions, PositionsMut, Rank, Result, by_width};

/// Queries that one task answers: some 100 µs of work, enough to hide the cost of a task.
const CHUNK: usize = 1 << 13;

/// Queries whose positions are found before their values are looked up: an engine needs some time to begin.
const LOOKED_UP: usize = 8 * PORTION;

/// An engine written for one thread. It works on the bits of the keys: see [`thalweg_core::coding`].
pub(super) trait CpuEngine: Send + Sync {
    fn name(&self) -> &'static str;
    /// Length of the array.
    fn len(&self) -> usize;
    /// The array's bits, unless the index does without.
    fn array(&self) -> Option<Bits<'_>>;
    fn extra_bytes(&self) -> usize;
    fn position(&self, left: usize, right: usize) -> usize;

    /// How the range's answer is found, for engines that can tell.
    fn explain(&self, _left: usize, _right: usize) -> Option<Explanation> {
        None
    }

    /// The engine as one that follows changes, if it is one.
    fn as_changing(&mut self) -> Option<&mut dyn ChangingEngine> {
        None
    }

    /// What is saved of the index, for engines that have a form on disk: see [`super::file::SAVED`].
    #[cfg(feature = "file")]
    fn contents(&self) -> Result<Contents<'_>> {
        Err(not_saved(self.name()))
    }

    /// Answers a chunk of a batch whose output has its length and width, or returns `None` if one of the queries is bad.
    #[must_use]
    fn answer(&self, queries: Pairs<'_>, out: PositionsMut<'_>) -> Option<()> {
        match (queries, out) {
            (Pairs::U32(queries), PositionsMut::U32(out)) => one_by_one(self, queries, out),
            (Pairs::U64(queries), PositionsMut::U64(out)) => one_by_one(self, queries, out),
            _ => unreachable!("queries and positions have one width"),
        }
    }

    /// Whether the engine finds values by itself. For others they are looked up in the array.
    fn finds_values(&self) -> bool {
        false
    }

    /// As [`CpuEngine::answer`], for the values' bits, in the array's width.
    #[must_use]
    fn answer_values(&self, _queries: Pairs<'_>, _out: BitsMut<'_>) -> Option<()> {
        unreachable!("{} says that it finds no values", self.name())
    }
}

/// [`CpuEngine::answer`] for engines that have no better way.
#[inline(always)]
fn one_by_one<E: CpuEngine + ?Sized, P: Position>(engine: &E, queries: &[[P; 2]], out: &mut [P]) -> Option<()> {
    for (&[left, right], out) in queries.iter().zip(out) {
        if left > right || right.get() >= engine.len() {
            return None;
        }
        *out = P::new(engine.position(left.get(), right.get()));
    }
    Some(())
}

/// Makes an [`RmqEngine`] of a [`CpuEngine`].
pub(super) struct OnCpu<E>(pub(super) E);

impl<E: CpuEngine> fmt::Debug for OnCpu<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(engine) = self;
        f.debug_struct("OnCpu").field("name", &engine.name()).field("len", &engine.len()).finish_non_exhaustive()
    }
}

impl<E: CpuEngine> RmqEngine for OnCpu<E> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn extra_bytes(&self) -> usize {
        self.0.extra_bytes()
    }

    fn position(&self, left: usize, right: usize) -> usize {
        self.0.position(left, right)
    }

    fn value(&self, left: usize, right: usize) -> Option<u64> {
        let array = self.0.array()?;
        let position = self.0.position(left, right);
        Some(by_width!(Bits, array, array => array[position].to_u64()))
    }

    fn positions(&self, queries: Pairs<'_>, out: PositionsMut<'_>) -> Result<()> {
        positions(&self.0, queries, out)
    }

    fn values(&self, queries: Pairs<'_>, out: BitsMut<'_>) -> Result<()> {
        values(&self.0, queries, out)
    }

    fn array(&self) -> Option<Bits<'_>> {
        self.0.array()
    }

    fn smallest(&self, coding: Coding, queries: Pairs<'_>, each: usize, out: PositionsMut<'_>) -> Result<()> {
        smallest_each(self, coding, queries, each, out, IN_ORDER)
    }

    fn below(&self, coding: Coding, queries: Pairs<'_>, thresholds: Bits<'_>) -> Result<[Positions; 2]> {
        below_each(self, coding, queries, thresholds, IN_ORDER)
    }

    fn explain(&self, left: usize, right: usize) -> Option<Explanation> {
        self.0.explain(left, right)
    }

    fn as_changing(&mut self) -> Option<&mut dyn ChangingEngine> {
        self.0.as_changing()
    }

    #[cfg(feature = "file")]
    fn contents(&self) -> Result<Contents<'_>> {
        self.0.contents()
    }
}

fn positions(engine: &dyn CpuEngine, queries: Pairs<'_>, out: PositionsMut<'_>) -> Result<()> {
    expect_positions(queries, &out)?;
    match out {
        PositionsMut::U32(out) => {
            let out = Disjoint::new(out);
            in_chunks(engine, queries, &|range, queries| {
                // SAFETY: inside, and every chunk has its own.
                engine.answer(queries, PositionsMut::U32(unsafe { out.slice_mut(range) }))
            })
        }
        PositionsMut::U64(out) => {
            let out = Disjoint::new(out);
            in_chunks(engine, queries, &|range, queries| {
                // SAFETY: as above.
                engine.answer(queries, PositionsMut::U64(unsafe { out.slice_mut(range) }))
            })
        }
    }
}

fn values(engine: &dyn CpuEngine, queries: Pairs<'_>, out: BitsMut<'_>) -> Result<()> {
    let Some(array) = engine.array() else { return Err(Error::NoValues { engine: engine.name() }) };
    expect_values(queries, &out, array.width())?;
    by_width!(BitsMut, out, out => values_of(engine, array, queries, out))
}

fn values_of<R: Rank>(engine: &dyn CpuEngine, array: Bits<'_>, queries: Pairs<'_>, out: &mut [R]) -> Result<()> {
    let array = R::of_bits(array).expect("the widths have been compared");
    let out = Disjoint::new(out);
    in_chunks(engine, queries, &|range, queries| {
        // SAFETY: inside, and every chunk has its own.
        let out = unsafe { out.slice_mut(range) };
        if engine.finds_values() {
            engine.answer_values(queries, R::erase_mut(out))
        } else {
            look_up(engine, array, queries, out)
        }
    })
}

/// The values of a chunk, from their positions.
fn look_up<R: Rank>(engine: &dyn CpuEngine, array: &[R], queries: Pairs<'_>, out: &mut [R]) -> Option<()> {
    fn portions<R: Rank, P: Position>(
        engine: &dyn CpuEngine,
        array: &[R],
        queries: &[[P; 2]],
        out: &mut [R],
    ) -> Option<()> {
        let mut positions = [P::default(); LOOKED_UP];
        for (queries, out) in queries.chunks(LOOKED_UP).zip(out.chunks_mut(LOOKED_UP)) {
            let positions = &mut positions[..queries.len()];
            engine.answer(P::pairs(queries), P::buffer(positions))?;
            for (positions, out) in positions.chunks(PORTION).zip(out.chunks_mut(PORTION)) {
                for &position in positions {
                    prefetch(array, position.get());
                }
                for (&position, out) in positions.iter().zip(out) {
                    *out = array[position.get()];
                }
            }
        }
        Some(())
    }
    match queries {
        Pairs::U32(queries) => portions(engine, array, queries, out),
        Pairs::U64(queries) => portions(engine, array, queries, out),
    }
}

/// Answers the chunks of a batch on all threads, and finds the culprit in a bad one.
fn in_chunks(
    engine: &dyn CpuEngine,
    queries: Pairs<'_>,
    answer: &(dyn Fn(Range<usize>, Pairs<'_>) -> Option<()> + Sync),
) -> Result<()> {
    let chunk = |range: Range<usize>| {
        let queries = match queries {
            Pairs::U32(queries) => Pairs::U32(&queries[range.clone()]),
            Pairs::U64(queries) => Pairs::U64(&queries[range.clone()]),
        };
        answer(range, queries).is_some()
    };
    match try_for_each_chunk(queries.len(), CHUNK, &chunk) {
        true => Ok(()),
        false => Err(first_bad_query(queries, engine.len()).expect("an engine refused a batch that has no bad query")),
    }
}
