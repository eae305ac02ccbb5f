//! Windows by leaps: a window's best stays that of the next ones, until an element enters that is better, or until it leaves. The
//! first is looked for a vector register at a time; in the second case the next window is looked through as a whole. On data
//! without a trend either happens once in a window's width of windows, so the answers are a few long stretches, written as
//! such, with their positions or without.
//!
//! Where the data rises, or has many equal elements, every window has another best. After twice as many leaps as random data has it
//! gives up, and the rest goes another way ([`super::near`], [`super::far`]); and so do the next tasks of the thread, unasked.
#![allow(unsafe_code)]

use std::ops::Range;

use super::lanes::{joined, lanes};
use super::past::{self, Writer};
use super::rows;
use super::task::{Job, Places, Width};
use thalweg_core::{Position, Rank, dispatch};

/// Ranks that are looked at together: one to eight vector registers.
const BATCH: usize = 64;

/// The widest windows of this way: the ranks of a task are in the second-level cache.
const WIDEST: usize = 1 << 14;

/// The narrowest ones: a leap costs some 60 cycles and more, which a window's width must be worth. Below, lanes are faster, and without
/// positions longer so; but [`rows`] come first (2^24 `f32` on two threads, lanes and leaps: positions at 128 take 0.71 and 0.73 ns an
/// element, at 200 1.0 and 0.58; values at 150 0.53 and 0.62, at 200 0.60 and 0.60).
const fn narrowest<R: Width>(with_positions: bool) -> usize {
    let width = if with_positions { joined::<R::Wide>() + 1 } else { 12 * lanes::<R>() };
    if width > BATCH { width } else { BATCH }
}

/// Tasks that are not tried after one that was given up.
const PATIENCE: u32 = 7;

/// Whether windows go by leaps, as long as the data does not rise.
pub(super) fn apply<R: Width>(job: &Job<'_, R>) -> bool {
    !rows::are_best(job) && (narrowest::<R>(job.positions.is_some())..=WIDEST).contains(&job.plan.width)
}

/// Dense windows of a task: its first window is looked through for it alone.
pub(super) fn task(width: usize) -> usize {
    (8 * width).max(1 << 13)
}

/// A thread's working memory.
#[derive(Debug, Default)]
pub(super) struct Scratch<R> {
    ranks: Vec<R>,
    leaps: Vec<Leap>,
    /// Tasks that are still not to be tried.
    skip: u32,
}

/// Bytes of it, at most, for keys of so many bytes.
pub(super) fn scratch_bytes(width: usize, bytes: usize) -> usize {
    if width <= WIDEST { (task(width) + width + BATCH) * bytes } else { 0 }
}

/// Windows up to one, exclusive, whose best is at the same place; both count from the task's first.
#[derive(Clone, Copy, Debug, Default)]
struct Leap {
    until: u32,
    place: u32,
}

/// Answers dense windows of `range` from its start on, as many as leaps are worth it; tells how many.
///
/// # Safety
/// Nobody else writes them.
pub(super) unsafe fn solve<R: Width>(job: &Job<'_, R>, scratch: &mut Scratch<R>, range: Range<usize>) -> usize {
    let Scratch { ranks, leaps, skip } = scratch;
    if *skip > 0 {
        *skip -= 1;
        return 0;
    }
    let (width, count) = (job.plan.width, range.len());
    let used = count + width - 1;
    // A batch can be read from every element on.
    ranks.resize(used + BATCH, R::WORST);
    let start = job.start(range.start);
    // What is written past the caches is not asked for.
    let all = job.plan.count;
    let answers = job.answers(range.start).filter(|&(_, bytes)| !past::is_best(all * bytes));
    job.load_and_ask(start, &mut ranks[..used], answers);
    ranks[used..].fill(R::WORST);
    // On random data one in a window's width leaves, and as many enter.
    let expected = count / width + 4;
    leaps.resize(4 * expected, Leap::default());
    let found = find(ranks, width, count, 2 * expected, leaps);
    let leaps = &leaps[..found];
    let done = leaps.last().map_or(0, |leap| leap.until as usize);
    if done < count {
        *skip = PATIENCE;
    }
    let range = range.start..range.start + done;
    let place = |leap: &Leap| (leap.place as usize).wrapping_add_signed(start);
    if job.plan.stride > 1 {
        let mut first = range.start;
        for leap in leaps {
            let end = range.start + leap.until as usize;
            // SAFETY: the caller's promise.
            unsafe { job.same(first..end, place(leap)) };
            first = end;
        }
        return done;
    }
    if let Some(to) = job.values {
        // SAFETY: inside, as the plan counts them, and by the caller nobody else's.
        let to = unsafe { to.slice_mut(range.clone()) };
        spread(leaps, leaps.iter().map(|leap| job.array[place(leap)]), to, all);
    }
    let position = |leap: &Leap| place(leap) + job.offset;
    match job.positions {
        Some(Places::U32(to)) => {
            // SAFETY: as above.
            let to = unsafe { to.slice_mut(range) };
            spread(leaps, leaps.iter().map(|leap| u32::new(position(leap))), to, all);
        }
        Some(Places::U64(to)) => {
            // SAFETY: as above.
            let to = unsafe { to.slice_mut(range) };
            spread(leaps, leaps.iter().map(|leap| u64::new(position(leap))), to, all);
        }
        None => {}
    }
    done
}

/// The first in `range` of ranks that are, or `range.end`. A batch behind its end can be read.
#[inline(always)]
fn first<R: Rank>(ranks: &[R], range: Range<usize>, is: impl Fn(R) -> bool + Copy) -> usize {
    let mut at = range.start;
    while at < range.end {
        let batch: &[R; BATCH] = ranks[at..].first_chunk().expect("a batch can be read");
        let mut are = [0u8; BATCH];
        for i in 0..BATCH {
            are[i] = u8::from(is(batch[i]));
        }
        let (words, _) = are.as_chunks::<8>();
        if words.iter().fold(0, |any, word| any | u64::from_le_bytes(*word)) != 0 {
            for (i, word) in words.iter().enumerate() {
                let word = u64::from_le_bytes(*word);
                if word > 0 {
                    return (at + 8 * i + word.trailing_zeros() as usize / 8).min(range.end);
                }
            }
        }
        at += BATCH;
    }
    range.end
}

/// The least of at least a batch, of which the last may overlap the one before.
#[inline(always)]
fn least<R: Rank>(ranks: &[R]) -> R {
    let mut best: [R; BATCH] = *ranks.last_chunk().expect("a batch");
    for batch in ranks.as_chunks::<BATCH>().0 {
        for i in 0..BATCH {
            best[i] = if batch[i] < best[i] { batch[i] } else { best[i] };
        }
    }
    best.iter().fold(R::WORST, |least, &rank| if rank < least { rank } else { least })
}

#[inline(always)]
fn find_body<R: Rank>(ranks: &[R], width: usize, count: usize, looks: usize, leaps: &mut [Leap]) -> usize {
    let used = count + width - 1;
    let (mut found, mut from) = (0, 0);
    'looks: for _ in 0..looks {
        let mut best = least(&ranks[from..from + width]);
        if best == R::WORST {
            break;
        }
        let mut place = first(ranks, from..from + width, |rank| rank == best);
        let mut next = from + width;
        loop {
            // While it is inside.
            let end = (place + width).min(used);
            let better = first(ranks, next..end, |rank| rank < best);
            let Some(leap) = leaps.get_mut(found) else { break 'looks };
            *leap = Leap { until: (better + 1 - width) as u32, place: place as u32 };
            found += 1;
            if better == used {
                break 'looks;
            }
            if better == end {
                break;
            }
            (best, place, next) = (ranks[better], better, better + 1);
        }
        from = place + 1;
    }
    found
}

dispatch! {
    /// Finds the best of windows, one that begins at each of the first `count` ranks, and tells how many leaps there are: they
    /// end early where there is no more room for them, after so many looks through a window, and before one of the worst
    /// rank. A batch behind the last window can be read.
    fn find<R: Rank>(ranks: &[R], width: usize, count: usize, looks: usize, leaps: &mut [Leap]) -> usize = find_body::<R>;
}

/// Every leap's answer to all of its windows, of which there are so many in all.
fn spread<R: Rank>(leaps: &[Leap], answers: impl Iterator<Item = R>, to: &mut [R], all: usize) {
    if past::is_best(all * size_of::<R>()) {
        let mut writer = Writer::new(to, R::WORST);
        leaps.iter().zip(answers).for_each(|(leap, answer)| writer.go_on(leap.until as usize, answer));
        return writer.finish();
    }
    let answers: Vec<R> = answers.collect();
    write(leaps, &answers, to);
}

/// Rows are written as a whole: what is too much is overwritten by the next leap.
#[inline(always)]
fn write_body<R: Rank>(leaps: &[Leap], answers: &[R], to: &mut [R]) {
    let row = BATCH / size_of::<R>();
    let mut at = 0;
    for (leap, &answer) in leaps.iter().zip(answers) {
        let until = leap.until as usize;
        while at < until {
            match to.get_mut(at..at + row) {
                Some(row) => row.fill(answer),
                None => to[at..].fill(answer),
            }
            at += row;
        }
        at = until;
    }
}

dispatch! {
    fn write<R: Rank>(leaps: &[Leap], answers: &[R], to: &mut [R]) = write_body::<R>;
}
