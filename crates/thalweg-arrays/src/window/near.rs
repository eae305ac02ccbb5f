//! Narrow windows: a task's elements with all that a window can reach are in the cache, and go through [`super::lanes`].

use std::ops::Range;

use super::lanes::{Columns, Near, Pair, SINGLE, joined, room, slid_to_b, slide, slide_to_places, slide_to_values};
use super::task::{Job, Places, Told, Unsigned, Width};
use thalweg_core::Rank;

/// Windows that a task answers at least, and bytes of a column of these: with positions there are four, and they are in the first-level
/// cache.
const TASK: usize = 1 << 12;
const COLUMN: usize = 1 << 13;

/// Dense windows of a task.
pub(super) fn task<R: Rank>(width: usize, with_positions: bool) -> usize {
    if with_positions { TASK.min(COLUMN / size_of::<R>()).max(4 * width) } else { TASK.max(4 * width) }
}

/// Dense windows that go through the columns together where no positions are asked for: few, so that the next ones are read soon after these
/// were written.
pub(super) fn piece<R: Rank>(width: usize) -> usize {
    (COLUMN / 2 / size_of::<R>()).max(4 * width)
}

/// A thread's working memory.
#[derive(Debug, Default)]
pub(super) struct Scratch<W> {
    a: Columns<W>,
    b: Columns<W>,
    /// Places of narrow windows.
    near: [Vec<Near>; 2],
}

impl<W: Rank> Scratch<W> {
    /// Ranks of `used` elements from `start` on, and the worst behind them.
    fn load<R: Width>(&mut self, job: &Job<'_, R>, start: isize, used: usize) {
        let (ranks, behind) = self.a.keys.split_at_mut(used);
        job.load(start, ranks);
        behind.fill(W::WORST);
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
    scratch.load(job, start, count + width - 1);
    // SAFETY: the caller's promise.
    if let Some(told) = unsafe { straight::<R, W, ARG>(job, scratch, first, count) } {
        return told;
    }
    let Scratch { a, b, .. } = scratch;
    slide::<W, ARG>(a.slices(), b.slices(), width, count);
    let mut found = if slid_to_b::<W>(width) { b.slices() } else { a.slices() };
    found.keys = &mut found.keys[..count];
    // SAFETY: the caller's promise.
    unsafe { job.emit::<W, ARG>(first, found, start, &mut Unsigned::default()) }
}

/// Writes values or places straight from the last pass, if they alone are asked for and windows are few spans, of which none has the
/// worst rank where places are asked for. Otherwise `None`, and the ranks are as they were.
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
    let Scratch { a, b, near } = scratch;
    if width > joined::<W>() || job.plan.stride > 1 {
        return None;
    }
    match (job.values, job.positions) {
        (Some(values), None) if !ARG => {
            // SAFETY: inside, as the plan counts them, and by the caller nobody else's.
            let values = unsafe { values.slice_mut(range) };
            let keys = |keys| R::of_bits_mut(W::erase_mut(keys)).expect("ranks without positions have the keys' width");
            let [a, b] = [a, b].map(|columns| Pair { keys: keys(&mut columns.keys), at: &mut [] });
            let [worst, zero] = match job.order.float {
                true => slide_to_values::<R, true>(a, b, width, job.order, values),
                false => slide_to_values::<R, false>(a, b, width, job.order, values),
            };
            Some(job.told(first, count, worst, zero, &mut Unsigned::default()))
        }
        (None, Some(places)) if ARG && a.keys.len() <= 1 << Near::BITS => {
            let told = if width <= SINGLE {
                // SAFETY: as above.
                unsafe { places_alone(job, [a.slices(), b.slices()], places, range) }
            } else {
                near.iter_mut().for_each(|at| at.resize(a.keys.len(), 0));
                let [near_a, near_b] = near;
                let a = Pair { keys: &mut a.keys, at: near_a };
                let b = Pair { keys: &mut b.keys, at: near_b };
                // SAFETY: as above.
                unsafe { places_alone(job, [a, b], places, range) }
            };
            if !told {
                scratch.load(job, job.start(first), count + width - 1);
            }
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
    places: Places<'_>,
    windows: Range<usize>,
) -> bool {
    let (width, base) = (job.plan.width, job.start(windows.start) + job.offset as isize);
    !match places {
        // SAFETY: inside, as the plan counts them, and by the caller nobody else's.
        Places::U32(places) => slide_to_places(a, b, width, base, unsafe { places.slice_mut(windows) }),
        // SAFETY: as above.
        Places::U64(places) => slide_to_places(a, b, width, base, unsafe { places.slice_mut(windows) }),
    }
}
