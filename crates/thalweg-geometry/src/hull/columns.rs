//! Points in columns: those with the same x, from left to right.
//!
//! Of a column only the lowest and the highest point can be corners, so no column is ever sorted, with one exception: the
//! first and the last are edges of the hull, all of whose points are told if the boundary is asked for. A chain has one
//! point a column, so its x increase strictly.

use std::cmp::Ordering;
use std::ops::Range;

use thalweg_core::memory::computed;
use thalweg_core::primitives::{compact, positions_where, sort_idx};
use thalweg_core::simd::prefetch;
use thalweg_core::{Position, Positions, Result};

use crate::number::Number;

/// A point, and its position in the input.
#[derive(Clone, Copy, Debug)]
pub(super) struct Site<N> {
    pub(super) point: [N; 2],
    pub(super) index: u64,
}

impl<N: Number> Site<N> {
    pub(super) fn is_at(&self, other: &Self) -> bool {
        self.point == other.point
    }
}

/// Elements that a task makes.
const GRAIN: usize = 1 << 14;

/// How many points ahead of its use a point is asked for: it lies anywhere.
const AHEAD: usize = 16;

/// Positions in order of x; where it is the same, in their own order.
pub(super) fn by_x<N: Number>(points: &[[N; 2]]) -> Result<Positions> {
    sort_idx(&computed(points.len(), GRAIN, "x coordinates", |i| points[i][0])?)
}

/// Runs `$body` with the positions in their width.
macro_rules! in_width {
    ($positions:expr, $order:ident => $body:expr) => {
        match $positions {
            thalweg_core::Positions::U32($order) => $body,
            thalweg_core::Positions::U64($order) => $body,
        }
    };
}
pub(super) use in_width;

fn site<N: Number, P: Position>(points: &[[N; 2]], index: P) -> Site<N> {
    Site { point: points[index.get()], index: index.get() as u64 }
}

/// Calls `column` with the lowest and the highest point of every column, from left to right.
#[inline(always)]
pub(super) fn for_each_column<N: Number, P: Position>(
    points: &[[N; 2]],
    order: &[P],
    mut column: impl FnMut(Site<N>, Site<N>),
) {
    let Some((&first, rest)) = order.split_first() else { return };
    let mut lowest = site(points, first);
    let mut highest = lowest;
    for (i, &next) in rest.iter().enumerate() {
        if let Some(later) = rest.get(i + AHEAD) {
            prefetch(points, later.get());
        }
        let next = site(points, next);
        if next.point[0] != lowest.point[0] {
            column(lowest, highest);
            (lowest, highest) = (next, next);
        } else if next.point[1] < lowest.point[1] {
            lowest = next;
        } else if next.point[1] > highest.point[1] {
            highest = next;
        }
    }
    column(lowest, highest);
}

/// The lowest and the highest points of all columns.
pub(super) fn all<N: Number>(points: &[[N; 2]], order: &Positions) -> Result<[Vec<Site<N>>; 2]> {
    in_width!(order, order => {
        let x = |i: usize| points[order[i].get()][0];
        let mut starts = positions_where::<u64>(order.len(), |i| i == 0 || x(i) != x(i - 1))?;
        starts.push(order.len() as u64);
        let pairs = computed(starts.len() - 1, GRAIN / 16, "columns", |i| {
            let mut pair = None;
            for_each_column(points, &order[starts[i] as usize..starts[i + 1] as usize], |low, high| {
                pair = Some([low, high]);
            });
            pair.expect("a column has a point")
        })?;
        Ok([
            computed(pairs.len(), GRAIN, "lowest points", |i| pairs[i][0])?,
            computed(pairs.len(), GRAIN, "highest points", |i| pairs[i][1])?,
        ])
    })
}

/// The points of the first and of the last column between their lowest and highest point, from bottom to top, every place
/// once. If there is but one column, it is the last.
pub(super) fn inner_points_of_ends<N: Number>(points: &[[N; 2]], order: &Positions) -> Result<[Vec<Site<N>>; 2]> {
    in_width!(order, order => {
        let (Some(first), Some(last)) = (order.first(), order.last()) else { return Ok([Vec::new(), Vec::new()]) };
        let left_end = order.partition_point(|&i| points[i.get()][0] <= points[first.get()][0]);
        let right_start = order.partition_point(|&i| points[i.get()][0] < points[last.get()][0]);
        let left = if left_end < order.len() { 0..left_end } else { 0..0 };
        Ok([inner_points(points, order, left)?, inner_points(points, order, right_start..order.len())?])
    })
}

fn inner_points<N: Number, P: Position>(points: &[[N; 2]], order: &[P], range: Range<usize>) -> Result<Vec<Site<N>>> {
    let column = &order[range];
    let mut ends = None;
    for_each_column(points, column, |low, high| ends = Some((low.point[1], high.point[1])));
    let Some((low, high)) = ends else { return Ok(Vec::new()) };
    let sites = computed(column.len(), GRAIN, "an edge", |i| site(points, column[i]))?;
    let inner = compact(&sites, |site| low < site.point[1] && site.point[1] < high)?;
    let by_y = sort_idx(&computed(inner.len(), GRAIN, "y coordinates", |i| inner[i].point[1])?)?;
    let at = |i: usize| inner[by_y.at(i).expect("a position")];
    // Equal points stand in the order of their positions: the first of them stays.
    let places = positions_where::<u64>(inner.len(), |i| i == 0 || at(i).point[1] != at(i - 1).point[1])?;
    computed(places.len(), GRAIN, "an edge", |i| at(places[i] as usize))
}

/// Which of two chains: the lower one or the upper one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Lower,
    Upper,
}

impl Side {
    /// Which way the path turns: `Greater` as the chain itself does from left to right.
    #[inline(always)]
    pub(super) fn turn<N: Number>(self, a: [N; 2], b: [N; 2], c: [N; 2]) -> Ordering {
        match self {
            Self::Lower => N::orientation(a, b, c),
            Self::Upper => N::orientation(c, b, a),
        }
    }

    /// Whether the first number is further out.
    pub(super) fn is_outside<N: Number>(self, y: N, of: N) -> bool {
        match self {
            Self::Lower => y < of,
            Self::Upper => y > of,
        }
    }
}
