//! By looking at everything, in fractions: the oracle.
//!
//! The lowest segment right behind a place is found by comparing all, and so is the next place: where it ends, or where
//! another one is lower for the first time. O(n) for each piece, and no doubles anywhere.

use std::cmp::Ordering;

use num_rational::BigRational;
use thalweg_core::Result;

use super::lines::Lines;
use super::place::{GAP, Piece, Place};

/// An x: a number, or beyond all numbers on the left.
type X = Option<BigRational>;

/// A segment as y = slope x + height, from `left` to `right`.
struct Segment {
    left: X,
    /// `None`: it goes on for ever.
    right: X,
    slope: BigRational,
    height: BigRational,
}

impl Segment {
    fn value(&self, x: &BigRational) -> BigRational {
        &self.slope * x + &self.height
    }

    /// Whether it covers what is right behind `x`.
    fn covers_after(&self, x: &X) -> bool {
        self.left <= *x && self.right.as_ref().is_none_or(|right| x.as_ref() < Some(right))
    }

    /// Whether it covers `x`.
    fn covers(&self, x: &BigRational) -> bool {
        self.left.as_ref() <= Some(x) && self.right.as_ref().is_none_or(|right| x <= right)
    }

    /// Which of two is lower right behind `x`.
    fn compare_after(&self, other: &Self, x: &X) -> Ordering {
        match x {
            Some(x) => self.value(x).cmp(&other.value(x)).then_with(|| self.slope.cmp(&other.slope)),
            // Far to the left the steeper one is lower.
            None => other.slope.cmp(&self.slope).then_with(|| self.height.cmp(&other.height)),
        }
    }
}

/// The envelope of some lines, points included.
pub(super) fn of_lines(lines: &Lines) -> Result<Vec<Piece>> {
    let segments: Vec<Segment> = (0..lines.proper() as u32).map(|line| segment(lines, line)).collect();
    let mut pieces = Vec::new();
    let first = (0..segments.len()).min_by(|&i, &j| segments[i].left.cmp(&segments[j].left));
    let mut next = first.map(|first| (segments[first].left.clone(), lines.left(first as u32)));
    while let Some((x, at)) = next {
        let lowest = lowest_after(lines, &segments, &x);
        pieces.push(Piece { at, line: lowest.map_or(GAP, |lowest| lowest as u32) });
        next = match lowest {
            Some(lowest) => next_change(lines, &segments, lowest, &x),
            None => next_begin(lines, &segments, &x),
        };
    }
    Ok(with_points(lines, &segments, pieces))
}

fn segment(lines: &Lines, line: u32) -> Segment {
    let [left, right] = [lines.left(line), lines.right(line)].map(|end| lines.exact.exact_place(&end));
    let (slope, height) = lines.exact.slope_and_height(line);
    Segment { left, right, slope, height }
}

fn lowest_after(lines: &Lines, segments: &[Segment], x: &X) -> Option<usize> {
    let there = (0..segments.len()).filter(|&i| segments[i].covers_after(x));
    there.min_by(|&i, &j| {
        let ids = || lines.id(i as u32).cmp(&lines.id(j as u32));
        segments[i].compare_after(&segments[j], x).then_with(ids)
    })
}

/// Where the lowest segment ends, or another one is lower for the first time; `None` if never.
fn next_change(lines: &Lines, segments: &[Segment], lowest: usize, x: &X) -> Option<(X, Place)> {
    let own = &segments[lowest];
    let end = own.right.clone().map(|right| (Some(right), lines.right(lowest as u32)));
    let others = segments.iter().enumerate().filter(|&(i, _)| i != lowest).filter_map(|(i, other)| {
        let begin = (other.left.clone(), lines.left(i as u32));
        let when = match other.slope.cmp(&own.slope) {
            Ordering::Equal => {
                let ids = || lines.id(i as u32).cmp(&lines.id(lowest as u32));
                other.height.cmp(&own.height).then_with(ids).is_lt().then_some(begin)?
            }
            order => {
                let crossing = Some((&other.height - &own.height) / (&own.slope - &other.slope));
                if order.is_lt() {
                    // Lower behind the crossing.
                    let crosses = || (crossing.clone(), lines.crossing(i as u32, lowest as u32));
                    if other.left >= crossing { begin } else { crosses() }
                } else {
                    (other.left < crossing).then_some(begin)?
                }
            }
        };
        // It must not have been before, and must still be there.
        let is_later = when.0 > *x && other.right.as_ref().is_none_or(|right| when.0.as_ref() < Some(right));
        is_later.then_some(when)
    });
    others.chain(end).min_by(|one, two| one.0.cmp(&two.0))
}

fn next_begin(lines: &Lines, segments: &[Segment], x: &X) -> Option<(X, Place)> {
    let later = (0..segments.len()).filter(|&i| segments[i].left > *x);
    let first = later.min_by(|&i, &j| segments[i].left.cmp(&segments[j].left))?;
    Some((segments[first].left.clone(), lines.left(first as u32)))
}

/// Puts in the points that lie below every segment.
fn with_points(lines: &Lines, segments: &[Segment], mut pieces: Vec<Piece>) -> Vec<Piece> {
    let points = lines.proper() as u32..lines.len() as u32;
    let place = |point: u32| lines.exact.exact_place(&lines.left(point)).expect("points are finite");
    let height = |point: u32| lines.exact.slope_and_height(point).1;
    for point in points.clone() {
        let (x, y) = (place(point), height(point));
        let hidden_by_point = points.clone().any(|other| {
            other != point && place(other) == x && (height(other), lines.id(other)) < (y.clone(), lines.id(point))
        });
        if hidden_by_point || segments.iter().any(|segment| segment.covers(&x) && segment.value(&x) <= y) {
            continue;
        }
        let starts = |piece: &Piece| lines.exact.exact_place(&piece.at);
        let after = pieces.partition_point(|piece| starts(piece) <= Some(x.clone()));
        let line = if after == 0 { GAP } else { pieces[after - 1].line };
        let at = lines.left(point);
        if after > 0 && starts(&pieces[after - 1]) == Some(x) {
            pieces.insert(after - 1, Piece { at, line: point });
        } else {
            pieces.splice(after..after, [Piece { at, line: point }, Piece { at, line }]);
        }
    }
    pieces
}
