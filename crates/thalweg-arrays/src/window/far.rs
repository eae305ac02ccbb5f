//! Wide windows: chunks of a few thousand elements, whose minima are known.
//!
//! A window is the end of a chunk, whole chunks, and the beginning of another. The best of the whole chunks comes from a queue
//! of chunks' minima (those that are better than all behind them). It is one number for as long as both ends of the window
//! stay in their chunks, and the end and the beginning count only if their chunk's minimum is better: if not, the
//! answers are all the same, and the chunk is not read again. On data without a trend that is most chunks, so that an array
//! is read once; on any data at most three times.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};

use super::lanes::{Columns, Pair, lanes, prefixes, scan_room, scanned_to_b, suffixes};
use super::task::{Job, Told, Unsigned, Width, has_minus_zero};
use thalweg_core::error::try_filled;
use thalweg_core::parallel::{chunk_range, for_each_chunk_mut};
use thalweg_core::{Rank, Result, dispatch};

/// Elements of a chunk: two columns of 64 bits fit the first-level cache.
pub(super) const CHUNK: usize = 1 << 11;

/// The narrowest window of this way: with whole chunks in it.
pub(super) const WIDE: usize = 2 * CHUNK;

/// Bytes of a window up to which chunks are looked at again before they have left the second-level cache, so that tasks find
/// the minima on their way.
const CACHED: usize = 1 << 19;

/// The best rank of chunks, and its element.
type Best<W> = (W, W);

/// What is known of an array before tasks begin.
pub(super) struct Known<W> {
    /// Chunks' minima, where tasks would find them too late.
    minima: Vec<W>,
    /// Where zeros are but one.
    unsigned: Unsigned,
}

/// Looks at all chunks, unless tasks do that soon enough.
pub(super) fn look<R: Width, W: Rank>(job: &Job<'_, R>) -> Result<Known<W>> {
    if job.plan.width * size_of::<R>() <= CACHED {
        return Ok(Known { minima: Vec::new(), unsigned: Unsigned::default() });
    }
    let len = job.array.len();
    let mut minima = try_filled(len.div_ceil(CHUNK), W::WORST, "minima of chunks")?;
    let signed = AtomicBool::new(false);
    for_each_chunk_mut(&mut minima, 64, &|first, minima| {
        for (chunk, best) in (first..).zip(minima) {
            *best = minimum(job, chunk);
            if job.positions.is_none() && job.order.float && has_minus_zero(&job.array[chunk_range(chunk, CHUNK, len)])
            {
                signed.store(true, Ordering::Relaxed);
            }
        }
    });
    let unsigned = if signed.into_inner() { Unsigned::default() } else { Unsigned::all(len) };
    Ok(Known { minima, unsigned })
}

/// Dense windows of a task.
pub(super) fn task<R>(width: usize, count: usize) -> usize {
    if width * size_of::<R>() <= CACHED {
        8 * width
    } else {
        // Every task begins with a queue of all chunks of a window.
        (count / (8 * rayon::current_num_threads())).max(1 << 17)
    }
}

fn minimum<R: Width, W: Rank>(job: &Job<'_, R>, chunk: usize) -> W {
    W::from_u64(job.least(chunk_range(chunk, CHUNK, job.array.len())).to_u64())
}

/// A scan of one chunk, kept while windows begin or end in it.
#[derive(Debug)]
struct Scan<W> {
    a: Columns<W>,
    b: Columns<W>,
    chunk: usize,
}

impl<W: Default> Default for Scan<W> {
    fn default() -> Self {
        Self { a: Columns::default(), b: Columns::default(), chunk: usize::MAX }
    }
}

/// A thread's working memory.
#[derive(Debug)]
pub(super) struct Scratch<W> {
    ends: Scan<W>,
    beginnings: Scan<W>,
    found: Columns<W>,
    ranks: Vec<W>,
    /// Chunks of the queue, each better than all behind it.
    queue: VecDeque<usize>,
    minima: Vec<W>,
}

impl<W: Default> Default for Scratch<W> {
    fn default() -> Self {
        let found = Columns::default();
        let (ends, beginnings) = (Scan::default(), Scan::default());
        Self { ends, beginnings, found, ranks: Vec::new(), queue: VecDeque::new(), minima: Vec::new() }
    }
}

/// Bytes of it, at most, and of the minima.
pub(super) fn extra_bytes<W: Rank>(len: usize, threads: usize) -> usize {
    threads * 12 * scan_room::<W>(CHUNK) * size_of::<W>() + len.div_ceil(CHUNK) * (size_of::<W>() + 8)
}

/// The chunks' minima as a task sees them: known beforehand, or found by and by.
struct Chunks<'s, 'j, R, W> {
    job: &'s Job<'j, R>,
    all: &'s [W],
    own: &'s mut Vec<W>,
    /// The first of its own.
    first: usize,
    ranks: &'s mut [W],
    /// The chunk whose best element was asked for last, and that.
    located: (usize, usize),
}

impl<R: Width, W: Rank> Chunks<'_, '_, R, W> {
    fn best(&mut self, chunk: usize) -> W {
        if !self.all.is_empty() {
            return self.all[chunk];
        }
        while self.first + self.own.len() <= chunk {
            let next = self.first + self.own.len();
            self.own.push(minimum(self.job, next));
        }
        self.own[chunk - self.first]
    }

    /// Where in the array a chunk's best element is. Only few are asked for, again and again.
    fn place(&mut self, chunk: usize) -> usize {
        if self.located.0 != chunk {
            let range = chunk_range(chunk, CHUNK, self.job.array.len());
            let best = self.best(chunk);
            let ranks = &mut self.ranks[..range.len()];
            self.job.load(range.start as isize, ranks);
            self.located = (chunk, range.start + ranks.iter().position(|&rank| rank == best).unwrap_or(0));
        }
        self.located.1
    }
}

/// The answers of dense windows `first..first + count`.
///
/// # Safety
/// Nobody else writes them.
#[allow(unsafe_code)]
pub(super) unsafe fn solve<R: Width, W: Rank, const ARG: bool>(
    job: &Job<'_, R>,
    scratch: &mut Scratch<W>,
    known: &Known<W>,
    first: usize,
    count: usize,
) -> Told {
    let (len, width) = (job.array.len(), job.plan.width as isize);
    let Scratch { ends, beginnings, found, ranks, queue, minima: own } = scratch;
    queue.clear();
    own.clear();
    ranks.resize(CHUNK, W::WORST);
    found.resize(CHUNK, ARG);
    (ends.chunk, beginnings.chunk) = (usize::MAX, usize::MAX);
    let all_chunks = len.div_ceil(CHUNK);
    let begin = job.start(first).max(0) as usize / CHUNK;
    let mut chunks = Chunks { job, all: &known.minima, own, first: begin, ranks, located: (usize::MAX, 0) };
    // The chunk behind the last one in the queue.
    let mut queued = begin;
    let (mut told, mut unsigned) = (Told::Yes, known.unsigned.clone());
    let mut window = first;
    while window < first + count {
        let (start, end) = (job.start(window), job.start(window) + width);
        // Until either end of the window comes into another chunk, or into the array, or out of it.
        let (from, left) = match usize::try_from(start) {
            Ok(start) => (Some(start / CHUNK), CHUNK - start % CHUNK),
            Err(_) => (None, start.unsigned_abs()),
        };
        let (to, right) = if end as usize > len {
            (all_chunks, usize::MAX)
        } else {
            (end as usize / CHUNK, (CHUNK - end as usize % CHUNK).min(len + 1 - end as usize))
        };
        let stretch = left.min(right).min(first + count - window).min(CHUNK);
        // Whole chunks from `inner` to before `to`.
        let inner = from.map_or(0, |chunk| chunk + 1);
        queued = queued.max(inner);
        while queued < to {
            let best = chunks.best(queued);
            while queue.back().is_some_and(|&last| chunks.best(last) > best) {
                queue.pop_back();
            }
            queue.push_back(queued);
            queued += 1;
        }
        while queue.front().is_some_and(|&chunk| chunk < inner) {
            queue.pop_front();
        }
        let middle = queue.front().map(|&chunk| (chunks.best(chunk), chunks.place(chunk)));
        // The first window may end where the chunk begins.
        let skip = usize::from((end as usize).is_multiple_of(CHUNK));
        // In case of ties the end of a chunk, which comes first, is the better one.
        let end_counts = from.filter(|&chunk| middle.is_none_or(|middle| chunks.best(chunk) <= middle.0));
        let beginning_counts =
            to < all_chunks && stretch > skip && middle.is_none_or(|middle| chunks.best(to) < middle.0);
        match middle {
            Some((rank, at)) if end_counts.is_none() && !beginning_counts && rank < W::WORST => {
                // SAFETY: the caller's promise.
                unsafe { job.same(window..window + stretch, at) };
                window += stretch;
                continue;
            }
            _ => {}
        }
        // Ranks without positions may be too narrow for these.
        let middle =
            middle.map_or((W::WORST, W::WORST), |(rank, at)| (rank, W::from_u64(if ARG { at as u64 } else { 0 })));
        let out = Pair { keys: &mut found.keys[..stretch], at: if ARG { &mut found.at[..stretch] } else { &mut [] } };
        if let Some(chunk) = end_counts {
            ends.of::<R, false, ARG>(job, chunk);
            let (keys, at) = ends.from::<ARG>(start as usize % CHUNK, stretch);
            ending::<W, ARG>(keys, at, chunk * CHUNK, middle, out.keys, out.at);
        } else {
            out.keys.fill(middle.0);
            out.at.fill(middle.1);
        }
        if beginning_counts {
            beginnings.of::<R, true, ARG>(job, to);
            let (keys, at) = beginnings.from::<ARG>(end as usize % CHUNK + skip - 1, stretch - skip);
            let rest = if ARG { &mut out.at[skip..] } else { &mut [] };
            beginning::<W, ARG>(keys, at, to * CHUNK, &mut out.keys[skip..], rest);
        }
        // SAFETY: the caller's promise.
        if unsafe { job.emit::<W, ARG>(window, out, 0, &mut unsigned) } == Told::No {
            told = Told::No;
            break;
        }
        window += stretch;
    }
    told
}

impl<W: Rank> Scan<W> {
    /// Scans a chunk, from its start or (to) its end, unless that has been done.
    fn of<R: Width, const FORWARD: bool, const ARG: bool>(&mut self, job: &Job<'_, R>, chunk: usize) {
        if self.chunk == chunk {
            return;
        }
        self.chunk = chunk;
        let range = chunk_range(chunk, CHUNK, job.array.len());
        let room = scan_room::<W>(CHUNK);
        self.a.resize(room, ARG);
        self.b.resize(room, ARG);
        let before = if FORWARD { lanes::<W>() } else { 0 };
        let keys = &mut self.a.keys;
        keys[..before].fill(W::WORST);
        job.load(range.start as isize, &mut keys[before..before + range.len()]);
        keys[before + range.len()..].fill(W::WORST);
        if ARG {
            for (i, at) in self.a.at.iter_mut().enumerate() {
                *at = W::from_u64((i as u64).wrapping_sub(before as u64));
            }
        }
        if FORWARD {
            prefixes::<W, ARG>(self.a.slices(), self.b.slices(), range.len());
        } else {
            suffixes::<W, ARG>(self.a.slices(), self.b.slices(), range.len());
        }
    }

    /// What it tells from an element on.
    fn from<const ARG: bool>(&self, at: usize, count: usize) -> (&[W], &[W]) {
        let found = if scanned_to_b::<W>() { &self.b } else { &self.a };
        (&found.keys[at..at + count], if ARG { &found.at[at..at + count] } else { &[] })
    }
}

/// What an end of a chunk tells, or the `middle` where that is better.
#[inline(always)]
fn ending_body<W: Rank, const ARG: bool>(
    keys: &[W],
    at: &[W],
    base: usize,
    middle: Best<W>,
    to_keys: &mut [W],
    to_at: &mut [W],
) {
    let n = to_keys.len();
    let (keys, at, to_at) = (&keys[..n], &at[..if ARG { n } else { 0 }], &mut to_at[..if ARG { n } else { 0 }]);
    for i in 0..n {
        let takes = middle.0 < keys[i];
        to_keys[i] = if takes { middle.0 } else { keys[i] };
        if ARG {
            to_at[i] = if takes { middle.1 } else { W::from_u64(at[i].to_u64().wrapping_add(base as u64)) };
        }
    }
}

/// What a beginning of a chunk tells, where it is better than what is there.
#[inline(always)]
fn beginning_body<W: Rank, const ARG: bool>(keys: &[W], at: &[W], base: usize, to_keys: &mut [W], to_at: &mut [W]) {
    let n = to_keys.len();
    let (keys, at, to_at) = (&keys[..n], &at[..if ARG { n } else { 0 }], &mut to_at[..if ARG { n } else { 0 }]);
    for i in 0..n {
        let takes = keys[i] < to_keys[i];
        to_keys[i] = if takes { keys[i] } else { to_keys[i] };
        if ARG {
            to_at[i] = if takes { W::from_u64(at[i].to_u64().wrapping_add(base as u64)) } else { to_at[i] };
        }
    }
}

dispatch! {
    fn ending<W: Rank; const ARG: bool>(keys: &[W], at: &[W], base: usize, middle: Best<W>, to_keys: &mut [W], to_at: &mut [W]) = ending_body::<W, ARG>;
}

dispatch! {
    fn beginning<W: Rank; const ARG: bool>(keys: &[W], at: &[W], base: usize, to_keys: &mut [W], to_at: &mut [W]) = beginning_body::<W, ARG>;
}
