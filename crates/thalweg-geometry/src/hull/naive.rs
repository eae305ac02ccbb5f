//! `naive`: around the hull, looking at all points for every corner.
//!
//! Jarvis, "On the identification of the convex hull of a finite set of points in the plane", 1973. Every turn is computed in
//! big integers, without a filter: nothing here relies on floating-point arithmetic. The oracle of the tests. Work O(n h).

use std::cmp::Ordering;

use thalweg_core::{Positions, Result};

use super::answer::around;
use super::columns::Site;
use crate::number::{Number, lexicographic};

pub(super) fn hull<N: Number>(points: &[[N; 2]], boundary: bool) -> Result<Positions> {
    let sites = || (0..).zip(points).map(|(index, &point)| Site { point, index });
    // Of equal points `min_by` tells the first.
    let Some(start) = sites().min_by(|a, b| lexicographic(a.point, b.point)) else {
        return around::<N>(Vec::new(), Vec::new(), &Default::default(), 0);
    };
    let mut corners = vec![start];
    loop {
        let corner = corners[corners.len() - 1];
        // The next corner has all points on its left, and is the farthest of those on the edge.
        let mut next = corner;
        for site in sites() {
            if site.is_at(&corner) {
                continue;
            }
            let is_further_out = match N::slow_orientation(corner.point, next.point, site.point) {
                _ if next.is_at(&corner) => true,
                Ordering::Less => true,
                Ordering::Equal => is_between(corner, next, site),
                Ordering::Greater => false,
            };
            if is_further_out {
                next = site;
            }
        }
        if next.is_at(&start) {
            break;
        }
        corners.push(next);
    }
    let mut path = Vec::new();
    for (i, &corner) in corners.iter().enumerate() {
        path.push(corner);
        let next = corners[(i + 1) % corners.len()];
        // All points on one line: the way back tells nothing new.
        if boundary && !(corners.len() == 2 && i == 1) {
            let is_on_edge = |site: &Site<N>| {
                N::slow_orientation(corner.point, next.point, site.point) == Ordering::Equal
                    && is_between(corner, *site, next)
            };
            let mut edge: Vec<Site<N>> = sites().filter(is_on_edge).collect();
            edge.sort_by(|a, b| lexicographic(a.point, b.point));
            edge.dedup_by(|next, site| next.is_at(site));
            if lexicographic(next.point, corner.point) == Ordering::Less {
                edge.reverse();
            }
            path.extend(edge);
        }
    }
    around(vec![&path], Vec::new(), &Default::default(), points.len())
}

/// Whether the second of three points on a line is strictly between the others.
fn is_between<N: Number>(a: Site<N>, b: Site<N>, c: Site<N>) -> bool {
    let order = lexicographic(a.point, b.point);
    order != Ordering::Equal && order == lexicographic(b.point, c.point)
}
