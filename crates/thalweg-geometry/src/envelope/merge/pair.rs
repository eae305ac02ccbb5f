//! Two envelopes, or parts of them, put together in one pass from left to right.

use std::cmp::Ordering;

use super::super::lines::{Lines, Lower};
use super::super::place::{GAP, Piece, Place};
use super::Part;

/// What of two envelopes is put together.
#[derive(Clone, Copy)]
pub(super) struct Pair<'p> {
    pub(super) one: Part<'p>,
    pub(super) two: Part<'p>,
    /// Whether what comes before the first envelope comes before the result. If not, the first piece counts anyway.
    pub(super) first: bool,
    /// Where the parts end, unless they are the last.
    pub(super) end: Option<&'p Place>,
}

impl<'p> Pair<'p> {
    /// To the end of both.
    pub(super) fn all(one: Part<'p>, two: Part<'p>) -> Self {
        Self { one, two, first: true, end: None }
    }
}

/// No line, and no gap either.
const NOTHING: u32 = GAP - 1;

/// The lower of two envelopes everywhere.
///
/// Between two neighbouring places of either envelope there is one line of each, or none. The lower one goes on, and where
/// they cross a new place is made. Equal places count as one.
pub(super) fn lower(lines: &Lines, pair: Pair<'_>, out: &mut Vec<Piece>) {
    let Pair { one: Part { pieces: one, before: mut a }, two: Part { pieces: two, before: mut b }, .. } = pair;
    let mut out = Output::new(&pair, out);
    let (mut i, mut j) = (0, 0);
    let mut order = next(lines, one, two);
    while let Some(now) = order {
        let from = if now.is_le() { &one[i].at } else { &two[j].at };
        if now.is_le() {
            a = one[i].line;
            i += 1;
        }
        if now.is_ge() {
            b = two[j].line;
            j += 1;
        }
        order = next(lines, &one[i..], &two[j..]);
        if a == GAP && i == one.len() {
            // Nothing happens to the rest.
            out.put(from, b);
            return out.rest(&two[j..]);
        }
        if b == GAP && j == two.len() {
            out.put(from, a);
            return out.rest(&one[i..]);
        }
        if a == GAP || b == GAP {
            out.put(from, if a == GAP { b } else { a });
            continue;
        }
        let to = match order {
            Some(Ordering::Greater) => &two[j].at,
            Some(_) => &one[i].at,
            None => pair.end.expect("an envelope ends with a gap"),
        };
        match lines.lower(a, b, from, to) {
            Lower::First => out.put(from, a),
            Lower::Second => out.put(from, b),
            Lower::FirstThenSecond(crossing) => {
                out.put(from, a);
                out.put(&crossing, b);
            }
            Lower::SecondThenFirst(crossing) => {
                out.put(from, b);
                out.put(&crossing, a);
            }
        }
    }
}

/// An envelope and points, each at an x of its own: a point counts where it lies below the envelope, or in a gap. Its piece
/// begins and ends at the same place. What it touches stays as it is.
pub(super) fn with_points(lines: &Lines, pair: Pair<'_>, out: &mut Vec<Piece>) {
    let Pair { one: Part { pieces: envelope, before: mut line }, two: Part { pieces: points, .. }, .. } = pair;
    let mut out = Output::new(&pair, out);
    let (mut i, mut j) = (0, 0);
    while let Some(now) = next(lines, &envelope[i..], &points[j..]) {
        let before = line;
        let at = if now.is_le() { &envelope[i].at } else { &points[j].at };
        if now.is_le() {
            line = envelope[i].line;
            i += 1;
        }
        if now.is_ge() {
            let point = points[j].line;
            j += 1;
            // Segments are closed: the one that ends here counts, too.
            let hides = |line: u32| line != GAP && lines.compare_with_point(line, point).is_le();
            if !hides(before) && (line == before || !hides(line)) {
                out.put(at, point);
            }
        }
        out.put(at, line);
    }
}

/// Which of two lists has the next place, or both, unless both are at their end.
#[inline(always)]
fn next(lines: &Lines, one: &[Piece], two: &[Piece]) -> Option<Ordering> {
    match (one.first(), two.first()) {
        (Some(p), Some(q)) => Some(lines.compare(&p.at, &q.at)),
        (Some(_), None) => Some(Ordering::Less),
        (None, Some(_)) => Some(Ordering::Greater),
        (None, None) => None,
    }
}

/// The pieces so far, and the line of the last one.
struct Output<'o> {
    pieces: &'o mut Vec<Piece>,
    last: u32,
}

impl<'o> Output<'o> {
    fn new(pair: &Pair<'_>, pieces: &'o mut Vec<Piece>) -> Self {
        Self { pieces, last: if pair.first { pair.one.before } else { NOTHING } }
    }

    /// Pieces of one envelope.
    fn rest(mut self, pieces: &[Piece]) {
        if let Some((first, more)) = pieces.split_first() {
            self.put(&first.at, first.line);
            self.pieces.extend_from_slice(more);
        }
    }

    /// A line from a place on, unless it goes on anyway.
    #[inline(always)]
    fn put(&mut self, at: &Place, line: u32) {
        if self.last != line {
            self.last = line;
            self.pieces.push(Piece { at: *at, line });
        }
    }
}
