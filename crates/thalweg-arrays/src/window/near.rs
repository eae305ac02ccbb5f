//! Narrow windows: a task's elements with all that a window can reach are in the cache, and go through [`super::lanes`].

use std::ops::Range;

use super::choices::{self, Choices};
use super::lanes::{
    Column, Columns, Near, Pair, SINGLE, joined, room, slid_to_b, slide, slide_to_places, slide_to_values,
};
use super::rows;
use super::task::{Job, Places, Told, Unsigned, Width};
use thalweg_core::Rank;

/// Windows of a piece at most, where they are narrow, and bytes of a column of these: with positions there are four, and they are in the
/// first-level cache.
const PIECE: usize = 1 << 12;
const COLUMN: usize = 1 << 13;

/// Pieces that are answered by ranks after one with a NaN among its elements.
const PATIENCE: u32 = 15;

/// Dense windows of a task.
pub(super) fn task(width: usize) -> usize {
    4 * PIECE.max(width)
}

/// Dense windows that go through the columns together: few, so that the next ones are read soon after these were written.
pub(super) fn piece<R: Rank>(width: usize, with_positions: bool) -> usize {
    let windows = if !with_positions {
        column::<R>()
    } else if rows::apply::<R>() && width <= choices::WIDEST {
        // In the first-level cache with their bits, though each piece reads a window beside its own elements (2^24 on two quiet cores, pieces of
        // 1,024, 2,048 and 4,096: `f64`, windows of 100 take 0.60, 0.77, 0.72 ns, of 256 0.70, 0.77, 0.77; `f32`, of 60 0.39, 0.47 for the first two).
        PIECE / 4
    } else {
        PIECE.min(2 * column::<R>())
    };
    windows.max(4 * width)
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
    /// Keys where windows reach over the array's ends.
    beyond: Column<W>,
    choices: Choices,
    /// Whether keys are floats that are compared as they are.
    floats: bool,
    /// Pieces that are still not to be tried so.
    skip: u32,
}

impl<W: Rank> Scratch<W> {
    /// Ranks of `used` elements for windows from `first` on, and the worst behind them.
    fn load<R: Width>(&mut self, job: &Job<'_, R>, first: usize, used: usize) {
        let (ranks, behind) = self.a.keys.split_at_mut(used);
        job.load_for(first, ranks);
        behind.fill(W::WORST);
    }

    /// Spans for windows from `first` on, over `used` elements, from registers, and how long they are; with choices, if these are asked for.
    /// `None` where registers do not shift.
    fn load_spans<R: Width, const ARG: bool>(&mut self, job: &Job<'_, R>, first: usize, used: usize) -> Option<usize> {
        if !rows::apply_to(job) {
            return None;
        }
        let (width, start) = (job.plan.width, job.start(first));
        let span = rows::span_of::<R>(width, ARG);
        let count = used + 1 - span;
        let needed = rows::keys_read::<R>(count, span);
        let inside = usize::try_from(start).ok().and_then(|start| job.array.get(start..start + needed));
        let keys = match inside {
            Some(keys) => keys,
            // Places of wider windows are not known to be counted from the array's first element on.
            None if ARG && width > choices::WIDEST => return None,
            None => {
                self.beyond.resize(needed);
                let keys = R::of_bits_mut(W::erase_mut(&mut self.beyond))?;
                continued(job.array, start, keys);
                keys
            }
        };
        let ranks = R::of_bits_mut(W::erase_mut(&mut self.a.keys))?;
        if ARG {
            self.choices.begin(count, span);
        }
        let spans = rows::Spans { keys, order: job.order, span, count, answers: job.answers(first) };
        self.floats = false;
        if ARG && job.order.float && width <= choices::WIDEST {
            self.floats = self.skip == 0 && spans.find_floats(ranks, &mut self.choices);
            if self.floats {
                return Some(span);
            }
            self.skip = self.skip.checked_sub(1).unwrap_or(PATIENCE);
            self.choices.begin(count, span);
        }
        spans.find(ranks, ARG.then_some(&mut self.choices));
        Some(span)
    }

    /// Joins the spans, so long, of so many windows until they are these; or as far as choices reach, if windows are wider.
    fn join_spans<R: Width>(&mut self, span: usize, width: usize, count: usize) {
        let ranks = R::of_bits_mut(W::erase_mut(&mut self.a.keys)).expect("spans from registers have the keys' width");
        let mut done = span;
        while done < width {
            let distance = done.min(width - done);
            done += distance;
            rows::join(ranks, self.floats, distance, count + width - done, &mut self.choices, done == width);
        }
    }
}

/// Keys from `start` on; what is before the array, or behind it, is as its first element or its last one, and so no better than a window's best.
fn continued<R: Rank>(array: &[R], start: isize, keys: &mut [R]) {
    let at = |i: usize| (start + i as isize).clamp(0, array.len() as isize) as usize;
    let inside = at(0)..at(keys.len());
    let (before, rest) = keys.split_at_mut((inside.start as isize - start) as usize);
    let (middle, behind) = rest.split_at_mut(inside.len());
    before.fill(array[0]);
    middle.copy_from_slice(&array[inside]);
    behind.fill(array[array.len() - 1]);
}

/// Bytes of it, at most.
pub(super) fn scratch_bytes<W: Rank>(width: usize, with_at: bool) -> usize {
    let element = if with_at { 4 * size_of::<W>() + 2 * size_of::<Near>() } else { 2 * size_of::<W>() };
    let room = room::<W>(PIECE.max(4 * width), width);
    // With keys beyond the ends.
    room * (element + size_of::<W>()) + if with_at { Choices::bytes(room) } else { 0 }
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

/// Writes values or places straight from the last pass, if they alone are asked for and windows are few spans; `None` if not, or if windows
/// of the worst rank are padded.
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
    let used = count + width - 1;
    let spans = scratch.load_spans::<R, ARG>(job, first, used);
    let done = spans.unwrap_or_else(|| {
        scratch.load(job, first, used);
        1
    });
    match (job.values, job.positions) {
        (Some(values), None) if !ARG => {
            // SAFETY: inside, as the plan counts them, and by the caller nobody else's.
            let values = unsafe { values.slice_mut(range) };
            let keys = |keys| R::of_bits_mut(W::erase_mut(keys)).expect("ranks without positions have the keys' width");
            let [a, b] =
                [&mut scratch.a, &mut scratch.b].map(|columns| Pair { keys: keys(&mut columns.keys), at: &mut [] });
            let [worst, zero] = match job.order.float {
                true => slide_to_values::<R, true>(a, b, done, width, job.order, values),
                false => slide_to_values::<R, false>(a, b, done, width, job.order, values),
            };
            Some(job.told(first, count, worst, zero, &mut Unsigned::default()))
        }
        (None, Some(places)) if ARG && spans.is_some() && width <= choices::WIDEST => {
            scratch.join_spans::<R>(done, width, count);
            let base = job.start(first) + job.offset as isize;
            let before = job.start(first).min(0).unsigned_abs();
            match places {
                // SAFETY: as above.
                Places::U32(places) => scratch.choices.put(base, before, unsafe { places.slice_mut(range) }),
                // SAFETY: as above.
                Places::U64(places) => scratch.choices.put(base, before, unsafe { places.slice_mut(range) }),
            }
            Some(Told::Yes)
        }
        (None, Some(places)) if ARG && width <= SINGLE => {
            let Scratch { a, b, .. } = scratch;
            // SAFETY: as above.
            let told = unsafe { places_alone(job, [a.slices(), b.slices()], done, places, range) };
            told.then_some(Told::Yes)
        }
        (None, Some(places)) if ARG => {
            let Scratch { a, b, near, choices, .. } = scratch;
            near.iter_mut().for_each(|at| at.resize(a.keys.len()));
            if spans.is_some() {
                choices.near(&mut near[0][..used + 1 - done]);
            }
            let [near_a, near_b] = near;
            let a = Pair { keys: &mut a.keys, at: near_a };
            let b = Pair { keys: &mut b.keys, at: near_b };
            // SAFETY: as above.
            let told = unsafe { places_alone(job, [a, b], done, places, range) };
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
