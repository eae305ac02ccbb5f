//! `slabs`: a sample's hull drops nearly all points in one pass.
//!
//! 1. `sample.rs`: points picked at random, and their exact hull.
//! 2. `table.rs`: the x-range of that hull in slabs of equal width, with bounds on y for each: who is between them is inside.
//! 3. `filter/`: one pass over all points, a lookup and two comparisons each, that keeps the positions of those that are
//!    not inside.
//! 4. The hull of these, by `chains`.
//!
//! What is dropped is strictly inside the sample's hull, and that is inside the hull: provably, see `table.rs`. Of 10^7
//! points in a square 17,188 stay, in a disk 37,117, on a grid of 1,000 by 1,000 42,136.
//!
//! Whether this pays is decided by other random points, before the pass: if most of them would stay, as on a circle, or if all
//! points are nearly on a line, `chains` takes all of them. Points are picked at random everywhere, so that sorted
//! points do not fool it.

mod filter;
mod sample;
mod table;

use thalweg_core::memory::computed;
use thalweg_core::{Position, Positions, Result};

use self::filter::survivors;
use self::sample::SampleHull;
use self::table::Slabs;
use super::{Engine, Hull, POINT, chains};
use crate::coordinates::not_finite;
use crate::number::{Load, Number};

/// So few points are left to `chains`: the table alone takes as long as sorting some 5,000 of them.
const FEW: usize = 1 << 14;

/// Points by which it is decided whether the pass pays, and how many of them may stay: the pass costs a twentieth of what
/// the rest costs.
const TRIALS: usize = 1 << 10;
const MOST: usize = TRIALS / 4 * 3;

pub(super) fn hull<T: Load>(points: &[[T; 2]], boundary: bool) -> Result<Hull> {
    match table(points)? {
        Some(slabs) => {
            let positions = of_survivors(points, &survivors(points, &slabs)?, boundary)?;
            Ok(Hull { positions, engine: Engine::Slabs })
        }
        None => {
            let all = T::numbers(points)?;
            check(&all, |i| i)?;
            Ok(Hull { positions: chains::hull(&all, boundary)?, engine: Engine::Chains })
        }
    }
}

/// Points that a task copies.
const GRAIN: usize = 1 << 14;

/// The first two stages: a table that drops most points, or `None` if `chains` had better take all of them.
/// Points that are not finite are not looked for: they survive, or make the table `None`.
fn table<T: Load>(points: &[[T; 2]]) -> Result<Option<Slabs>> {
    if points.len() < FEW {
        return Ok(None);
    }
    let Some(hull) = SampleHull::of(points)? else { return Ok(None) };
    let Some(slabs) = Slabs::new(&hull)? else { return Ok(None) };
    let trials = sample::picked(points, TRIALS, sample::Purpose::Trial)?;
    let kept = trials.iter().filter(|point| !slabs.is_inside(point.map(Number::nearest))).count();
    Ok((kept <= MOST).then_some(slabs))
}

/// The last stage: the hull of those points that are left, by their positions in increasing order.
fn of_survivors<T: Load>(points: &[[T; 2]], survivors: &[u64], boundary: bool) -> Result<Positions> {
    let rest = computed(survivors.len(), GRAIN, "points", |i| points[survivors[i] as usize].map(T::load))?;
    check(&rest, |i| survivors[i] as usize)?;
    let corners = chains::hull(&rest, boundary)?;
    let position = |i: usize| survivors[corners.at(i).expect("a corner")] as usize;
    Ok(if u32::fits(points.len()) {
        Positions::U32(computed(corners.len(), GRAIN, "hull", |i| u32::new(position(i)))?)
    } else {
        Positions::U64(computed(corners.len(), GRAIN, "hull", |i| u64::new(position(i)))?)
    })
}

/// Complains of the first point that is not finite.
fn check<N: Number>(points: &[[N; 2]], position: impl Fn(usize) -> usize) -> Result<()> {
    let is_bad = |point: &[N; 2]| !point.iter().all(|x| x.is_finite());
    let bad = thalweg_core::parallel::find_first(points.len(), GRAIN, &|range| {
        let start = range.start;
        points[range].iter().position(is_bad).map(|i| start + i)
    });
    bad.map_or(Ok(()), |i| Err(not_finite(POINT, position(i), &points[i].map(Number::nearest))))
}
