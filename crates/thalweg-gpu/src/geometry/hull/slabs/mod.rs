//! `slabs` on the device: one pass over the points drops nearly all of them, and the host finds the hull of the rest.
//!
//! The hull of a sample, one point of each of 2^14 stretches, is found on the host, and made into a plan of inner bounds for
//! slabs of x (`plan.rs`). The pass (`filter.rs`) reads every point once; what is strictly inside is dropped, by integer
//! operations that host and device share, so no rounding is left to a device. Numbers that are not finite are never
//! inside, so the host finds the first of them among those that stay. The places of the points come back in any order and
//! are sorted, so the answer does not depend on it.
//!
//! Where there are few points, more than one in four stays, or the sample has no inside, the host takes all points.

mod chain;
mod filter;
mod host;
mod plan;
mod sample;

use std::borrow::Cow;

use thalweg_core::{Coding, Error, Positions, Result};
use thalweg_geometry::hull::{Engine, Hull, Options, hull_of};
use thalweg_geometry::{Rows, Stored};

use self::filter::Filter;
pub(super) use self::host::hull_of_host;
use self::plan::Plan;
use self::sample::Sampling;
use super::points::Points;
use crate::recorder::Timing;

/// One point in so many may stay.
const STAY: u64 = 4;
/// As many may stay in any case.
const STAY_AT_LEAST: u64 = 1 << 12;

/// Room for those that stay, of so many points.
fn capacity(points: u64) -> u32 {
    (points / STAY).max(STAY_AT_LEAST).min(points) as u32
}

/// The plan that a sample makes; `None` if it has no inside.
fn plan(sample: Stored<'_, 2>, coding: Coding) -> Result<Option<Plan>> {
    // Whatever was given, the device has the stored numbers.
    let sample = match sample {
        Stored::I32 { rows, .. } => Stored::I32 { rows, origin: 0 },
        other => other,
    };
    let sample = match sample.widened()? {
        // What is not finite stays, whatever the plan is.
        Rows::Doubles(mut rows) => {
            if rows.iter().flatten().any(|x| !x.is_finite()) {
                rows.to_mut().retain(|row| row.iter().all(|x| x.is_finite()));
            }
            Stored::F64(rows)
        }
        Rows::Integers { rows, origin } => Stored::I64 { rows, origin },
    };
    let options = Options { boundary: false, engine: Some(Engine::Chains) };
    let corners = hull_of(sample.clone(), options)?.positions;
    let corners = subset(&sample, corners.iter().flatten()).widened()?;
    let bias = match coding.bytes() {
        4 => 1 << 31,
        8 => 1 << 63,
        _ => coding.flip(),
    };
    Ok(Plan::of(&corners, 32 * words(coding), bias))
}

/// 32-bit words of a coordinate on the device.
fn words(coding: Coding) -> u32 {
    (coding.bytes() as u32).div_ceil(4)
}

/// Some of the points.
fn subset(points: &Stored<'_, 2>, places: impl Iterator<Item = usize>) -> Stored<'static, 2> {
    fn take<T: Copy>(rows: &[[T; 2]], places: impl Iterator<Item = usize>) -> Cow<'static, [[T; 2]]> {
        Cow::Owned(places.map(|place| rows[place]).collect())
    }
    match points {
        Stored::I32 { rows, origin } => Stored::I32 { rows: take(rows, places), origin: *origin },
        Stored::I64 { rows, origin } => Stored::I64 { rows: take(rows, places), origin: *origin },
        Stored::F32(rows) => Stored::F32(take(rows, places)),
        Stored::F64(rows) => Stored::F64(take(rows, places)),
    }
}

/// The hull of all points from those that stay, which are at these places, ascending.
fn hull_of_rest(rest: Stored<'_, 2>, places: &[u32], boundary: bool) -> Result<Hull> {
    let place = |row: usize| places[row];
    match hull_of(rest, Options { boundary, engine: None }) {
        Ok(Hull { positions, .. }) => {
            let positions = Positions::U32(positions.iter().flatten().map(place).collect());
            Ok(Hull { positions, engine: Engine::Slabs })
        }
        Err(Error::NotFinite { what, row, number }) => Err(Error::NotFinite { what, row: place(row) as usize, number }),
        Err(error) => Err(error),
    }
}

/// The hull of points that are too few for a filter, on the host.
fn hull_of_few(points: Stored<'_, 2>, boundary: bool) -> Result<Hull> {
    hull_of(points, Options { boundary, engine: Some(Engine::Slabs) })
}

/// The hull of points most of which stay, on the host.
fn hull_of_all(points: Stored<'_, 2>, boundary: bool) -> Result<Hull> {
    hull_of(points, Options { boundary, engine: Some(Engine::Chains) })
}

/// The hull of points on the device.
pub(super) fn hull(points: &Points<'_>, boundary: bool) -> Result<Hull> {
    let Some(sampling) = Sampling::of(points.len()) else { return hull_of_few(points.all()?, boundary) };
    let stay = match prepared(points, sampling)? {
        Some(filter) => {
            let mut commands = points.device().record();
            filter.record(&mut commands, &points.keys().packs(), 0)?;
            commands.submit()?;
            filter.survivors()?
        }
        None => None,
    };
    match stay {
        Some(places) => hull_of_rest(points.at(&places)?, &places, boundary),
        None => hull_of_all(points.all()?, boundary),
    }
}

/// How long the pass over the points takes, and how many stay; `None` if it makes no sense, or too many would stay.
pub(super) fn time_filter(points: &Points<'_>) -> Result<Option<(Timing, usize)>> {
    let Some(sampling) = Sampling::of(points.len()) else { return Ok(None) };
    let Some(filter) = prepared(points, sampling)? else { return Ok(None) };
    let mut commands = points.device().record();
    commands.start_clock();
    filter.record(&mut commands, &points.keys().packs(), 0)?;
    let timing = commands.submit_timed()?;
    Ok(filter.survivors()?.map(|places| (timing, places.len())))
}

/// A filter for points on the device, made from a sample of them.
fn prepared<'a>(points: &Points<'a>, sampling: Sampling) -> Result<Option<Filter<'a>>> {
    let Some(plan) = plan(points.sample(sampling.count, sampling.step)?, points.coding())? else { return Ok(None) };
    Ok(Some(Filter::new(points.device(), points.coding(), plan, capacity(points.len()))?))
}
