//! Windows of up to four elements: from the array straight to the answers, in blocks so small that the next one is read while the last
//! one is written. A task's columns are read in one go and written in another (2^24 `f64`, w = 2, one thread: 2.3 ns an element, 3.6 to
//! fresh memory; this way 1.7 and 2.7).
#![allow(unsafe_code)]

use thalweg_core::coding::Ranking;
use thalweg_core::{Rank, dispatch};

use super::task::{Job, Told, Width, has_minus_zero};

/// The widest windows that are answered this way.
pub(super) const WIDEST: usize = 4;

/// Windows of a block.
const BLOCK: usize = 128;

/// Values of dense windows `first..first + count`, if no position is needed for them and none reaches over an end.
///
/// # Safety
/// Nobody else writes them.
pub(super) unsafe fn solve<R: Width>(job: &Job<'_, R>, first: usize, count: usize) -> Told {
    let plan = &job.plan;
    let (Some(values), Ok(start)) = (job.values, usize::try_from(job.start(first))) else { return Told::No };
    if job.positions.is_some() || plan.stride > 1 || plan.width > WIDEST {
        return Told::No;
    }
    let Some(bits) = job.array.get(start..start + count + plan.width - 1) else { return Told::No };
    // SAFETY: dense windows are all that there are, and by the caller nobody else's.
    let values = unsafe { values.slice_mut(first..first + count) };
    let told = least(bits, job.order, plan.width, values) || !has_minus_zero(bits) && !has_worst(bits, job.order);
    if told { Told::Yes } else { Told::No }
}

/// `best[i]` is the best of `W` ranks from `i` on.
#[inline(always)]
fn windows<R: Rank, const W: usize>(ranks: &[R], best: &mut [R]) {
    let ranks: [&[R]; W] = std::array::from_fn(|j| &ranks[j..][..best.len()]);
    for (i, best) in best.iter_mut().enumerate() {
        let mut least = ranks[0][i];
        for other in &ranks[1..] {
            least = if other[i] < least { other[i] } else { least };
        }
        *best = least;
    }
}

#[inline(always)]
fn least_body<R: Rank>(bits: &[R], order: Ranking<R>, width: usize, values: &mut [R]) -> bool {
    let (mut ranks, mut best) = ([R::WORST; BLOCK + WIDEST], [R::WORST; BLOCK]);
    let kept = width - 1;
    R::rank_all(&bits[..kept], order, &mut ranks[..kept]);
    let mut told = true;
    for (bits, values) in bits[kept..].chunks(BLOCK).zip(values.chunks_mut(BLOCK)) {
        let best = &mut best[..values.len()];
        R::rank_all(bits, order, &mut ranks[kept..][..bits.len()]);
        match width {
            1 => windows::<R, 1>(&ranks, best),
            2 => windows::<R, 2>(&ranks, best),
            3 => windows::<R, 3>(&ranks, best),
            _ => windows::<R, WIDEST>(&ranks, best),
        }
        told &= R::unrank_all(best, order, values);
        ranks.copy_within(bits.len()..bits.len() + kept, 0);
    }
    told
}

dispatch! {
    /// The best of every window of at most [`WIDEST`] keys, and whether all of them are told by their ranks.
    fn least<R: Rank>(bits: &[R], order: Ranking<R>, width: usize, values: &mut [R]) -> bool = least_body::<R>;
}

#[inline(always)]
fn has_worst_body<R: Rank>(bits: &[R], order: Ranking<R>) -> bool {
    bits.iter().map(|&bits| u8::from(bits.ranked(order) == R::WORST)).fold(0, |any, bit| any | bit) != 0
}

dispatch! {
    /// Whether a key has the worst rank.
    fn has_worst<R: Rank>(bits: &[R], order: Ranking<R>) -> bool = has_worst_body::<R>;
}
