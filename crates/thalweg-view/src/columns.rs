//! What is drawn: the smallest and the largest element of every column of pixels.

use std::fmt;
use std::sync::OnceLock;

use thalweg_core::bits::BitsMut;
use thalweg_core::parallel::for_each_chunk_mut;
use thalweg_core::storage::bytes_of;
use thalweg_core::{Order, Pairs, Rank, by_width};

use crate::Series;

/// Columns at most: more than any screen has.
pub const WIDEST: usize = 1 << 14;
/// Elements at most that are told one by one.
pub const MOST_POINTS: usize = 1 << 16;

/// Columns that a thread answers at a time: some 20 µs of work.
const TASK: usize = 128;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The question is none.
    Bad(String),
    /// The indexes are still being built.
    NotYet,
    /// The array is no longer what it was.
    Changed(String),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bad(text) | Self::Changed(text) => f.write_str(text),
            Self::NotYet => f.write_str("the indexes are still being built"),
        }
    }
}

/// Elements `from..from + span` cut into `width` columns: column `c` begins at `from + c * span / width`, rounded down.
#[derive(Clone, Copy)]
struct Cut {
    from: usize,
    width: usize,
    /// Elements that every column has, and how many are left over.
    each: usize,
    over: usize,
}

impl Cut {
    fn new(from: usize, span: usize, width: usize) -> Self {
        Self { from, width, each: span / width, over: span % width }
    }

    fn start(self, c: usize) -> usize {
        // Less than a width squared: there is room.
        self.from + self.each * c + (self.over as u64 * c as u64 / self.width as u64) as usize
    }
}

/// The first element of column `c` of `width`, up to [`WIDEST`], of those that show the elements from `from` on, `span` of them; that of
/// column `width` is the end. Every column has an element if `span >= width`.
pub fn start(from: usize, span: usize, width: usize, c: usize) -> usize {
    Cut::new(from, span, width).start(c)
}

/// The smallest elements of `width` columns that show the elements `from..to`, then the largest, as they lie in memory
/// (little-endian). Elements beyond the end of the array are none, and neither are columns without elements: they are missing,
/// at the right.
///
/// # Errors
/// [`Refusal::Bad`] if there are fewer elements than columns, or too many columns.
pub fn columns(series: &Series<'_>, from: usize, to: usize, width: usize) -> Result<Vec<u8>, Refusal> {
    if !(1..=WIDEST).contains(&width) {
        return Err(Refusal::Bad(format!("{width} columns: from 1 to {WIDEST} can be told")));
    }
    let span = to.checked_sub(from).filter(|&span| span >= width);
    let span = span.ok_or_else(|| Refusal::Bad(format!("{from}..{to} has no element for each of {width} columns")))?;
    let indexes = both(series)?;
    let (len, cut) = (series.len(), Cut::new(from, span, width));
    // Columns that begin inside.
    let inside = len.saturating_sub(from) as u128 * width as u128;
    let count = inside.div_ceil(span as u128).min(width as u128) as usize;
    fn room<R: Rank>(_: &[R], len: usize) -> Vec<R> {
        vec![R::default(); len]
    }
    by_width!(Bits, series.bits(), words => {
        let mut out = room(words, 2 * count);
        let (low, high) = out.split_at_mut(count);
        // Both extremes of a column by the same thread: mostly they are near to each other.
        let mut tasks: Vec<_> = low.chunks_mut(TASK).zip(high.chunks_mut(TASK)).collect();
        let failed = OnceLock::new();
        for_each_chunk_mut(&mut tasks, 1, &|first, tasks| {
            for (task, (low, high)) in (first..).zip(tasks) {
                let outputs = [Rank::erase_mut(low), Rank::erase_mut(high)];
                if let Err(error) = answer(indexes, cut, len, task, outputs) {
                    let _ = failed.set(error);
                }
            }
        });
        match failed.into_inner() {
            Some(error) => Err(Refusal::Bad(error.to_string())),
            None => Ok(bytes_of(&out).to_vec()),
        }
    })
}

/// The extremes of a task's columns.
fn answer(
    (minima, maxima): (Engine<'_>, Engine<'_>),
    cut: Cut,
    len: usize,
    task: usize,
    [low, high]: [BitsMut<'_>; 2],
) -> thalweg_core::Result<()> {
    let (mut queries, count) = ([[0u64; 2]; TASK], low.len());
    let mut left = cut.start(task * TASK);
    for (c, query) in (task * TASK + 1..).zip(&mut queries[..count]) {
        let next = cut.start(c);
        *query = [left as u64, (next.min(len) - 1) as u64];
        left = next;
    }
    minima.values(Pairs::U64(&queries[..count]), low)?;
    maxima.values(Pairs::U64(&queries[..count]), high)
}

/// The elements `from..to` as they lie in memory, as far as there are any. Needs no index.
///
/// # Errors
/// [`Refusal::Bad`] if there are too many.
pub fn points(series: &Series<'_>, from: usize, to: usize) -> Result<Vec<u8>, Refusal> {
    let count = to.checked_sub(from).filter(|&count| count <= MOST_POINTS);
    count.ok_or_else(|| Refusal::Bad(format!("{from}..{to}: up to {MOST_POINTS} elements can be told one by one")))?;
    let (from, to) = (from.min(series.len()), to.min(series.len()));
    by_width!(Bits, series.bits(), words => Ok(bytes_of(&words[from..to]).to_vec()))
}

type Engine<'s> = &'s (dyn thalweg_arrays::rmq::RmqEngine + 's);

/// The indexes.
pub(crate) fn both<'s>(series: &'s Series<'_>) -> Result<(Engine<'s>, Engine<'s>), Refusal> {
    match (series.index(Order::Min), series.index(Order::Max)) {
        (Some(minima), Some(maxima)) => Ok((minima, maxima)),
        _ => Err(series.trouble().map_or(Refusal::NotYet, Refusal::Changed)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_begin_where_the_formula_says() {
        for (from, span) in
            [(0, 7), (3, 16_384), (11, 1_000_003), (5, 999_999_999_989), (0, usize::MAX), (9, usize::MAX - 9)]
        {
            for width in [1, 2, 7, 999, 4000, 16_383, WIDEST] {
                for c in [0, 1, width / 3, width / 2, width - 1, width] {
                    let expected = from as u128 + c as u128 * span as u128 / width as u128;
                    assert_eq!(start(from, span, width, c) as u128, expected, "{from} {span} {width} {c}");
                }
            }
        }
    }
}
