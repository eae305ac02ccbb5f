//! From two chains to the answer: around the hull, counter-clockwise.

use std::cmp::Ordering;

use thalweg_core::memory::{Zeroable, zeroed};
use thalweg_core::parallel::for_each_chunk_mut;
use thalweg_core::{Position, Positions, Result};

use super::columns::Site;
use crate::number::Number;

/// A chain from left to right, in pieces that lie anywhere.
pub(super) type Pieces<'a, N> = Vec<&'a [Site<N>]>;

/// Positions that a task writes.
const GRAIN: usize = 1 << 14;

/// The hull with this lower and upper chain, and what is told of the edges at the left and right end, from bottom to top;
/// `len` is the number of points.
pub(super) fn around<N: Number>(
    lower: Pieces<'_, N>,
    mut upper: Pieces<'_, N>,
    inner_points_of_ends: &[Vec<Site<N>>; 2],
    len: usize,
) -> Result<Positions> {
    if is_straight(&lower)
        && is_straight(&upper)
        && ends(&lower)
            .zip(ends(&upper))
            .is_some_and(|(lower, upper)| lower[0].is_at(&upper[0]) && lower[1].is_at(&upper[1]))
    {
        // All points are on one line, which is the lower chain already.
        upper.clear();
    }
    if let Some([first, last]) = ends(&lower) {
        // Where a chain's end is a point and no edge, the chains share it.
        if ends(&upper).is_some_and(|ends| ends[1].is_at(&last)) {
            drop_last(&mut upper);
        }
        if ends(&upper).is_some_and(|ends| ends[0].is_at(&first)) {
            drop_first(&mut upper);
        }
    }
    let [left, right] = inner_points_of_ends;
    let mut path: Vec<Part<'_, N>> = lower.into_iter().map(Part::Forward).collect();
    path.push(Part::Forward(right));
    path.extend(upper.into_iter().rev().map(Part::Backward));
    path.push(Part::Backward(left));
    path.retain(|part| !part.sites().is_empty());
    if u32::fits(len) { Ok(Positions::U32(told(&path)?)) } else { Ok(Positions::U64(told(&path)?)) }
}

/// A piece of the way around.
enum Part<'a, N> {
    Forward(&'a [Site<N>]),
    Backward(&'a [Site<N>]),
}

impl<N> Part<'_, N> {
    fn sites(&self) -> &[Site<N>] {
        match self {
            Self::Forward(sites) | Self::Backward(sites) => sites,
        }
    }
}

fn told<N: Number, P: Position + Zeroable>(path: &[Part<'_, N>]) -> Result<Vec<P>> {
    let ends: Vec<usize> = path
        .iter()
        .scan(0, |end, part| {
            *end += part.sites().len();
            Some(*end)
        })
        .collect();
    let mut out = zeroed::<P>(ends.last().copied().unwrap_or(0), "hull")?;
    for_each_chunk_mut(&mut out, GRAIN, &|start, mut out| {
        let mut at = start;
        for part in ends.partition_point(|&end| end <= start).. {
            let sites = path[part].sites();
            let skip = at - (ends[part] - sites.len());
            let count = out.len().min(sites.len() - skip);
            let (now, later) = out.split_at_mut(count);
            match path[part] {
                Part::Forward(sites) => write(now, sites[skip..].iter()),
                Part::Backward(sites) => write(now, sites.iter().rev().skip(skip)),
            }
            at += count;
            out = later;
            if out.is_empty() {
                break;
            }
        }
    });
    Ok(out)
}

fn write<'a, N: 'a, P: Position>(out: &mut [P], sites: impl Iterator<Item = &'a Site<N>>) {
    for (out, site) in out.iter_mut().zip(sites) {
        *out = P::new(site.index as usize);
    }
}

fn ends<N: Copy>(chain: &Pieces<'_, N>) -> Option<[Site<N>; 2]> {
    Some([*chain.first()?.first()?, *chain.last()?.last()?])
}

/// Whether a chain has no corner between its ends: it bends one way, so its second point tells.
fn is_straight<N: Number>(chain: &Pieces<'_, N>) -> bool {
    let Some([first, last]) = ends(chain) else { return true };
    let second = chain.iter().flat_map(|piece| piece.iter()).nth(1);
    second.is_none_or(|second| N::orientation(first.point, second.point, last.point) == Ordering::Equal)
}

/// Drops the last point. No piece is empty, before and after.
pub(super) fn drop_last<N>(chain: &mut Pieces<'_, N>) {
    if let Some(piece) = chain.pop()
        && let [rest @ .., _] = piece
        && !rest.is_empty()
    {
        chain.push(rest);
    }
}

/// Drops the first point. No piece is empty, before and after.
pub(super) fn drop_first<N>(chain: &mut Pieces<'_, N>) {
    match chain.first_mut() {
        Some([_]) => _ = chain.remove(0),
        Some(piece) => *piece = &piece[1..],
        None => {}
    }
}
