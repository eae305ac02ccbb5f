//! Divide and conquer: the envelope of one half of the segments, that of the other, and the lower of both everywhere.
//!
//! Two envelopes are merged in one pass ([`pair`]). The halves are worked on in parallel, and so is every merge of two long
//! envelopes, which is cut at places of the longer one: the last merges take as many threads as the first.
//!
//! Segments are sorted by their left ends, so that what is merged lies side by side: where segments are short, all but
//! the borders is copied. Where they are many and long, most are hidden, and a sample's envelope tells so in a few nanoseconds
//! each ([`hidden`](super::hidden)).
//!
//! Work O(n α(n) log n), extra memory O(n α(n)): an envelope of n segments has O(n α(n)) pieces (Hart and Sharir 1986; the
//! algorithm is Atallah's of 1985, in parallel by Jájá 1992).

#![allow(unsafe_code)]

mod pair;

use thalweg_core::disjoint::Disjoint;
use thalweg_core::memory::{computed, try_with_large_capacity};
use thalweg_core::parallel::for_each_chunk;
use thalweg_core::{Error, Result};

use self::pair::Pair;
use super::lines::Lines;
use super::place::{GAP, Piece};

/// Segments that one task takes, without splitting further.
const BLOCK: usize = 2048;
/// Pieces of two envelopes that one task merges.
const PART: usize = 1 << 14;

/// The envelope of all segments of some lines. Points are still to be put in.
pub(super) fn of_lines(lines: &Lines) -> Result<Vec<Piece>> {
    of_range(lines, 0, lines.proper())
}

fn of_range(lines: &Lines, start: usize, end: usize) -> Result<Vec<Piece>> {
    if end - start <= BLOCK {
        let mut block = Block::default();
        block.push(lines, start as u32, end as u32);
        return Ok(block.stack);
    }
    // Halves of whole blocks, so that the cuts do not depend on the number of threads.
    let middle = start + ((end - start) / 2).next_multiple_of(BLOCK);
    let (left, right) = rayon::join(|| of_range(lines, start, middle), || of_range(lines, middle, end));
    let (mut left, right) = (left?, right?);
    let kept = before(lines, &left, &right);
    let merged = both(lines, Part::of(&left, kept, left.len()), Part::all(&right), pair::lower)?;
    drop(right);
    left.truncate(kept);
    left.try_reserve(merged.len()).map_err(|_| out_of_memory(merged.len()))?;
    left.extend_from_slice(&merged);
    Ok(left)
}

/// How many pieces of one envelope lie to the left of another one, so that nothing happens to them.
fn before(lines: &Lines, one: &[Piece], two: &[Piece]) -> usize {
    two.first().map_or(one.len(), |first| one.partition_point(|piece| lines.compare(&piece.at, &first.at).is_lt()))
}

fn out_of_memory(pieces: usize) -> Error {
    Error::OutOfMemory { bytes: pieces.saturating_mul(size_of::<Piece>()), what: "pieces of an envelope" }
}

/// Envelopes of neighbouring lines, one behind the other, and room for a merge.
#[derive(Default)]
struct Block {
    stack: Vec<Piece>,
    merged: Vec<Piece>,
}

impl Block {
    /// Pushes the envelope of the lines from `start` to `end`.
    fn push(&mut self, lines: &Lines, start: u32, end: u32) {
        match end - start {
            0 => {}
            1 => self
                .stack
                .extend([Piece { at: lines.left(start), line: start }, Piece { at: lines.right(start), line: GAP }]),
            count => {
                let bottom = self.stack.len();
                self.push(lines, start, start + count / 2);
                let middle = self.stack.len();
                self.push(lines, start + count / 2, end);
                self.merged.clear();
                let (one, two) = (&self.stack[bottom..middle], &self.stack[middle..]);
                let kept = before(lines, one, two);
                pair::lower(lines, Pair::all(Part::of(one, kept, one.len()), Part::all(two)), &mut self.merged);
                self.stack.truncate(bottom + kept);
                self.stack.extend_from_slice(&self.merged);
            }
        }
    }
}

/// Some pieces of an envelope, and what comes before them.
#[derive(Clone, Copy)]
struct Part<'p> {
    pieces: &'p [Piece],
    before: u32,
}

impl<'p> Part<'p> {
    fn all(pieces: &'p [Piece]) -> Self {
        Self { pieces, before: GAP }
    }

    fn of(pieces: &'p [Piece], start: usize, end: usize) -> Self {
        Self::all(pieces).part(start, end)
    }

    fn part(self, start: usize, end: usize) -> Self {
        let before = if start == 0 { self.before } else { self.pieces[start - 1].line };
        Self { pieces: &self.pieces[start..end], before }
    }
}

/// How parts of two envelopes are put together.
type Merge = fn(&Lines, Pair<'_>, &mut Vec<Piece>);

/// The envelope with points, which are at the end of the lines.
pub(super) fn with_points(lines: &Lines, envelope: Vec<Piece>) -> Result<Vec<Piece>> {
    // In order; the first of those at the same x is the lowest.
    let mut points: Vec<Piece> = try_with_large_capacity(lines.len() - lines.proper(), "points")?;
    for line in lines.proper() as u32..lines.len() as u32 {
        let at = lines.left(line);
        if points.last().is_none_or(|last| lines.compare(&last.at, &at).is_lt()) {
            points.push(Piece { at, line });
        }
    }
    if points.is_empty() {
        Ok(envelope)
    } else {
        both(lines, Part::all(&envelope), Part::all(&points), pair::with_points)
    }
}

/// Merges two lists, long ones in parts. What comes before the first one comes before the result.
fn both(lines: &Lines, one: Part<'_>, two: Part<'_>, merge: Merge) -> Result<Vec<Piece>> {
    let total = one.pieces.len() + two.pieces.len();
    if total <= 2 * PART {
        let mut merged = Vec::with_capacity(total);
        merge(lines, Pair::all(one, two), &mut merged);
        return Ok(merged);
    }
    // Cut the longer one evenly, and the other one at the same places.
    let swapped = one.pieces.len() < two.pieces.len();
    let (long, short) = if swapped { (two, one) } else { (one, two) };
    let count = total.div_ceil(PART);
    let cuts = computed(count, 1, "cuts", |part| {
        let at = (long.pieces.len() as u128 * part as u128 / count as u128) as usize;
        let cut = &long.pieces[at].at;
        let in_short = short.pieces.partition_point(|piece| lines.compare(&piece.at, cut).is_lt());
        (at, if part == 0 { 0 } else { in_short })
    })?;
    let parts = computed(count, 1, "parts", |part| {
        let (start, next) = (cuts[part], cuts.get(part + 1));
        let end = next.copied().unwrap_or((long.pieces.len(), short.pieces.len()));
        let (long_part, short_part) = (long.part(start.0, end.0), short.part(start.1, end.1));
        let (one, two) = if swapped { (short_part, long_part) } else { (long_part, short_part) };
        let pair = Pair { first: part == 0, end: next.map(|next| &long.pieces[next.0].at), ..Pair::all(one, two) };
        let mut merged = Vec::with_capacity(one.pieces.len() + two.pieces.len() + 1);
        merge(lines, pair, &mut merged);
        merged
    })?;
    joined(&parts, one.before)
}

/// One part after the other, all behind a line. A piece that goes on over a border is one.
fn joined(parts: &[Vec<Piece>], mut last: u32) -> Result<Vec<Piece>> {
    // Of every part: what of it counts, and where that goes.
    let (mut counted, mut len) = (Vec::with_capacity(parts.len()), 0);
    for part in parts {
        let new = &part[usize::from(part.first().is_some_and(|first| first.line == last))..];
        counted.push((len, new));
        len += new.len();
        last = part.last().map_or(last, |piece| piece.line);
    }
    let mut all = try_with_large_capacity(len, "pieces of an envelope")?;
    let place = Disjoint::uninit(&mut all.spare_capacity_mut()[..len]);
    for_each_chunk(counted.len(), 1, &|range| {
        for (at, new) in &counted[range] {
            // SAFETY: the places of the parts are inside, and follow each other.
            unsafe { place.copy_from(*at, new) };
        }
    });
    // SAFETY: the parts have filled everything.
    unsafe { all.set_len(len) };
    Ok(all)
}
