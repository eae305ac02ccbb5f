//! Envelopes of segments on the device, as values on a grid.
//!
//! [`raster`] tells the lowest segment at every whole x of a [`Grid`], [`levels`] its height, for horizontal segments: the
//! question of Willis (2019), section 11 of the collection whose algorithms this library repeats. Coordinates are integers
//! of 32 bits, and answers are exact, the lowest number where segments are equally low.

mod raster;

use thalweg_core::error::expect_len;
use thalweg_core::{Error, Result};
pub use thalweg_geometry::envelope::{Grid, Side};

use self::raster::{FEW, Raster, Told};
use crate::array::DeviceArray;
use crate::primitives::elementwise::Elementwise;
use crate::recorder::Timing;

/// Places of a grid at most.
const MOST: u64 = (1 << 32) - (1 << 16);

/// What [`raster`] has where there is no segment.
pub const GAP: u32 = u32::MAX;

/// The numbers of the lowest segments at all places of a grid, or of the highest; [`GAP`] where there is none. `segments` are
/// rows of x1, y1, x2, y2, the ends in any order.
///
/// Work O(m log² n + n) for m segments and n places, less where most segments are hidden. Memory beside the answers: 20 bytes a
/// segment or so, and up to n/8 bytes.
///
/// ```no_run
/// use thalweg_gpu::geometry::envelope::{GAP, Grid, Side, raster};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let segments = device.upload(&[0, 0, 4, 4, 0, 4, 4, 0])?;
/// let ids = raster(&segments, Side::Lower, Grid::new(-1, 6)?)?;
/// assert_eq!(ids.to_vec()?, [GAP, 0, 0, 0, 1, 1]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::Length`] if the last row is not whole, [`Error::BadOption`] for a grid beyond 32 bits; those of the device.
pub fn raster(segments: &DeviceArray<i32>, side: Side, grid: Grid) -> Result<DeviceArray<u32>> {
    let raster = checked(segments, side, grid)?;
    let ids = DeviceArray::<u32>::new(segments.device(), grid.len() as u64)?;
    if raster.count() <= FEW && raster.first_slope()?.is_none() {
        raster.run_few(Told::Ids, ids.keys())?;
    } else {
        raster.run(&ids)?;
    }
    Ok(ids)
}

/// The heights of the lowest segments at all places of a grid, or of the highest; `i32::MAX` where there is none. The segments
/// are horizontal, or points.
///
/// Of at most 1024 segments in one pass that writes the answers once; of more by way of [`raster`].
///
/// ```no_run
/// use thalweg_gpu::geometry::envelope::{Grid, Side, levels};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let segments = device.upload(&[0, 7, 4, 7, 3, 5, 9, 5])?;
/// assert_eq!(levels(&segments, Side::Lower, Grid::new(2, 3)?)?.to_vec()?, [7, 5, 5]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
///
/// # Errors
/// As [`raster`], and [`Error::BadOption`] for a segment that is not horizontal.
pub fn levels(segments: &DeviceArray<i32>, side: Side, grid: Grid) -> Result<DeviceArray<i32>> {
    let heights = DeviceArray::<i32>::new(segments.device(), grid.len() as u64)?;
    level(segments, side, grid, &heights, |work| work())?;
    Ok(heights)
}

/// [`levels`] into an array of the caller's, which is as long as the grid, and the time that the device took, without the
/// test that all segments are horizontal.
///
/// # Errors
/// As [`levels`], and [`Error::Length`] if the array has another length.
pub fn time_levels(segments: &DeviceArray<i32>, side: Side, grid: Grid, heights: &DeviceArray<i32>) -> Result<Timing> {
    let mut timing = Timing::default();
    level(segments, side, grid, heights, |work| {
        timing = segments.device().timed(work)?.1;
        Ok(())
    })?;
    Ok(timing)
}

fn level(
    segments: &DeviceArray<i32>,
    side: Side,
    grid: Grid,
    heights: &DeviceArray<i32>,
    run: impl FnOnce(&dyn Fn() -> Result<()>) -> Result<()>,
) -> Result<()> {
    let raster = checked(segments, side, grid)?;
    expect_len("heights", heights.len(), grid.len())?;
    if let Some(row) = raster.first_slope()? {
        let reason = format!("segment {row} is not horizontal");
        return Err(Error::BadOption { option: "levels", reason });
    }
    run(&|| {
        if raster.count() <= FEW {
            return raster.run_few(Told::Levels, heights.keys());
        }
        let device = segments.device();
        let ids = DeviceArray::<u32>::new(device, grid.len() as u64)?;
        raster.run(&ids)?;
        let mut commands = device.record();
        let body = "let id = ids_at(i); var y = 0x7fffffffu; if id != NO_ELEMENT { y = segments_at(4u * id + 1u); } \
                    heights_put(i, y);";
        Elementwise::statement(device, grid.len() as u64, "levels", body)
            .reads("ids", "u32", &ids)
            .reads("segments", "u32", segments)
            .writes("heights", "u32", heights)
            .dispatch(&mut commands, &[])?;
        commands.submit().map(|_| ())
    })
}

fn checked(segments: &DeviceArray<i32>, side: Side, grid: Grid) -> Result<Raster<'_>> {
    let len = segments.len();
    if len % 4 != 0 {
        let expected = len.next_multiple_of(4);
        return Err(Error::Length { what: "coordinates of segments, four each", expected, got: len });
    }
    // The frame of the kernels has 32 bits.
    let end = grid.start() + grid.len() as i64;
    if grid.start() < i32::MIN.into() || end > i64::from(i32::MAX) + 1 || grid.len() as u64 > MOST {
        let reason = format!("{} numbers from {} on are more than {MOST}, or go beyond 32 bits", grid.len(), grid.start());
        return Err(Error::BadOption { option: "grid", reason });
    }
    Ok(Raster { segments: segments.keys(), side, grid })
}
