//! Contraction: elements chosen by coins are taken out of the lists until few are left, and put back at the end.
//!
//! In every round each element throws a coin. One with tails whose successor has heads takes the successor in: the link
//! jumps over it and its weight is added. The chosen ones are an independent set, no two of them neighbours, so all are
//! taken out at the same time, a quarter of the elements in the mean. When n / log2 n are left, pointer jumping ranks
//! them in O(n) work. Then the rounds are undone in reverse: one that was taken out adds the rank of the element that
//! it pointed to, which is known by then.
//!
//! Anderson and Miller 1988, in the form of JáJá 1992 (section 3.1.3). Work O(n), span O(log² n) with the compactions.
//! Extra memory: a link, a sum and three positions an element. From the head, the lists are turned round first.
#![allow(unsafe_code)]

use rayon::prelude::*;

use super::links::{check, diagnose, follow, reversed};
use super::{Direction, Load, Words, mix, pointer_jumping};
use thalweg_core::atomic_set::AtomicSet;
use thalweg_core::memory::{collected, filled};
use thalweg_core::primitives::disjoint::Disjoint;
use thalweg_core::primitives::{Split, split};
use thalweg_core::{Position, Result};

/// Elements that a task takes at once.
const GRAIN: usize = 1 << 12;

pub(super) fn rank<P: Position, L: Load>(next: &[P], load: &L, direction: Direction, seed: u64) -> Result<Vec<L::Out>> {
    check(next)?;
    let links = |next: &[P]| {
        let start = |i: usize| (follow(next, i).map_or(P::NONE, P::new), load.of(i));
        collected((0..next.len()).into_par_iter().map(start), "links and sums")
    };
    let mut cells = match direction {
        Direction::ToEnd => links(next)?,
        Direction::FromHead => links(&reversed(next)?)?,
    };
    let rounds = contract(&mut cells, seed)?;
    rank_survivors(&mut cells, &rounds.left)?.ok_or_else(|| diagnose(next))?;
    expand(&mut cells, &rounds);
    collected(cells.into_par_iter().map(|(_, sum)| L::out(sum)), "ranks")
}

/// What is left of the lists, and who was taken out in each round.
struct Rounds<P> {
    left: Vec<P>,
    taken: Vec<Vec<P>>,
}

/// Elements are contracted to this share.
fn few(len: usize) -> usize {
    len / (len.max(2).ilog2() as usize)
}

fn contract<P: Position, W: Words>(cells: &mut [(P, W)], seed: u64) -> Result<Rounds<P>> {
    let len = cells.len();
    let mut rounds = Rounds { left: collected((0..len).into_par_iter().map(P::new), "elements")?, taken: Vec::new() };
    // What is left of a list is one element in the end. Many lists have many of those, and then there is nothing more
    // to do. (A cycle ends as an element that follows itself.)
    while rounds.left.len() > few(len) {
        let heads = |i: usize| mix(seed ^ mix(seed, rounds.taken.len() as u64), i as u64) >> 63 == 1;
        let taken = AtomicSet::new(len, "elements taken out")?;
        let place = Disjoint::new(cells);
        rounds.left.par_iter().with_min_len(GRAIN).for_each(|i| {
            let i = i.get();
            if heads(i) {
                return;
            }
            // SAFETY: inside; only its own task touches an element with tails, as links are followed to heads only.
            let own = unsafe { &mut place.slice_mut(i..i + 1)[0] };
            if let Some(j) = own.0.checked().filter(|&j| heads(j)) {
                // SAFETY: `check` has seen that links are inside, and nobody writes to an element with heads.
                let (link, sum) = unsafe { place.read(j..j + 1)[0] };
                *own = (link, own.1.plus(sum));
                taken.insert(j);
            }
        });
        let Split { elements: mut left, first_true } = split(&rounds.left, |i| taken.contains(i.get()))?;
        let out = left.split_off(first_true);
        rounds.left = left;
        if out.is_empty() && rounds.left.par_iter().all(|&i| cells[i.get()].0 == P::NONE || cells[i.get()].0 == i) {
            break;
        }
        rounds.taken.push(out);
    }
    Ok(rounds)
}

/// Ranks the elements that are left; `None` if some are on a cycle.
fn rank_survivors<P: Position, W: Words>(cells: &mut [(P, W)], left: &[P]) -> Result<Option<()>> {
    let mut number = filled(cells.len(), P::NONE, "numbers of elements")?;
    let place = Disjoint::new(&mut number);
    left.par_iter().enumerate().with_min_len(GRAIN).for_each(|(k, i)| {
        // SAFETY: every element is in the list once.
        unsafe { place.put(i.get(), P::new(k)) };
    });
    let renumbered = left.par_iter().map(|i| {
        let (link, sum) = cells[i.get()];
        (link.checked().map_or(P::NONE, |j| number[j]), sum)
    });
    let Some(ranked) = pointer_jumping::jump(collected(renumbered, "elements that are left")?)? else {
        return Ok(None);
    };
    let place = Disjoint::new(cells);
    left.par_iter().zip(ranked).with_min_len(GRAIN).for_each(|(i, cell)| {
        // SAFETY: as above.
        unsafe { place.put(i.get(), cell) };
    });
    Ok(Some(()))
}

/// Puts back who was taken out, the last round first.
fn expand<P: Position, W: Words>(cells: &mut [(P, W)], rounds: &Rounds<P>) {
    let place = Disjoint::new(cells);
    for taken in rounds.taken.iter().rev() {
        taken.par_iter().with_min_len(GRAIN).for_each(|i| {
            // SAFETY: every element is taken out once, and the one that it points to was not in the same round.
            let own = unsafe { &mut place.slice_mut(i.get()..i.get() + 1)[0] };
            if let Some(j) = own.0.checked() {
                // SAFETY: as above.
                own.1 = own.1.plus(unsafe { place.read(j..j + 1)[0].1 });
            }
        });
    }
}
