//! Windows along one line: by leaps ([`super::leaps`]) where these are worth it, else narrow ones in lanes ([`super::near`],
//! [`super::rows`]) and wide ones by chunks ([`super::far`]); those of any bounds, or far apart, by notes ([`super::ragged`]); parallel
//! over pieces of the answers.
#![allow(unsafe_code)]

use std::ops::Range;

use super::shape::{Border, Windows};
use super::task::{Job, Places, Told, Width};
use super::{far, leaps, near, ragged, rows};
use crate::scratch::Pool;
use thalweg_core::coding::Ranking;
use thalweg_core::disjoint::Disjoint;
use thalweg_core::parallel::{for_each_chunk, try_for_each_chunk};
use thalweg_core::{Error, Position, Rank, Result};

/// A stride from which on windows are looked at one by one, where they are narrow. Not measured.
const APART: usize = 16;

/// Working memory of narrow windows, without and with positions.
pub(super) struct Scratches<R: Width> {
    leaps: Pool<leaps::Scratch<R>>,
    plain: Pool<near::Scratch<R>>,
    with_positions: Pool<near::Scratch<R::Wide>>,
}

impl<R: Width> Default for Scratches<R> {
    fn default() -> Self {
        Self { leaps: Pool::new(), plain: Pool::new(), with_positions: Pool::new() }
    }
}

/// Windows of one width. Positions count from `offset` on.
#[allow(clippy::too_many_arguments)]
pub(super) fn regular<R: Width>(
    array: &[R],
    order: Ranking<R>,
    windows: &Windows,
    fill: R,
    values: Option<Disjoint<'_, R>>,
    positions: Option<Places<'_>>,
    offset: usize,
    scratches: &Scratches<R>,
) -> Result<()> {
    let plan = windows.plan(array.len());
    if plan.stride >= APART && plan.width < far::WIDE {
        let window = |j: usize| plan.range(j, array.len());
        one_by_one(array, order, plan.count, &window, fill, values, positions, offset)?;
    } else {
        dense(&Job { array, order, plan, values, positions, offset }, scratches)?;
    }
    if windows.border == Border::Fill {
        let (left, right) = windows.incomplete(array.len());
        fill_with(0..left, fill, values, positions);
        fill_with(right..plan.count, fill, values, positions);
    }
    Ok(())
}

/// Answers of windows that have none.
pub(super) fn fill_with<R: Rank>(
    windows: Range<usize>,
    fill: R,
    values: Option<Disjoint<'_, R>>,
    positions: Option<Places<'_>>,
) {
    for_each_chunk(windows.len(), 1 << 16, &|range| {
        let range = windows.start + range.start..windows.start + range.end;
        // SAFETY: inside, and ranges do not overlap; whoever wrote these answers has ended.
        unsafe {
            if let Some(values) = values {
                values.slice_mut(range.clone()).fill(fill);
            }
            if let Some(positions) = positions {
                positions.clear(range);
            }
        }
    });
}

/// Windows one after the other, by notes.
#[allow(clippy::too_many_arguments)]
pub(super) fn one_by_one<R: Width>(
    array: &[R],
    order: Ranking<R>,
    count: usize,
    window: &(dyn Fn(usize) -> Range<usize> + Sync),
    fill: R,
    values: Option<Disjoint<'_, R>>,
    positions: Option<Places<'_>>,
    offset: usize,
) -> Result<()> {
    // A task makes notes of its first window, which may be wide: few tasks.
    let task = count.div_ceil(2 * rayon::current_num_threads()).max(1 << 12);
    let run = |range: Range<usize>| {
        let mut found = |j: usize, found: Option<usize>| {
            // SAFETY: one of the task's own windows, and there is a place for each.
            unsafe {
                if let Some(values) = values {
                    values.put(j, found.map_or(fill, |at| array[at]));
                }
                if let Some(positions) = positions {
                    positions.put(j, found.map(|at| offset + at));
                }
            }
        };
        ragged::solve(array, order, range, window, &mut found).is_ok()
    };
    if try_for_each_chunk(count, task, &run) {
        return Ok(());
    }
    let widest = (0..count).map(|j| window(j).len()).max().unwrap_or(0);
    Err(Error::OutOfMemory { bytes: widest * size_of::<usize>(), what: "minima of a window" })
}

/// Windows that are close to each other.
fn dense<R: Width>(job: &Job<'_, R>, scratches: &Scratches<R>) -> Result<()> {
    if job.plan.width < far::WIDE {
        narrow(job, scratches);
        return Ok(());
    }
    let leaps = &scratches.leaps;
    if job.positions.is_none() && wide::<R, R, false>(job, leaps)? == Told::Yes {
        return Ok(());
    }
    // A task counts elements from the array's start.
    if u32::fits(job.array.len()) {
        wide::<R, R::Wide, true>(job, leaps)?
    } else {
        wide::<R, u64, true>(job, leaps)?
    };
    Ok(())
}

fn narrow<R: Width>(job: &Job<'_, R>, scratches: &Scratches<R>) {
    let width = job.plan.width;
    if !leaps::apply(job) {
        return for_each_chunk(job.plan.dense_count(), near::task(width), &|range| in_lanes(job, scratches, range));
    }
    for_each_chunk(job.plan.dense_count(), leaps::task(width), &|range| {
        // SAFETY: ranges do not overlap.
        let done = scratches.leaps.with(|scratch| unsafe { leaps::solve(job, scratch, range.clone()) });
        in_lanes(job, scratches, range.start + done..range.end);
    });
}

/// A task's windows, nobody else's.
fn in_lanes<R: Width>(job: &Job<'_, R>, scratches: &Scratches<R>, range: Range<usize>) {
    if range.is_empty() {
        return;
    }
    if rows::apply_to(job) && job.values.is_some() && job.positions.is_some() {
        // One after the other: to take values along costs more than to read keys again that are in the cache.
        in_lanes(&Job { positions: None, ..*job }, scratches, range.clone());
        return in_lanes(&Job { values: None, ..*job }, scratches, range);
    }
    let told = job.positions.is_none() && scratches.plain.with(|scratch| values_in_lanes(job, scratch, &range));
    if !told {
        let piece = near::piece::<R>(job.plan.width, true);
        scratches.with_positions.with(|scratch| {
            for first in range.clone().step_by(piece) {
                // SAFETY: the task's own windows.
                unsafe { near::solve::<R, R::Wide, true>(job, scratch, first, piece.min(range.end - first)) };
            }
        });
    }
}

/// Values of a task's windows, if they can be told without positions.
fn values_in_lanes<R: Width>(job: &Job<'_, R>, scratch: &mut near::Scratch<R>, range: &Range<usize>) -> bool {
    let piece = near::piece::<R>(job.plan.width, false);
    range.clone().step_by(piece).all(|first| {
        // SAFETY: the task's own windows.
        let told = unsafe { near::solve::<R, R, false>(job, scratch, first, piece.min(range.end - first)) };
        told == Told::Yes
    })
}

fn wide<R: Width, W: Rank, const ARG: bool>(job: &Job<'_, R>, leaps: &Pool<leaps::Scratch<R>>) -> Result<Told> {
    let known = far::look::<R, W>(job)?;
    let scratch = Pool::<far::Scratch<W>>::new();
    let count = job.plan.dense_count();
    let leap = leaps::apply(job);
    let told = try_for_each_chunk(count, far::task::<R>(job.plan.width, count), &|range| {
        // SAFETY: ranges do not overlap.
        let done = if leap { leaps.with(|scratch| unsafe { leaps::solve(job, scratch, range.clone()) }) } else { 0 };
        let (first, left) = (range.start + done, range.len() - done);
        // SAFETY: as above.
        left == 0
            || scratch.with(|scratch| unsafe { far::solve::<R, W, ARG>(job, scratch, &known, first, left) })
                == Told::Yes
    });
    Ok(if told { Told::Yes } else { Told::No })
}
