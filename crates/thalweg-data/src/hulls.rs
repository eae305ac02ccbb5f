//! Whether a list of positions is the convex hull: a certificate that is checked in exact arithmetic.
//!
//! There is one right answer, and it is told by these properties, which need no other way to compute a hull: the path goes
//! right along points that turn left, then back left along points that turn left; no point is outside of it; of equal points
//! it has the lowest position.

use std::cmp::Ordering;

use thalweg_core::parallel::find_first;

use crate::exact::{Exact, order, turn};

/// Checks that `hull` is the convex hull of the points: positions counter-clockwise from the smallest point by x and y; its
/// corners, or all points on its boundary, each place once.
///
/// # Errors
/// What is wrong with it.
pub fn check_hull<K: Exact>(points: &[[K; 2]], hull: &[usize], boundary: bool) -> Result<(), String> {
    let certificate = Certificate::new(points, hull, boundary)?;
    let wrong = |i: usize| certificate.complaint(i);
    match find_first(points.len(), 1 << 12, &|mut range| range.find(|&i| wrong(i).is_some())) {
        Some(i) => Err(wrong(i).expect("it was wrong a moment ago")),
        None => Ok(()),
    }
}

/// A path that is convex, and that every point can be held against: it is the hull if none complains.
#[derive(Debug)]
pub struct Certificate<'a, K> {
    points: &'a [[K; 2]],
    boundary: bool,
    /// All that are told, by x and y.
    places: Vec<(usize, [K; 2])>,
    /// The lower and the upper chain from left to right.
    chains: [Vec<[K; 2]>; 2],
}

impl<'a, K: Exact> Certificate<'a, K> {
    /// Checks that the path is convex. Work O(h log h).
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn new(points: &'a [[K; 2]], hull: &[usize], boundary: bool) -> Result<Self, String> {
        if points.is_empty() && hull.is_empty() {
            return Ok(Self { points, boundary, places: Vec::new(), chains: [Vec::new(), Vec::new()] });
        }
        if let Some(position) = hull.iter().find(|&&position| position >= points.len()) {
            return Err(format!("position {position} of {} points", points.len()));
        }
        let corners: Vec<[K; 2]> = hull.iter().map(|&position| points[position]).collect();
        let [lower, upper] = chains(&corners)?;
        for (name, chain) in [("lower", &lower), ("upper", &upper)] {
            for path in chain.windows(3) {
                match turn(path[0], path[1], path[2]) {
                    Ordering::Less => return Err(format!("the {name} chain turns right at {:?}", path[1])),
                    Ordering::Equal if !boundary => return Err(format!("{:?} is no corner", path[1])),
                    _ => {}
                }
            }
        }
        // Where the chains meet they must turn left too, or their points would not all be corners.
        if !boundary && corners.len() > 2 {
            for (before, at) in [(lower[lower.len() - 2], &upper[..2]), (upper[upper.len() - 2], &lower[..2])] {
                if turn(before, at[0], at[1]) != Ordering::Greater {
                    return Err(format!("{:?} is no corner", at[0]));
                }
            }
        }
        let mut places: Vec<(usize, [K; 2])> = hull.iter().copied().zip(corners).collect();
        places.sort_by(|a, b| lexicographic(a.1, b.1));
        if let Some(pair) = places.windows(2).find(|pair| lexicographic(pair[0].1, pair[1].1) == Ordering::Equal) {
            return Err(format!("{:?} is told twice", pair[0].1));
        }
        let chains = [lower, upper.into_iter().rev().collect()];
        Ok(Self { points, boundary, places, chains })
    }

    /// What is wrong, if point `i` shows that something is. Work O(log h).
    pub fn complaint(&self, i: usize) -> Option<String> {
        let point = self.points[i];
        if let Ok(at) = self.places.binary_search_by(|place| lexicographic(place.1, point)) {
            let position = self.places[at].0;
            return (i < position).then(|| format!("{position} is told, but {i} is the same point"));
        }
        let mut is_on_edge = false;
        for (chain, outside) in self.chains.iter().zip([Ordering::Less, Ordering::Greater]) {
            let next = chain.partition_point(|&corner| lexicographic(corner, point) == Ordering::Less);
            if next == 0 || next == chain.len() {
                return Some(format!("{point:?}, at {i}, is beyond the ends"));
            }
            match turn(chain[next - 1], chain[next], point) {
                Ordering::Equal => is_on_edge = true,
                side if side == outside => return Some(format!("{point:?}, at {i}, is outside")),
                _ => {}
            }
        }
        (is_on_edge && self.boundary).then(|| format!("{point:?}, at {i}, is on the boundary"))
    }
}

fn lexicographic<K: Exact>(a: [K; 2], b: [K; 2]) -> Ordering {
    order(a[0], b[0]).then_with(|| order(a[1], b[1]))
}

/// The way from the smallest point by x and y to the largest, and the way back; each with both ends.
fn chains<K: Exact>(corners: &[[K; 2]]) -> Result<[Vec<[K; 2]>; 2], String> {
    let rises = |path: &[[K; 2]]| lexicographic(path[0], path[1]) == Ordering::Less;
    let top = corners.windows(2).take_while(|path| rises(path)).count();
    let mut upper = corners.get(top..).unwrap_or_default().to_vec();
    upper.extend(corners.first());
    if upper.len() < 2 {
        return Err("no corners".into());
    }
    if corners.len() > 1 && !upper.windows(2).all(|path| lexicographic(path[0], path[1]) == Ordering::Greater) {
        return Err("the path goes to the right twice, or not at all".into());
    }
    Ok([corners[..=top].to_vec(), upper])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A square with a middle point, the middles of two edges and a corner twice.
    const POINTS: [[i32; 2]; 8] = [[1, 1], [2, 0], [0, 0], [2, 2], [0, 2], [1, 0], [0, 1], [2, 2]];

    #[test]
    fn the_hull_passes_and_everything_else_fails() {
        let check = |hull: &[usize], boundary| check_hull(&POINTS, hull, boundary);
        assert_eq!(check(&[2, 1, 3, 4], false), Ok(()));
        assert_eq!(check(&[2, 5, 1, 3, 4, 6], true), Ok(()));
        for (hull, complaint) in [
            (&[][..], "no corners"),
            (&[2], "beyond"),
            (&[2, 3], "outside"),
            (&[2, 1, 3], "outside"),
            (&[1, 3, 4, 2], "right"),
            (&[2, 4, 3, 1], "right"),
            (&[2, 1, 7, 4], "same point"),
            (&[2, 5, 1, 3, 4], "no corner"),
            (&[2, 1, 3, 4, 6], "no corner"),
            (&[2, 1, 3, 4, 2], "right"),
            (&[2, 1, 0, 3, 4], "right"),
            (&[2, 1, 3, 4, 9], "position 9"),
            (&[2, 1, 3, 4, 2, 1, 3, 4], "right"),
        ] {
            let said = check(hull, false).expect_err("a wrong hull");
            assert!(said.contains(complaint), "{hull:?}: {said}");
        }
        for (hull, complaint) in
            [(&[2, 1, 3, 4, 6][..], "boundary"), (&[2, 5, 1, 3, 4], "boundary"), (&[2, 5, 1, 3, 0, 4, 6], "right")]
        {
            let said = check(hull, true).expect_err("a wrong boundary");
            assert!(said.contains(complaint), "{hull:?}: {said}");
        }
    }

    #[test]
    fn lines_and_points() {
        let line = [[1, 1], [0, 0], [2, 2], [1, 1]];
        assert_eq!(check_hull(&line, &[1, 2], false), Ok(()));
        assert_eq!(check_hull(&line, &[1, 0, 2], true), Ok(()));
        for boundary in [false, true] {
            assert!(check_hull(&line, &[1], boundary).is_err());
            assert!(check_hull(&line, &[2, 1], boundary).is_err());
            assert!(check_hull(&line, &[1, 0, 2, 0], boundary).is_err());
            assert!(check_hull(&line, &[1, 3, 2], boundary).is_err());
            assert_eq!(check_hull(&[[5, 5], [5, 5]], &[0], boundary), Ok(()));
            assert!(check_hull(&[[5, 5], [5, 5]], &[1], boundary).is_err());
            assert!(check_hull(&[[5, 5], [5, 5]], &[0, 1], boundary).is_err());
            assert_eq!(check_hull::<f64>(&[], &[], boundary), Ok(()));
        }
    }
}
