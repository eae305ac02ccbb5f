//! Where to go: extremes, the next smaller element, the smallest ones in order.

use thalweg_core::{Order, Pairs, Position, PositionsMut};

use crate::Series;
use crate::columns::Refusal;

/// Which way to look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Left,
    Right,
}

/// The position of the best element of `from..to`.
pub fn best(series: &Series<'_>, order: Order, from: usize, to: usize) -> Result<usize, Refusal> {
    let (from, to) = inside(series, from, to)?;
    Ok(index(series, order)?.position(from, to - 1))
}

/// The nearest element on a side that is better than the one at `at`: a walk of doubling steps, and back by halves.
/// O(log n) queries.
pub fn next_better(series: &Series<'_>, order: Order, at: usize, side: Side) -> Result<Option<usize>, Refusal> {
    let (index, kind) = (index(series, order)?, series.kind());
    let bits = series.at(at).ok_or_else(|| Refusal::Bad(format!("{at} is beyond the end")))?;
    let rank = kind.rank(bits, order);
    let is_better = |left: usize, right: usize| {
        let best = index.position(left, right);
        series.at(best).is_some_and(|bits| kind.rank(bits, order) < rank)
    };
    // Elements on that side, and the range of those `near..far` away.
    let room = if side == Side::Right { series.len() - 1 - at } else { at };
    let range = |near: usize, far: usize| match side {
        Side::Right => (at + near, at + far),
        Side::Left => (at - far, at - near),
    };
    let (mut near, mut step) = (1, 1);
    while near <= room {
        let far = room.min(near + step - 1);
        let (left, right) = range(near, far);
        if is_better(left, right) {
            // It is among these; halve them.
            let (mut low, mut high) = (near, far);
            while low < high {
                let middle = low + (high - low) / 2;
                let (left, right) = range(low, middle);
                (low, high) = if is_better(left, right) { (low, middle) } else { (middle + 1, high) };
            }
            return Ok(Some(if side == Side::Right { at + low } else { at - low }));
        }
        (near, step) = (far + 1, step * 2);
    }
    Ok(None)
}

/// The positions of the `k` best elements of `from..to`, the best first, on ties the leftmost.
pub fn in_order(series: &Series<'_>, order: Order, from: usize, to: usize, k: usize) -> Result<Vec<usize>, Refusal> {
    let (from, to) = inside(series, from, to)?;
    let mut found = vec![u64::NONE; k.min(to - from)];
    let (range, each) = ([[from as u64, to as u64 - 1]], found.len());
    let (queries, out) = (Pairs::U64(&range), PositionsMut::U64(&mut found));
    let done = index(series, order)?.smallest(series.kind().coding(order), queries, each, out);
    done.map_err(|error| Refusal::Bad(error.to_string()))?;
    Ok(found.iter().filter_map(|position| position.checked()).collect())
}

fn index<'s>(series: &'s Series<'_>, order: Order) -> Result<&'s dyn thalweg_arrays::rmq::RmqEngine, Refusal> {
    let missing = || series.trouble().map_or(Refusal::NotYet, Refusal::Changed);
    series.index(order).map(|index| index as _).ok_or_else(missing)
}

/// The range as far as it lies in the array, if there is anything in it.
fn inside(series: &Series<'_>, from: usize, to: usize) -> Result<(usize, usize), Refusal> {
    let to = to.min(series.len());
    if from < to { Ok((from, to)) } else { Err(Refusal::Bad(format!("nothing lies in {from}..{to}"))) }
}
