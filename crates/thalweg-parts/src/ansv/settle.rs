//! Seekers of a part and rungs of another: two sorted lists that are merged.

use bytemuck::Pod;
use thalweg_core::coding::Ranking;
use thalweg_core::parallel::for_each_chunk_mut;
use thalweg_core::{Position, Rank};

use super::rungs::{Ladder, View};

/// Seekers that a task settles.
const CHUNK: usize = 1 << 14;

#[inline(always)]
pub(super) fn serves<T: Ord>(there: T, here: T, strict: bool) -> bool {
    there < here || !strict && there == here
}

/// Finds the neighbours of those of the `left` best seekers that the rungs serve; how many are left. Seekers lie from the worst to the best
/// if they look to the left, and from the best to the worst if they look `TO_RIGHT`; rungs lie the other way.
pub(super) fn settle<R: Rank + Pod, P: Position, const TO_RIGHT: bool>(
    seekers: &Ladder<'_, R>,
    left: usize,
    rungs: View<'_, R>,
    strict: bool,
    out: &mut [P],
) -> usize {
    let Some(best) = (if TO_RIGHT { rungs.keys.last() } else { rungs.keys.first() }) else { return left };
    let best = best.ranked(seekers.order);
    let still = seekers.first_not(|rank| !serves(best, rank, strict)).min(left);
    let list = seekers.listed(still..left);
    for_each_chunk_mut(&mut list.cut(CHUNK, out), 1, &|_, tasks| {
        for (start, list, piece) in tasks {
            let seekers = Ladder { list: *list, ..*seekers };
            match (seekers.list.row(), rungs.run()) {
                (Some(run), Some(first)) => {
                    let merge = Merge { keys: &seekers.keys[run.clone()], rungs: rungs.keys, first };
                    merge.run::<P, TO_RIGHT>(seekers.order, strict, &mut piece[run.start - *start..]);
                }
                _ => climb::<R, P, TO_RIGHT>(&seekers, rungs, strict, *start, piece),
            }
        }
    });
    still
}

/// Seekers, of which all are served, and rungs that both lie in a row.
struct Merge<'m, R> {
    keys: &'m [R],
    rungs: &'m [R],
    /// Position of the first rung.
    first: usize,
}

impl<R: Rank> Merge<'_, R> {
    fn run<P: Position, const TO_RIGHT: bool>(&self, order: Ranking<R>, strict: bool, out: &mut [P]) {
        // What bits mean is asked here, and not for every element.
        match (order.float, strict) {
            (true, true) => self.merge::<P, TO_RIGHT, true>(Ranking { float: true, ..order }, out),
            (true, false) => self.merge::<P, TO_RIGHT, false>(Ranking { float: true, ..order }, out),
            (false, true) => self.merge::<P, TO_RIGHT, true>(Ranking { float: false, ..order }, out),
            (false, false) => self.merge::<P, TO_RIGHT, false>(Ranking { float: false, ..order }, out),
        }
    }

    #[inline(always)]
    fn merge<P: Position, const TO_RIGHT: bool, const STRICT: bool>(&self, order: Ranking<R>, out: &mut [P]) {
        let &Self { keys, rungs, first } = self;
        let serves = |rung: R, rank: R| serves(rung, rank, STRICT);
        let seekers = out.iter_mut().zip(keys);
        // From the worst of both to the best.
        if TO_RIGHT {
            let worst = keys[keys.len() - 1].ranked(order);
            let mut at = rungs.partition_point(|rung| !serves(rung.ranked(order), worst));
            let mut rung = rungs[at].ranked(order);
            for (out, key) in seekers.rev() {
                let rank = key.ranked(order);
                while !serves(rung, rank) {
                    at += 1;
                    rung = rungs[at].ranked(order);
                }
                *out = P::new(first + at);
            }
        } else {
            let worst = keys[0].ranked(order);
            let mut at = rungs.partition_point(|rung| serves(rung.ranked(order), worst)) - 1;
            let mut rung = rungs[at].ranked(order);
            for (out, key) in seekers {
                let rank = key.ranked(order);
                while !serves(rung, rank) {
                    at -= 1;
                    rung = rungs[at].ranked(order);
                }
                *out = P::new(first + at);
            }
        }
    }
}

/// Any seekers, of which all are served, and any rungs.
fn climb<R: Rank + Pod, P: Position, const TO_RIGHT: bool>(
    seekers: &Ladder<'_, R>,
    rungs: View<'_, R>,
    strict: bool,
    start: usize,
    piece: &mut [P],
) {
    let entry = |rung: usize| if TO_RIGHT { rungs.keys.len() - 1 - rung } else { rung };
    let rung_rank = |rung: usize| rungs.keys[entry(rung)].ranked(seekers.order);
    let mut top = rungs.keys.len() - 1;
    let mut top_rank = rung_rank(top);
    for seeker in (0..seekers.list.len()).rev() {
        let rank = seekers.rank(seeker);
        if !serves(top_rank, rank, strict) {
            top = highest_below(&rung_rank, top, rank, strict);
            top_rank = rung_rank(top);
        }
        piece[seekers.place(seeker) - start] = P::new(rungs.position(entry(top)));
    }
}

/// The highest rung below `rung` that serves an element of this rank. The lowest one does.
#[inline(always)]
fn highest_below<R: Rank>(rank_of: &impl Fn(usize) -> R, rung: usize, rank: R, strict: bool) -> usize {
    // In steps of 1, 2, 4, ...: cheap where neighbours are close, logarithmic where they are not.
    let (mut too_high, mut step, mut good) = (rung, 1, rung - 1);
    while !serves(rank_of(good), rank, strict) {
        too_high = good;
        step *= 2;
        good = good.saturating_sub(step);
    }
    while too_high - good > 1 {
        let middle = good + (too_high - good) / 2;
        if serves(rank_of(middle), rank, strict) {
            good = middle;
        } else {
            too_high = middle;
        }
    }
    good
}
