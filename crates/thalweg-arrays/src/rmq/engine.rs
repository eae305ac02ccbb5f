//! What an engine is, to its users.

use std::fmt;

use super::explain::Explanation;
use thalweg_core::bits::{Bits, BitsMut};
use thalweg_core::error::expect_len;
use thalweg_core::parallel::find_first;
use thalweg_core::{Coding, Error, Pairs, Position, Positions, PositionsMut, PositionsRef, Rank, Result, by_width};

/// What every RMQ engine provides, on whatever device.
///
/// An engine is built from the bits of an array and a [`Coding`](thalweg_core::Coding), and answers for that array and
/// order ever after; it knows no key type. Answers are exact: the leftmost best position of the range, and the bits
/// found there.
///
/// Ranges are `left..=right`, and for single queries the caller makes sure that `left <= right < len`;
/// [`Rmq`](super::Rmq) does.
pub trait RmqEngine: fmt::Debug + Send + Sync {
    /// The engine's name.
    fn name(&self) -> &'static str;
    /// Length of the array.
    fn len(&self) -> usize;
    /// Whether the array is empty. Then every query is out of range.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Bytes of memory held in addition to the array itself.
    fn extra_bytes(&self) -> usize;
    /// Position of the best element of a range. An engine on a device that may fail answers from the host's array then.
    fn position(&self, left: usize, right: usize) -> usize;
    /// The same, with the device's failure as an error.
    ///
    /// # Errors
    /// Those of the device.
    fn try_position(&self, left: usize, right: usize) -> Result<usize> {
        Ok(self.position(left, right))
    }
    /// The bits of the best element of a range, in the low bits; `None` without [`RmqEngine::has_values`].
    fn value(&self, left: usize, right: usize) -> Option<u64>;
    /// The same, with the device's failure as an error.
    ///
    /// # Errors
    /// Those of the device.
    fn try_value(&self, left: usize, right: usize) -> Result<Option<u64>> {
        Ok(self.value(left, right))
    }
    /// Positions for a batch.
    ///
    /// # Errors
    /// [`expect_positions`]; [`Error::Query`] for the first range that is not inside the array, and then the output is
    /// unspecified; those of the device.
    fn positions(&self, queries: Pairs<'_>, out: PositionsMut<'_>) -> Result<()>;
    /// The same for the elements' bits.
    ///
    /// # Errors
    /// [`Error::NoValues`] without [`RmqEngine::has_values`]; [`expect_values`]; the others of [`RmqEngine::positions`].
    fn values(&self, queries: Pairs<'_>, out: BitsMut<'_>) -> Result<()>;
    /// The bits of the array, on the host, unless the index lives without it.
    fn array(&self) -> Option<Bits<'_>>;
    /// Whether the engine can reach the array, and so tell values and not only positions.
    fn has_values(&self) -> bool {
        self.array().is_some()
    }
    /// For every range of a batch the positions of its `each` best elements, the best first, the leftmost first on ties;
    /// where it has fewer, [`Position::NONE`](thalweg_core::Position::NONE) for the rest. The coding is that of the index.
    /// Engines of the CPU do what [`smallest_each`](super::smallest_each) does.
    ///
    /// # Errors
    /// [`Error::NoValues`] without [`RmqEngine::has_values`]; [`expect_rows`]; [`Error::Query`] as for
    /// [`RmqEngine::positions`]; [`Error::Width`] if positions of 32 bits have no number left for "none"; those of the device.
    fn smallest(&self, coding: Coding, queries: Pairs<'_>, each: usize, out: PositionsMut<'_>) -> Result<()>;
    /// For every range of a batch the positions of the elements that are not worse than its threshold, in ascending order:
    /// how many each has, and all of them, in the queries' width. There is one threshold, or one for every range. The coding
    /// is that of the index. Engines of the CPU do what [`below_each`](super::below_each) does.
    ///
    /// # Errors
    /// [`Error::Length`] for another number of thresholds, [`Error::Bits`] for thresholds of another width,
    /// [`Error::OutOfMemory`]; the others of [`RmqEngine::smallest`].
    fn below(&self, coding: Coding, queries: Pairs<'_>, thresholds: Bits<'_>) -> Result<[Positions; 2]>;
    /// How the range's answer is found, step by step, where the engine can tell: `lines` can.
    fn explain(&self, _left: usize, _right: usize) -> Option<Explanation> {
        None
    }
    /// The engine as one that follows changes of its array, if it is one.
    fn as_changing(&mut self) -> Option<&mut dyn ChangingEngine> {
        None
    }
    /// What is saved of the index, beside the type of its keys and the order.
    ///
    /// # Errors
    /// [`Error::BadOption`] for engines that have no form on disk: all but those of [`file::SAVED`](super::file::SAVED).
    #[cfg(feature = "file")]
    fn contents(&self) -> Result<super::file::contents::Contents<'_>> {
        Err(super::file::contents::not_saved(self.name()))
    }
}

/// What an engine provides that follows changes of its array, on whatever device: the array is its own.
///
/// After an error nothing has changed, but for a failure of the device, after which every query fails.
pub trait ChangingEngine {
    /// Sets elements, in the order of the batch: the last one of several at a position wins.
    ///
    /// # Errors
    /// [`Error::Change`] for the first position that is not inside the array, [`Error::Length`] and [`Error::Bits`] for other
    /// values than the positions and the array want, [`Error::OutOfMemory`]; those of the device.
    fn set_batch(&mut self, positions: PositionsRef<'_>, values: Bits<'_>) -> Result<()>;
    /// Appends elements.
    ///
    /// # Errors
    /// [`Error::Bits`] for values of another width, [`Error::OutOfMemory`]; those of the device.
    fn append(&mut self, values: Bits<'_>) -> Result<()>;
    /// Makes room for an array of so many elements, so that what is appended up to there moves nothing.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`]; those of the device.
    fn reserve(&mut self, len: usize) -> Result<()>;
}

/// Checks that the positions of a batch have the queries' number and width: every engine does that first.
///
/// # Errors
/// [`Error::Length`] or [`Error::Bits`] if they do not.
pub fn expect_positions(queries: Pairs<'_>, out: &PositionsMut<'_>) -> Result<()> {
    expect_len(WHAT, out.len(), queries.len())?;
    expect_same_width(queries, out)
}

fn expect_same_width(queries: Pairs<'_>, out: &PositionsMut<'_>) -> Result<()> {
    let got = if matches!(out, PositionsMut::U32(_)) { 32 } else { 64 };
    let expected = if matches!(queries, Pairs::U32(_)) { 32 } else { 64 };
    if got == expected { Ok(()) } else { Err(Error::Bits { what: WHAT, expected, got }) }
}

/// Checks that the positions of a batch have the queries' width, and room for `each` of every query.
///
/// # Errors
/// [`Error::Length`] or [`Error::Bits`] if they do not.
pub fn expect_rows(queries: Pairs<'_>, each: usize, out: &PositionsMut<'_>) -> Result<()> {
    expect_len(WHAT, out.len(), queries.len().saturating_mul(each))?;
    expect_same_width(queries, out)
}

/// Checks that there is one threshold or one for every query, of keys of so many bytes.
///
/// # Errors
/// [`Error::Length`] or [`Error::Bits`] if not.
pub fn expect_thresholds(queries: Pairs<'_>, thresholds: Bits<'_>, bytes: usize) -> Result<()> {
    if thresholds.len() != 1 {
        expect_len("thresholds", thresholds.len(), queries.len())?;
    }
    let (expected, got) = (8 * bytes as u32, 8 * thresholds.width() as u32);
    if got == expected { Ok(()) } else { Err(Error::Bits { what: "thresholds", expected, got }) }
}

/// Checks that the values of a batch have the queries' number and the array's width in bytes.
///
/// # Errors
/// [`Error::Length`] or [`Error::Bits`] if they do not.
pub fn expect_values(queries: Pairs<'_>, out: &BitsMut<'_>, bytes: usize) -> Result<()> {
    expect_len(WHAT, out.len(), queries.len())?;
    let (expected, got) = (8 * bytes as u32, by_width!(BitsMut, out, words => bits_of(words)));
    if got == expected { Ok(()) } else { Err(Error::Bits { what: WHAT, expected, got }) }
}

const WHAT: &str = "output of the batch";

fn bits_of<R>(_: &[R]) -> u32 {
    8 * size_of::<R>() as u32
}

/// The error for a change of an element that does not exist.
pub fn bad_change<P: Position>(row: usize, position: P, len: usize) -> Error {
    Error::Change { row, position: position.get() as u64, len }
}

/// The values of a batch of changes, if they have the array's width and, where there are positions, their number.
pub(super) fn expect_changes<'v, R: Rank>(positions: Option<PositionsRef<'_>>, values: Bits<'v>) -> Result<&'v [R]> {
    const WHAT: &str = "the values of a change";
    if let Some(positions) = positions {
        expect_len(WHAT, values.len(), positions.len())?;
    }
    let got = 8 * values.width() as u32;
    R::of_bits(values).ok_or(Error::Bits { what: WHAT, expected: R::BITS, got })
}

/// The error for the first query that is not inside the array, if there is one.
pub(super) fn first_bad_query(queries: Pairs<'_>, len: usize) -> Option<Error> {
    /// Queries that one task looks at.
    const TASK: usize = 1 << 13;
    fn first<P: Position>(queries: &[[P; 2]], len: usize) -> Option<(usize, [u64; 2])> {
        let bad = |[left, right]: [P; 2]| left > right || right.get() >= len;
        let row = find_first(queries.len(), TASK, &|range| {
            let start = range.start;
            queries[range].iter().position(|&query| bad(query)).map(|row| start + row)
        })?;
        Some((row, queries[row].map(|bound| bound.get() as u64)))
    }
    let found = match queries {
        Pairs::U32(queries) => first(queries, len),
        Pairs::U64(queries) => first(queries, len),
    };
    found.map(|(row, [left, right])| Error::Query { row, left, right, len })
}
