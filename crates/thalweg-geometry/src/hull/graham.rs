//! `graham`: the textbook's scan.
//!
//! Graham, "An efficient algorithm for determining the convex hull of a finite planar set", 1972. The smallest point by x and
//! y is a corner. The others are sorted by the angle at which it sees them, nearer ones first where that is the same; angles
//! are compared by the turn of three points, not computed. Then a stack, from which everything goes that would be a turn to
//! the right.
//!
//! Work O(n log n), on one thread; extra memory 24 bytes a point and the sort's.

use std::cmp::Ordering;

use thalweg_core::error::try_with_capacity;
use thalweg_core::{Positions, Result};

use super::answer::around;
use super::columns::Site;
use crate::number::{Number, lexicographic};

pub(super) fn hull<N: Number>(points: &[[N; 2]], boundary: bool) -> Result<Positions> {
    let mut sites = try_with_capacity(points.len(), "points to sort")?;
    sites.extend((0..).zip(points).map(|(index, &point)| Site { point, index }));
    let smallest = sites.iter().copied().min_by(|a, b| lexicographic(a.point, b.point));
    let Some(pivot) = smallest else { return around::<N>(Vec::new(), Vec::new(), &Default::default(), 0) };
    sites.retain(|site| !site.is_at(&pivot));
    // All are larger than the pivot by x and y: on a ray from it, larger is farther. The sort is stable, so of equal points
    // the first stays.
    sites.sort_by(|a, b| N::orientation(pivot.point, b.point, a.point).then_with(|| lexicographic(a.point, b.point)));
    sites.dedup_by(|next, site| next.is_at(site));
    if boundary {
        // On the last ray the way leads back to the pivot, unless it is the only one.
        let back = sites.last().map_or(0, |&last| {
            sites.partition_point(|site| N::orientation(pivot.point, site.point, last.point) == Ordering::Greater)
        });
        if back > 0 {
            sites[back..].reverse();
        }
    }
    let mut path = try_with_capacity(sites.len() + 1, "hull")?;
    path.push(pivot);
    for site in sites {
        while let [.., before, last] = path[..] {
            match N::orientation(before.point, last.point, site.point) {
                Ordering::Greater => break,
                Ordering::Equal if boundary => break,
                _ => _ = path.pop(),
            }
        }
        path.push(site);
    }
    around(vec![&path], Vec::new(), &Default::default(), points.len())
}
