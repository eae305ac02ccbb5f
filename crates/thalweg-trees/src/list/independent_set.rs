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

use super::load::{Load, Store, plus};
use super::options::Direction;
use super::pointer_jumping::{Cell, cells, jump, put};
use super::random::mix;
use crate::links::{check, diagnose};
use thalweg_core::atomic_set::AtomicSet;
use thalweg_core::disjoint::Disjoint;
use thalweg_core::memory::{computed, filled};
use thalweg_core::parallel::{for_each_chunk, try_for_each_chunk};
use thalweg_core::primitives::{Split, split};
use thalweg_core::{Position, Result};

/// Elements that a task takes at once.
const GRAIN: usize = 1 << 12;

pub(super) fn rank<P: Position, const C: usize>(
    next: &[P],
    load: &Load<'_>,
    direction: Direction,
    seed: u64,
    out: &impl Store<C>,
) -> Result<()> {
    check(next)?;
    put(&contracted(next, load, direction, seed)?, out);
    Ok(())
}

/// Cells with the sums. The links have passed [`check`].
fn contracted<P: Position, const C: usize>(
    next: &[P],
    load: &Load<'_>,
    direction: Direction,
    seed: u64,
) -> Result<Vec<Cell<P, C>>> {
    let mut cells = cells(next, load, direction)?;
    let rounds = contract(&mut cells, seed)?;
    rank_survivors(&mut cells, &rounds.left)?.ok_or_else(|| diagnose(next))?;
    expand(&mut cells, &rounds);
    Ok(cells)
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

fn contract<P: Position, const C: usize>(cells: &mut [Cell<P, C>], seed: u64) -> Result<Rounds<P>> {
    let len = cells.len();
    let mut rounds = Rounds { left: computed(len, GRAIN, "elements", P::new)?, taken: Vec::new() };
    // What is left of a list is one element in the end. Many lists have many of those, and then there is nothing more
    // to do. (A cycle ends as an element that follows itself.)
    while rounds.left.len() > few(len) {
        let heads = |i: usize| mix(seed ^ mix(seed, rounds.taken.len() as u64), i as u64) >> 63 == 1;
        let taken = AtomicSet::new(len, "elements taken out")?;
        let place = Disjoint::new(cells);
        for_each_chunk(rounds.left.len(), GRAIN, &|range| {
            for i in rounds.left[range].iter().map(|i| i.get()).filter(|&i| !heads(i)) {
                // SAFETY: inside; only its own task touches an element with tails, as links are followed to heads only.
                let own = unsafe { &mut place.slice_mut(i..i + 1)[0] };
                if let Some(j) = own.0.checked().filter(|&j| heads(j)) {
                    // SAFETY: `check` has seen that links are inside, and nobody writes to an element with heads.
                    let (link, sum) = unsafe { place.read(j..j + 1)[0] };
                    *own = (link, plus(own.1, sum));
                    taken.insert(j);
                }
            }
        });
        let Split { elements: mut left, first_true } = split(&rounds.left, |i| taken.contains(i.get()))?;
        let out = left.split_off(first_true);
        rounds.left = left;
        let alone = |i: &P| cells[i.get()].0 == P::NONE || cells[i.get()].0 == *i;
        let left = &rounds.left;
        if out.is_empty() && try_for_each_chunk(left.len(), GRAIN, &|range| left[range].iter().all(alone)) {
            break;
        }
        rounds.taken.push(out);
    }
    Ok(rounds)
}

/// Ranks the elements that are left; `None` if some are on a cycle.
fn rank_survivors<P: Position, const C: usize>(cells: &mut [Cell<P, C>], left: &[P]) -> Result<Option<()>> {
    let mut number = filled(cells.len(), P::NONE, "numbers of elements")?;
    let place = Disjoint::new(&mut number);
    for_each_chunk(left.len(), GRAIN, &|range| {
        for k in range {
            // SAFETY: every element is in the list once.
            unsafe { place.put(left[k].get(), P::new(k)) };
        }
    });
    let renumbered = |k: usize| {
        let (link, sum) = cells[left[k].get()];
        (link.checked().map_or(P::NONE, |j| number[j]), sum)
    };
    let Some(ranked) = jump(computed(left.len(), GRAIN, "elements that are left", renumbered)?)? else {
        return Ok(None);
    };
    let place = Disjoint::new(cells);
    for_each_chunk(left.len(), GRAIN, &|range| {
        for k in range {
            // SAFETY: as above.
            unsafe { place.put(left[k].get(), ranked[k]) };
        }
    });
    Ok(Some(()))
}

/// Puts back who was taken out, the last round first.
fn expand<P: Position, const C: usize>(cells: &mut [Cell<P, C>], rounds: &Rounds<P>) {
    let place = Disjoint::new(cells);
    for taken in rounds.taken.iter().rev() {
        for_each_chunk(taken.len(), GRAIN, &|range| {
            for i in taken[range].iter().map(|i| i.get()) {
                // SAFETY: every element is taken out once, and the one that it points to was not in the same round.
                let own = unsafe { &mut place.slice_mut(i..i + 1)[0] };
                if let Some(j) = own.0.checked() {
                    // SAFETY: as above.
                    own.1 = plus(own.1, unsafe { place.read(j..j + 1)[0].1 });
                }
            }
        });
    }
}
