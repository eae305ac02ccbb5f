//! Narrow windows: a task's elements with all that a window can reach are in the cache, and go through [`super::lanes`].

use std::ops::Range;

use super::lanes::{
    Column, Columns, Near, Pair, SINGLE, joined, room, slid_to_b, slide, slide_to_places, slide_to_values,
};
use super::rows;
use super::task::{Job, Places, Told, Unsigned, Width};
use thalweg_core::Rank;

/// Windows that a task answers at least, and bytes of a column of these: with positions there are four, and they are in the first-level
/// cache.
const TASK: usize = 1 << 12;
const COLUMN: usize = 1 << 13;

/// Dense windows of a task.
pub(super) fn task<R: Rank>(width: usize, with_positions: bool) -> usize {
    if with_positions { TASK.min(2 * column::<R>()).max(4 * width) } else { TASK.max(4 * width) }
}

/// Dense windows that go through the columns together where no positions are asked for: few, so that the next ones are read soon after these
/// were written.
pub(super) fn piece<R: Rank>(width: usize) -> usize {
    column::<R>().max(4 * width)
}

/// Elements of a column without positions. Spans from registers need two columns less, and begin with some rows of no use.
fn column<R: Rank>() -> usize {
    COLUMN / size_of::<R>() / if rows::apply::<R>() { 1 } else { 2 }
}

/// A thread's working memory.
#[derive(Debug, Default)]
pub(super) struct Scratch<W> {
    a: Columns<W>,
    b: Columns<W>,
    /// Places of narrow windows.
    near: [Column<Near>; 2],
}

impl<W: Rank> Scratch<W> {
    /// Ranks of `used` elements for windows from `first` on, and the worst behind them.
    fn load<R: Width>(&mut self, job: &Job<'_, R>, first: usize, used: usize) {
        let (ranks, behind) = self.a.keys.split_at_mut(used);
        job.load_for(first, ranks);
        behind.fill(W::WORST);
    }

    /// Spans for windows from `first` on, over `used` elements, and how long they are: as long as registers can make them, with places where
    /// these are asked for; or ranks, spans of one, which need none. What is behind them is of no use.
    fn load_spans<R: Width, const ARG: bool>(&mut self, job: &Job<'_, R>, first: usize, used: usize) -> usize {
        let (width, start) = (job.plan.width, job.start(first));
        let span = if ARG && width <= SINGLE { 1 } else { rows::span_of::<R>(width) };
        let count = used + 1 - span;
        // Neither at the array's start nor at its end, where something is missing.
        let keys = usize::try_from(start).ok();
        let keys = keys.and_then(|start| job.array.get(start..start + rows::keys_read::<R>(count, span)));
        let ranks = R::of_bits_mut(W::erase_mut(&mut self.a.keys));
        match (keys, ranks) {
            (Some(keys), Some(ranks)) if rows::apply_to(job) => {
                let places = (ARG && span > 1).then_some(&mut *self.near[0]);
                let answers = job.answers(first);
                rows::Spans { keys, order: job.order, span, count, answers }.find(ranks, places);
                span
            }
            _ => {
                self.load(job, first, used);
                1
            }
        }
    }
}

/// Bytes of it, at most.
pub(super) fn scratch_bytes<W: Rank>(width: usize, with_at: bool) -> usize {
    let element = if with_at { 4 * size_of::<W>() + 2 * size_of::<Near>() } else { 2 * size_of::<W>() };
    room::<W>(TASK.max(4 * width), width) * element
}

/// The answers of dense windows `first..first + count`.
///
/// # Safety
/// Nobody else writes them.
#[allow(unsafe_code)]
pub(super) unsafe fn solve<R: Width, W: Rank, const ARG: bool>(
    job: &Job<'_, R>,
    scratch: &mut Scratch<W>,
    first: usize,
    count: usize,
) -> Told {
    let (width, start) = (job.plan.width, job.start(first));
    let room = room::<W>(count, width);
    scratch.a.resize(room, ARG);
    scratch.b.resize(room, ARG);
    // SAFETY: the caller's promise.
    if let Some(told) = unsafe { straight::<R, W, ARG>(job, scratch, first, count) } {
        return told;
    }
    scratch.load(job, first, count + width - 1);
    let Scratch { a, b, .. } = scratch;
    slide::<W, ARG>(a.slices(), b.slices(), width, count);
    let mut found = if slid_to_b::<W>(width) { b.slices() } else { a.slices() };
    found.keys = &mut found.keys[..count];
    // SAFETY: the caller's promise.
    unsafe { job.emit::<W, ARG>(first, found, start, &mut Unsigned::default()) }
}

/// Writes values or places straight from the last pass, if they alone are asked for and windows are few spans, of which none has the
/// worst rank where places are asked for; otherwise `None`.
///
/// # Safety
/// As for [`solve`].
#[allow(unsafe_code)]
unsafe fn straight<R: Width, W: Rank, const ARG: bool>(
    job: &Job<'_, R>,
    scratch: &mut Scratch<W>,
    first: usize,
    count: usize,
) -> Option<Told> {
    let (width, range) = (job.plan.width, first..first + count);
    let alone = if ARG { job.values.is_none() } else { job.positions.is_none() };
    let few_spans = job.plan.stride == 1 && width <= joined::<W>() || rows::apply_to(job);
    if !alone || !few_spans || ARG && scratch.a.keys.len() > 1 << Near::BITS {
        return None;
    }
    if ARG && width > SINGLE {
        scratch.near.iter_mut().for_each(|at| at.resize(scratch.a.keys.len()));
    }
    let done = scratch.load_spans::<R, ARG>(job, first, count + width - 1);
    let Scratch { a, b, near } = scratch;
    match (job.values, job.positions) {
        (Some(values), None) if !ARG => {
            // SAFETY: inside, as the plan counts them, and by the caller nobody else's.
            let values = unsafe { values.slice_mut(range) };
            let keys = |keys| R::of_bits_mut(W::erase_mut(keys)).expect("ranks without positions have the keys' width");
            let [a, b] = [a, b].map(|columns| Pair { keys: keys(&mut columns.keys), at: &mut [] });
            let [worst, zero] = match job.order.float {
                true => slide_to_values::<R, true>(a, b, done, width, job.order, values),
                false => slide_to_values::<R, false>(a, b, done, width, job.order, values),
            };
            Some(job.told(first, count, worst, zero, &mut Unsigned::default()))
        }
        (None, Some(places)) if ARG => {
            let told = if width <= SINGLE {
                // SAFETY: as above.
                unsafe { places_alone(job, [a.slices(), b.slices()], done, places, range) }
            } else {
                let [near_a, near_b] = near;
                let a = Pair { keys: &mut a.keys, at: near_a };
                let b = Pair { keys: &mut b.keys, at: near_b };
                // SAFETY: as above.
                unsafe { places_alone(job, [a, b], done, places, range) }
            };
            told.then_some(Told::Yes)
        }
        _ => None,
    }
}

/// Writes places, and says whether they are right: not if a window has the worst rank.
///
/// # Safety
/// As for [`solve`].
#[allow(unsafe_code)]
unsafe fn places_alone<R: Width, W: Rank, A: Rank>(
    job: &Job<'_, R>,
    [a, b]: [Pair<'_, W, A>; 2],
    done: usize,
    places: Places<'_>,
    windows: Range<usize>,
) -> bool {
    let (width, base) = (job.plan.width, job.start(windows.start) + job.offset as isize);
    !match places {
        // SAFETY: inside, as the plan counts them, and by the caller nobody else's.
        Places::U32(places) => slide_to_places(a, b, done, width, base, unsafe { places.slice_mut(windows) }),
        // SAFETY: as above.
        Places::U64(places) => slide_to_places(a, b, done, width, base, unsafe { places.slice_mut(windows) }),
    }
}
