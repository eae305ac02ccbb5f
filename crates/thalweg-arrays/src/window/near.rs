//! Narrow windows: a task's elements with all that a window can reach are in the cache, and go through [`super::lanes`].

use super::lanes::{Columns, room, slid_to_b, slide};
use super::task::{Job, Told, Unsigned, Width};
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
    let used = count + width - 1;
    job.load(start, &mut a.keys[..used]);
    a.keys[used..].fill(W::WORST);
    slide::<W, ARG>(a.slices(), b.slices(), width, count);
    let mut found = if slid_to_b::<W>(width) { b.slices() } else { a.slices() };
    found.keys = &mut found.keys[..count];
    // SAFETY: the caller's promise.
    unsafe { job.emit::<W, ARG>(first, found, start, &mut Unsigned::default()) }
}
