//! The common tangent of two chains, one to the left of the other.
//!
//! Both bend the same way. The slope from a fixed point on the left to the points of the right chain falls and then rises
//! (for lower chains), so a binary search finds where it is least: there the point's tangent touches. And if the next point
//! of the left chain is on or above the tangent of this one, the same holds further right: a binary search again. A turn of
//! three points is all that is ever asked.
//!
//! Where an edge lies on the tangent, both of its ends touch. Corners alone are wanted: the outer ends are taken. All points
//! on the boundary: the inner ends, so that everything on the line stays.

use std::cmp::Ordering;

use crate::hull::columns::Side;
use crate::number::Number;

/// Points from left to right that bend one way.
pub(in crate::hull) trait Chain<N> {
    fn len(&self) -> usize;
    fn point(&self, i: usize) -> [N; 2];
}

/// Where the tangent from `from`, which is to the left of the chain, touches it.
pub(in crate::hull) fn touching<N: Number>(
    from: [N; 2],
    chain: &impl Chain<N>,
    edges: std::ops::Range<usize>,
    side: Side,
    boundary: bool,
) -> usize {
    first(edges, |i| match side.turn(from, chain.point(i), chain.point(i + 1)) {
        Ordering::Less => false,
        Ordering::Equal => boundary,
        Ordering::Greater => true,
    })
}

/// Whether the common tangent touches the left chain at point `i` or before it, given where the tangent from `i` touches
/// the right chain. Not asked of the last point, of which it is always true.
pub(in crate::hull) fn is_at_or_after<N: Number>(
    left: &impl Chain<N>,
    i: usize,
    touched: [N; 2],
    side: Side,
    boundary: bool,
) -> bool {
    match side.turn(left.point(i), left.point(i + 1), touched) {
        Ordering::Less => true,
        Ordering::Equal => !boundary,
        Ordering::Greater => false,
    }
}

/// Where the common tangent touches the two chains, neither of which is empty.
pub(super) fn common<N: Number>(
    left: &impl Chain<N>,
    right: &impl Chain<N>,
    side: Side,
    boundary: bool,
) -> (usize, usize) {
    let touched = |i: usize| touching(left.point(i), right, 0..right.len() - 1, side, boundary);
    let i = first(0..left.len() - 1, |i| is_at_or_after(left, i, right.point(touched(i)), side, boundary));
    (i, touched(i))
}

/// The first of these for which something is true that stays true, or the end.
fn first(mut range: std::ops::Range<usize>, is_true: impl Fn(usize) -> bool) -> usize {
    while range.start < range.end {
        let middle = range.start + range.len() / 2;
        if is_true(middle) {
            range.end = middle;
        } else {
            range.start = middle + 1;
        }
    }
    range.start
}
