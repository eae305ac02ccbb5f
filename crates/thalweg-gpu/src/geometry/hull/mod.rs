//! Convex hulls of points on the device.
//!
//! The [contract](thalweg_geometry::hull) is that of the CPU: exact, the corners' positions counter-clockwise from the
//! smallest point, the lowest position of equal points. [`hull`] works on points that are on the device already,
//! [`hull_of`] on those of the host.
//!
//! | engine | idea | work | source |
//! |---|---|---|---|
//! | `slabs` (default) | a sample's hull, in slabs of x, drops nearly all points in one pass; the host finds the hull of the rest | O(n) where few points are near the boundary | Akl, Toussaint 1978; Bentley, Faust, Preparata 1982 |
//! | `wagener` | hoods of 1, 2, 4, ... points are joined by tangents; corners only, of integers of at most 32 bits | O(n log n) | Wagener 1985; JáJá 1992 |
//!
//! The other engines of the CPU are [`Error::NotOnDevice`]. There are at most 2^32 - 1 points.

mod points;
mod slabs;
mod wagener;

use thalweg_core::{Error, Key, Result};
pub use thalweg_geometry::hull::{Engine, Hull, Options};
use thalweg_geometry::{Coordinate, Stored};

use self::points::Points;
use crate::array::DeviceArray;
use crate::device::Device;
use crate::recorder::Timing;

/// The hull of points on the device, whose coordinates are in turns: x and y of the first point, x and y of the second.
///
/// Work O(n) where few points are near the boundary; the points are read once. What the host finds is on the host.
///
/// ```no_run
/// use thalweg_gpu::{Choice, Device, geometry::hull::{self, Options}};
/// let device = Device::open(&Choice::Auto)?;
/// let points = device.upload(&[1.0, 1.0, 0.0, 0.0, 2.0, 0.0, 1.0, 0.5])?;
/// assert_eq!(hull::hull(&points, Options::default())?.positions.as_u32(), Some(&[1, 2, 0][..]));
/// # Ok::<(), thalweg_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotOnDevice`] for an engine that GPUs do not have, [`Error::NotFinite`] for NaN and infinities,
/// [`Error::Length`] if a coordinate has no partner; those of the device.
pub fn hull<K: Key + Coordinate>(points: &DeviceArray<K>, options: Options) -> Result<Hull> {
    hull_of_points(&Points::of(points)?, options)
}

/// The hull of points of the host, which stream through the device.
///
/// ```no_run
/// use thalweg_geometry::Coordinate;
/// use thalweg_gpu::geometry::hull::{self, Options};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let points = Coordinate::stored(&[[1, 1], [0, 0], [2, 0], [1, 0]])?;
/// assert_eq!(hull::hull_of(&device, &points, Options::default())?.positions.as_u32(), Some(&[1, 2, 0][..]));
/// # Ok::<(), thalweg_core::Error>(())
/// ```
///
/// # Errors
/// As [`hull`].
pub fn hull_of(device: &Device, points: &Stored<'_, 2>, options: Options) -> Result<Hull> {
    check_len(points.len() as u64)?;
    match options.engine.unwrap_or_default() {
        Engine::Slabs => slabs::hull_of_host(device, points, options.boundary),
        Engine::Wagener => match points {
            Stored::I32 { rows, .. } => {
                let points = device.upload(rows.as_flattened())?;
                wagener::hull(&Points::of(&points)?, options.boundary)
            }
            _ => Err(wagener::wide()),
        },
        other => Err(not_here(other)),
    }
}

/// How long the one pass of [`Engine::Slabs`] over the points takes, and how many points stay. `None` if the host would take
/// all of them.
///
/// # Errors
/// As [`hull`].
pub fn time_filter<K: Key + Coordinate>(points: &DeviceArray<K>) -> Result<Option<(Timing, usize)>> {
    slabs::time_filter(&Points::of(points)?)
}

fn hull_of_points(points: &Points<'_>, options: Options) -> Result<Hull> {
    match options.engine.unwrap_or_default() {
        Engine::Slabs => slabs::hull(points, options.boundary),
        Engine::Wagener => wagener::hull(points, options.boundary),
        other => Err(not_here(other)),
    }
}

fn not_here(engine: Engine) -> Error {
    crate::not_on_gpu("hull", engine.name(), "slabs and wagener")
}

fn check_len(points: u64) -> Result<()> {
    if points > u64::from(u32::MAX) {
        return Err(Error::device_limit(format!(
            "the hull of {points} points: positions on the device have 32 bits, enough for {}",
            u32::MAX
        )));
    }
    Ok(())
}
