//! Envelopes of segments on the device, as values on a grid.
//!
//! [`raster`] tells the lowest segment at every whole x of a [`Grid`], [`levels`] its height, for horizontal segments, which is
//! the question of Willis (in a collection of course reports on parallel algorithms). [`raster_into`] is for segments of the
//! host. Coordinates are integers of at most 32 bits, and answers are exact: the lowest number where segments are equally low.
//! The engine is `raster`; others, and other coordinates, are [`Error::NotOnDevice`].

mod raster;

use thalweg_core::error::expect_len;
use thalweg_core::memory::filled;
use thalweg_core::{Error, Result};
use thalweg_geometry::Stored;
use thalweg_geometry::envelope::values_of;
pub use thalweg_geometry::envelope::{Engine, Envelope, Grid, RasterOutputs, Segments, Side};

use self::raster::{FEW, Raster, Told};
use crate::array::DeviceArray;
use crate::device::Device;
use crate::primitives::elementwise::Elementwise;
use crate::recorder::Timing;

/// Places of a grid at most.
const MOST: u64 = (1 << 32) - (1 << 16);

/// The numbers of the lowest segments at all places of a grid, or of the highest; [`Envelope::GAP`] where there is none. `segments` are
/// rows of x1, y1, x2, y2, the ends in any order.
///
/// Work O(m log² n + n) for m segments and n places, less where most segments are hidden. Memory beside the answers: 20 bytes a
/// segment or so, and up to n/8 bytes.
///
/// ```no_run
/// use thalweg_gpu::geometry::envelope::{Envelope, Grid, Side, raster};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let segments = device.upload(&[0, 0, 4, 4, 0, 4, 4, 0])?;
/// let ids = raster(&segments, Side::Lower, Grid::new(-1, 6)?)?;
/// assert_eq!(ids.to_vec()?, [Envelope::GAP, 0, 0, 0, 1, 1]);
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

/// Values and segments of the host, at every number of a grid: [`raster`] on the device, and the host finds the values.
///
/// ```no_run
/// use thalweg_gpu::geometry::envelope::{Engine, Grid, RasterOutputs, Segments, Side, raster_into};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let (rows, mut values) = ([[0, 0, 3, 3], [0, 2, 5, 0]], [0.0; 6]);
/// let outputs = RasterOutputs { values: Some(&mut values), ids: None };
/// raster_into(&device, &Segments::new(&rows)?, Side::Lower, Grid::new(0, 6)?, Engine::Raster, outputs)?;
/// assert_eq!(values, [0.0, 1.0, 1.2, 0.8, 0.4, 0.0]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotOnDevice`] for other engines than `raster`, and for coordinates that are no integers of at most 32 bits;
/// [`Error::Length`] for a buffer of another length; those of the device.
pub fn raster_into(
    device: &Device,
    segments: &Segments<'_>,
    side: Side,
    grid: Grid,
    engine: Engine,
    outputs: RasterOutputs<'_>,
) -> Result<()> {
    if engine != Engine::Raster {
        return Err(crate::not_on_gpu("envelope", engine.name(), "raster"));
    }
    let Stored::I32 { rows, origin } = segments.stored() else {
        let reason = "GPUs take integers of at most 32 bits; the CPU takes all coordinates".into();
        return Err(Error::NotOnDevice { problem: "envelope", engine: engine.name(), reason });
    };
    outputs.values.as_ref().map_or(Ok(()), |values| expect_len("values", values.len(), grid.len()))?;
    outputs.ids.as_ref().map_or(Ok(()), |ids| expect_len("ids", ids.len(), grid.len()))?;
    let mut ids = match outputs.ids {
        Some(ids) => Ids::Lent(ids),
        None => Ids::Own(filled(grid.len(), Envelope::GAP, "numbers of segments")?),
    };
    let ids = ids.as_mut();
    // Beyond the coordinates' 32 bits there is nothing.
    let start = grid.start() - *origin as i64;
    let [first, end] = [start, start + grid.len() as i64].map(|x| x.clamp(i32::MIN.into(), i64::from(i32::MAX) + 1));
    let (before, behind) = ((first - start) as usize, (end - start) as usize);
    let inside = before.min(grid.len())..behind.max(before).min(grid.len());
    ids[..inside.start].fill(Envelope::GAP);
    ids[inside.end..].fill(Envelope::GAP);
    if !inside.is_empty() {
        let rows = device.upload(rows.as_flattened())?;
        raster(&rows, side, Grid::new(first, inside.len())?)?.download(&mut ids[inside])?;
    }
    outputs.values.map_or(Ok(()), |values| values_of(segments, side, grid, ids, values))
}

/// The caller's buffer, or one of our own.
enum Ids<'a> {
    Lent(&'a mut [u32]),
    Own(Vec<u32>),
}

impl Ids<'_> {
    fn as_mut(&mut self) -> &mut [u32] {
        match self {
            Self::Lent(ids) => ids,
            Self::Own(ids) => ids,
        }
    }
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
    if !len.is_multiple_of(4) {
        let expected = len.next_multiple_of(4);
        return Err(Error::Length { what: "coordinates of segments, four each", expected, got: len });
    }
    // The frame of the kernels has 32 bits.
    let end = grid.start() + grid.len() as i64;
    if grid.start() < i32::MIN.into() || end > i64::from(i32::MAX) + 1 || grid.len() as u64 > MOST {
        let reason =
            format!("{} numbers from {} on are more than {MOST}, or go beyond 32 bits", grid.len(), grid.start());
        return Err(Error::BadOption { option: "grid", reason });
    }
    Ok(Raster { segments: segments.keys(), side, grid })
}
