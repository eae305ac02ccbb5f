//! What is drawn: the smallest and the largest element of every column of pixels.

use std::fmt;

use thalweg_core::storage::bytes_of;
use thalweg_core::{Order, Pairs, Rank, by_width};

use crate::Series;

/// Columns at most: more than any screen has.
pub const WIDEST: usize = 1 << 14;
/// Elements at most that are told one by one.
pub const MOST_POINTS: usize = 1 << 16;

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

/// The first element of column `c` of `width`, of those that show the elements from `from` on, `span` of them; that of column
/// `width` is the end. Every column has an element if `span >= width`.
pub fn start(from: usize, span: usize, width: usize, c: usize) -> usize {
    from + (c as u128 * span as u128 / width as u128) as usize
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
    let (minima, maxima) = both(series)?;
    let len = series.len();
    let mut queries: Vec<[u64; 2]> = Vec::with_capacity(width);
    let mut left = from;
    for c in 1..=width {
        if left >= len {
            break;
        }
        let next = start(from, span, width, c);
        queries.push([left as u64, (next.min(len) - 1) as u64]);
        left = next;
    }
    let answer = |e: thalweg_core::Error| Refusal::Bad(e.to_string());
    fn room<R: Rank>(_: &[R], len: usize) -> Vec<R> {
        vec![R::default(); len]
    }
    by_width!(Bits, series.bits(), words => {
        let mut out = room(words, 2 * queries.len());
        let (low, high) = out.split_at_mut(queries.len());
        minima.values(Pairs::U64(&queries), Rank::erase_mut(low)).map_err(answer)?;
        maxima.values(Pairs::U64(&queries), Rank::erase_mut(high)).map_err(answer)?;
        Ok(bytes_of(&out).to_vec())
    })
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
