//! A stable sort of an array in parts: sample sort.
//!
//! Every rank sorts its part and tells some of its elements, evenly spaced: of all of these together, evenly spaced ones are the
//! splitters between ranks. A splitter is a key *and* a position, so no two elements are equal, and many equal keys spread over
//! ranks as well as others do. Elements go to the rank between whose splitters they lie; what arrives, from left to right,
//! is sorted once more; and because splitters are not exact, the sorted elements go to the ranks that own their places in the end.
//!
//! Two exchanges of all elements, and one of the samples. Samples are so many that no rank gets more than about n/p · 5/4
//! elements.

use bytemuck::Pod;
use thalweg_core::bits::BitsMut;
use thalweg_core::error::expect_len;
use thalweg_core::memory::computed;
use thalweg_core::primitives::sort::{Engine, sort_bits, sort_bits_idx};
use thalweg_core::{Coding, Error, Position, Positions, PositionsMut, Rank, Result, by_width};

use crate::Ranks;
use crate::ranks::{exchange_items, gather, gather_one, items_of};
use crate::scan::balanced;

/// Samples of a rank: four for every rank, and some more.
fn samples(size: usize) -> usize {
    (4 * size).max(64)
}

/// Elements that a task looks up.
const CHUNK: usize = 1 << 14;

/// Sorts an array of `len` keys, of which this rank has [its part](Ranks::part), which then holds that part of the sorted
/// array; `positions` gets where its keys were. The order is that of the coding, equal keys from left to right.
///
/// Work O(n/p · digits), on all threads of the current rayon pool.
///
/// # Errors
/// [`Error::Length`] for a part or positions of another length, [`Error::Width`] if positions do not fit; those of the
/// transport.
pub fn sort(
    ranks: &dyn Ranks,
    keys: BitsMut<'_>,
    len: usize,
    coding: Coding,
    positions: Option<PositionsMut<'_>>,
) -> Result<()> {
    let range = ranks.part(len);
    expect_len("the part of this rank", keys.len(), range.len())?;
    if let Some(positions) = &positions {
        expect_len("sorted positions", positions.len(), range.len())?;
        if matches!(positions, PositionsMut::U32(_)) && !u32::fits(len) {
            return Err(Error::Width { len, got: "u32" });
        }
    }
    if positions.is_none() && ranks.size() == 1 {
        return sort_bits(keys, coding, Engine::Radix);
    }
    by_width!(BitsMut, keys, keys => {
        let found = sort_words(ranks, keys, len, coding, positions.is_some())?;
        match positions {
            Some(PositionsMut::U32(out)) => out.iter_mut().zip(found).for_each(|(out, at)| *out = at as u32),
            Some(PositionsMut::U64(out)) => out.copy_from_slice(&found),
            None => {}
        }
    });
    Ok(())
}

/// `values` at the positions `order`.
fn gathered<T: Copy + Send + Sync>(values: &[T], order: &Positions) -> Result<Vec<T>> {
    match order {
        Positions::U32(order) => computed(order.len(), CHUNK, "sorted keys", |i| values[order[i].get()]),
        Positions::U64(order) => computed(order.len(), CHUNK, "sorted keys", |i| values[order[i].get()]),
    }
}

/// Where the keys were, if that is wanted.
fn sort_words<R: Rank + Pod>(
    ranks: &dyn Ranks,
    keys: &mut [R],
    len: usize,
    coding: Coding,
    with_positions: bool,
) -> Result<Vec<u64>> {
    let (size, first) = (ranks.size(), ranks.part(len).start);
    let order = sort_bits_idx(R::erase(keys), coding, Engine::Radix)?;
    let sorted = gathered(keys, &order)?;
    let positions = match &order {
        Positions::U32(order) => computed(order.len(), CHUNK, "positions", |i| (first + order[i].get()) as u64)?,
        Positions::U64(order) => computed(order.len(), CHUNK, "positions", |i| (first + order[i].get()) as u64)?,
    };
    drop(order);
    if size == 1 {
        keys.copy_from_slice(&sorted);
        return Ok(positions);
    }
    let ranking = coding.ranking::<R>();
    let element = |i: usize| [sorted[i].ranked(ranking).to_u64(), positions[i]];
    let count = samples(size).min(sorted.len());
    let own: Vec<[u64; 2]> = (0..count).map(|i| element(i * sorted.len() / count)).collect();
    let mut all: Vec<[u64; 2]> = Vec::new();
    for bytes in gather(ranks, bytemuck::cast_slice(&own))? {
        all.extend(items_of::<[u64; 2]>(&bytes)?);
    }
    all.sort_unstable();
    // Rank `to` gets what is not below splitter `to` and below the next.
    let cut = |to: usize| match to {
        0 => 0,
        _ if to == size => sorted.len(),
        _ => match all.get(to * all.len() / size) {
            Some(&splitter) => first_not_below(sorted.len(), |i| element(i) < splitter),
            None => sorted.len(),
        },
    };
    let cuts: Vec<usize> = (0..=size).map(cut).collect();
    let pieces = |to: usize| cuts[to]..cuts[to + 1];
    let arrived = exchange_items(ranks, &(0..size).map(|to| sorted[pieces(to)].to_vec()).collect::<Vec<_>>())?.concat();
    let arrived_from = match with_positions {
        true => {
            exchange_items(ranks, &(0..size).map(|to| positions[pieces(to)].to_vec()).collect::<Vec<_>>())?.concat()
        }
        false => Vec::new(),
    };
    drop((sorted, positions));
    // Equal keys come from left to right, and the sort keeps that.
    let order = sort_bits_idx(R::erase(&arrived), coding, Engine::Radix)?;
    let counts = gather_one(ranks, arrived.len() as u64)?;
    let start = counts[..ranks.rank()].iter().sum::<u64>() as usize;
    let sorted = balanced(ranks, &gathered(&arrived, &order)?, start, len)?;
    expect_len("the sorted part of this rank", sorted.len(), keys.len())?;
    keys.copy_from_slice(&sorted);
    match with_positions {
        true => balanced(ranks, &gathered(&arrived_from, &order)?, start, len),
        false => Ok(Vec::new()),
    }
}

/// The first number for which something does not hold that holds for smaller ones.
fn first_not_below(len: usize, below: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (0, len);
    while low < high {
        let middle = low + (high - low) / 2;
        if below(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}
