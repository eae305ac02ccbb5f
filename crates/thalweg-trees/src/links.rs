//! Links from element to element, checked: what lists and forests have in common.
#![allow(unsafe_code)]

use thalweg_core::atomic_set::AtomicSet;
use thalweg_core::disjoint::Disjoint;
use thalweg_core::error::try_filled;
use thalweg_core::memory::filled;
use thalweg_core::parallel::{for_each_chunk, try_for_each_chunk};
use thalweg_core::{Error, Position, Result};

/// Elements that a task takes at once.
const GRAIN: usize = 1 << 14;

/// Where the link of element `i` leads, unless it is the last: it points to nobody or to itself.
#[inline(always)]
pub(crate) fn follow<P: Position>(links: &[P], i: usize) -> Option<usize> {
    let to = links[i];
    if to == P::NONE || to.get() == i { None } else { Some(to.get()) }
}

/// Checks that no link leads out of the array.
pub(crate) fn check_range<P: Position>(what: &'static str, links: &[P]) -> Result<()> {
    let len = links.len();
    if !P::fits(len) {
        return Err(Error::Width { len, got: P::NAME });
    }
    // Without an early exit and by chunks, so that it runs at the speed of memory.
    let bad = |links: &[P]| links.iter().fold(false, |bad, &to| bad | (to != P::NONE && to.get() >= len));
    if try_for_each_chunk(len, GRAIN, &|range| !bad(&links[range])) {
        return Ok(());
    }
    let element = links.iter().position(|&to| to != P::NONE && to.get() >= len).expect("a bad link");
    Err(Error::Link { what, element, to: links[element].get() as u64, len })
}

/// Checks that links stay inside and no two lead to the same element, and returns the elements that one leads to.
/// There may still be cycles.
pub(crate) fn check<P: Position>(next: &[P]) -> Result<AtomicSet> {
    check_range("element", next)?;
    let followers = AtomicSet::new(next.len(), "elements that follow others")?;
    let joined = |i: usize| follow(next, i).is_some_and(|j| followers.insert(j));
    if try_for_each_chunk(next.len(), GRAIN, &|mut range| !range.any(joined)) {
        return Ok(followers);
    }
    Err(diagnose(next))
}

/// The lists backwards. No two links lead to the same element: `next` has passed [`check`].
pub(crate) fn reversed<P: Position>(next: &[P]) -> Result<Vec<P>> {
    let mut before = filled(next.len(), P::NONE, "lists backwards")?;
    let place = Disjoint::new(&mut before);
    for_each_chunk(next.len(), GRAIN, &|range| {
        for i in range {
            if let Some(j) = follow(next, i) {
                // SAFETY: `check` has seen that j is inside, and that only i links to it.
                unsafe { place.put(j, P::new(i)) };
            }
        }
    });
    Ok(before)
}

/// Why these are no lists; an engine has found that out. The same error whichever engine, on any number of threads: the
/// first link that leads out, or else the first element that follows two others, or else the first one on a cycle.
#[cold]
pub(crate) fn diagnose<P: Position>(next: &[P]) -> Error {
    let joined = || -> Result<Error> {
        check_range("element", next)?;
        let mut before = try_filled(next.len(), P::NONE, "links backwards")?;
        let mut first: Option<(usize, [usize; 2])> = None;
        for i in 0..next.len() {
            let Some(j) = follow(next, i) else { continue };
            match before[j].checked() {
                None => before[j] = P::new(i),
                Some(other) if first.is_none_or(|(element, _)| j < element) => first = Some((j, [other, i])),
                Some(_) => {}
            }
        }
        match first {
            Some((element, before)) => Ok(Error::Join { element, before }),
            None => cycle("element", next),
        }
    };
    joined().unwrap_or_else(|error| error)
}

/// The smallest element on a cycle of links, all inside; there must be one.
#[cold]
pub(crate) fn cycle<P: Position>(what: &'static str, links: &[P]) -> Result<Error> {
    // Elements are coloured by the walk that came upon them first: a walk that meets its own colour has closed a cycle.
    let mut colour = try_filled(links.len(), P::NONE, "colours of elements")?;
    let mut smallest = None;
    for start in 0..links.len() {
        let mut at = start;
        while colour[at] == P::NONE {
            colour[at] = P::new(start);
            match follow(links, at) {
                Some(to) => at = to,
                None => break,
            }
        }
        let (round, mut least) = (at, at);
        if colour[at] != P::new(start) || follow(links, at).is_none() {
            continue;
        }
        while let Some(to) = follow(links, at).filter(|&to| to != round) {
            (at, least) = (to, least.min(to));
        }
        smallest = Some(smallest.map_or(least, |smallest: usize| smallest.min(least)));
    }
    Ok(Error::Cycle { what, element: smallest.expect("an engine complained of a cycle where there is none") })
}
