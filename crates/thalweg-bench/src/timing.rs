//! Wall time: medians of interleaved runs, and the speed of memory to compare with.

use std::time::{Duration, Instant};

use rayon::prelude::*;
use thalweg_cli::failure::Outcome;
use thalweg_cli::memory;

/// A contestant that has used up this time takes part in no further round, so that one slow engine does not hold up
/// the rest. It has at least one timed run then, and its row says how many.
const PATIENCE: Duration = Duration::from_secs(2);

/// What the runs of one contestant took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Timing {
    /// Median, in nanoseconds.
    pub median: f64,
    /// The fastest run, in nanoseconds.
    pub min: f64,
    /// How many runs were timed.
    pub runs: usize,
}

impl Timing {
    /// The median of some runs; there must be one at least.
    pub fn of(samples: &[Duration]) -> Self {
        let mut nanos: Vec<f64> = samples.iter().map(|time| time.as_secs_f64() * 1e9).collect();
        nanos.sort_by(f64::total_cmp);
        Self { median: median(&nanos), min: nanos[0], runs: nanos.len() }
    }
}

/// The middle of sorted numbers, or the mean of the two in the middle.
fn median(sorted: &[f64]) -> f64 {
    let half = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[half] } else { (sorted[half - 1] + sorted[half]) / 2.0 }
}

/// Runs every contestant once to warm up, then `repeat` rounds of all of them in turn, so that a drift of the
/// machine's speed hits all alike. `run(i)` runs contestant `i` and returns the time that counts.
pub fn race(
    repeat: usize,
    contestants: usize,
    mut run: impl FnMut(usize) -> Outcome<Duration>,
) -> Outcome<Vec<Timing>> {
    let mut samples = vec![Vec::new(); contestants];
    let mut spent = vec![Duration::ZERO; contestants];
    for round in 0..=repeat {
        for i in 0..contestants {
            if round > 1 && spent[i] > PATIENCE {
                continue;
            }
            let time = run(i)?;
            spent[i] += time;
            if round > 0 {
                samples[i].push(time);
            }
        }
    }
    Ok(samples.iter().map(|samples| Timing::of(samples)).collect())
}

/// How long `f` takes, and what it returns.
pub fn time<T>(f: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = f();
    (start.elapsed(), result)
}

/// Bytes of each of the two buffers: more than the caches hold.
const COPY_BYTES: usize = 256 << 20;

/// The memory's speed when copying on all threads of the current pool: bytes read + bytes written a nanosecond
/// (GB/s), best of eight. The best, not the median: it stands for what the machine can do.
pub fn copy_speed() -> Outcome<f64> {
    let source = memory::filled(COPY_BYTES / 8, 1u64, "copy speed")?;
    let mut target = memory::filled(COPY_BYTES / 8, 0u64, "copy speed")?;
    // One piece per thread: long copies take the path past the caches, as a copy of the whole would.
    let piece = source.len().div_ceil(rayon::current_num_threads());
    let mut best = Duration::MAX;
    for _ in 0..8 {
        let (took, ()) = time(|| {
            target.par_chunks_mut(piece).zip(source.par_chunks(piece)).for_each(|(to, from)| to.copy_from_slice(from));
        });
        std::hint::black_box(&target);
        best = best.min(took);
    }
    Ok(2.0 * COPY_BYTES as f64 / best.as_nanos() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median(&[3.0]), 3.0);
        assert_eq!(median(&[1.0, 2.0, 30.0]), 2.0);
        assert_eq!(median(&[1.0, 2.0, 4.0, 30.0]), 3.0);
        let timing = Timing::of(&[5, 1, 9].map(Duration::from_micros));
        assert_eq!((timing.median.round(), timing.min.round(), timing.runs), (5000.0, 1000.0, 3));
    }

    #[test]
    fn contestants_take_turns_after_a_warm_up() {
        let mut turns = Vec::new();
        let timings = race(2, 3, |i| {
            turns.push(i);
            // The warm-up is slow and must not count.
            Ok(Duration::from_micros(if turns.len() <= 3 { 1_000_000 } else { i as u64 + 1 }))
        });
        assert_eq!(turns, [0, 1, 2, 0, 1, 2, 0, 1, 2]);
        let medians: Vec<f64> = timings.unwrap().iter().map(|t| t.median.round()).collect();
        assert_eq!(medians, [1000.0, 2000.0, 3000.0]);
    }

    #[test]
    fn a_slow_contestant_is_timed_once_and_the_others_go_on() {
        let timings = race(5, 2, |i| Ok(Duration::from_secs(if i == 0 { 100 } else { 0 }))).unwrap();
        assert_eq!((timings[0].runs, timings[1].runs), (1, 5));
    }
}
