//! Narrow windows: a task's elements with all that a window can reach are in the cache, and go through [`super::lanes`].

use super::lanes::{Columns, Pair, joined, room, slid_to_b, slide, slide_to_places};
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
}

/// Bytes of it, at most.
pub(super) fn scratch_bytes<W: Rank>(width: usize, with_at: bool) -> usize {
    room::<W>(TASK.max(4 * width), width) * size_of::<W>() * if with_at { 4 } else { 2 }
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
    let (Scratch { a, b }, room) = (scratch, room::<W>(count, width));
    a.resize(room, ARG);
    b.resize(room, ARG);
    load(job, start, count + width - 1, &mut a.keys);
    // SAFETY: the caller's promise.
    if ARG && width <= joined::<W>() && unsafe { places_alone(job, a.slices(), b.slices(), first, count) } {
        return Told::Yes;
    }
    slide::<W, ARG>(a.slices(), b.slices(), width, count);
    let mut found = if slid_to_b::<W>(width) { b.slices() } else { a.slices() };
    found.keys = &mut found.keys[..count];
    // SAFETY: the caller's promise.
    unsafe { job.emit::<W, ARG>(first, found, start, &mut Unsigned::default()) }
}

/// Writes places straight from the last pass, if nothing else is asked for and no window has the worst rank. If it does not, the keys
/// are as they were.
///
/// # Safety
/// As for [`solve`].
#[allow(unsafe_code)]
unsafe fn places_alone<R: Width, W: Rank>(
    job: &Job<'_, R>,
    mut a: Pair<'_, W>,
    b: Pair<'_, W>,
    first: usize,
    count: usize,
) -> bool {
    let (width, start) = (job.plan.width, job.start(first));
    if job.values.is_some() || job.plan.stride > 1 {
        return false;
    }
    let (range, base) = (first..first + count, start + job.offset as isize);
    let has_worst = match job.positions {
        Some(Places::U32(places)) => {
            // SAFETY: inside, as the plan counts them, and by the caller nobody else's.
            let places = unsafe { places.slice_mut(range) };
            slide_to_places(a.reborrow(), b, width, base, places)
        }
        Some(Places::U64(places)) => {
            // SAFETY: as above.
            let places = unsafe { places.slice_mut(range) };
            slide_to_places(a.reborrow(), b, width, base, places)
        }
        None => return false,
    };
    if has_worst {
        load(job, start, count + width - 1, a.keys);
    }
    !has_worst
}

/// Ranks of elements, and the worst behind them.
fn load<R: Width, W: Rank>(job: &Job<'_, R>, start: isize, used: usize, keys: &mut [W]) {
    job.load(start, &mut keys[..used]);
    keys[used..].fill(W::WORST);
}
