//! Sliding windows on the device: the minimum or maximum of every window of an array, and where it is.
//!
//! [`solve_into`] works on arrays that are on the device already; [`engine()`](fn@engine) is an engine for slices on the host, for
//! [`solve_bits`](thalweg_arrays::window::solve_bits()) of the host.
//!
//! | engine | idea | memory read and written | source |
//! |---|---|---|---|
//! | `blocks` (default) | narrow windows: spans joined by doubling, in registers | one read, one write | this project |
//! | | of short rows: ends and beginnings of runs, in workgroup memory | one read, one write | van Herk 1992; Gil, Werman 1993 |
//! | | up to some thousand elements: runs and spans of runs, along stretches | two reads, one from a cache, one write | this project |
//! | | wide windows: what a tile's windows have in common, from minima of blocks; ends where they can matter | one to three reads, one write | this project |
//!
//! Windows by bounds are range minima, for which an index is built; windows of pictures go along rows, then down columns. Arrays have at
//! most 2 · 10^9 elements. `naive` is [`Error::NotOnDevice`].

mod along;
mod buffers;
mod fill;
mod grid;
mod host;
mod lanes;
mod ragged;
mod stretches;
mod tiles;
mod tuning;
mod wide;

pub use thalweg_arrays::window::{Align, Border, Engine, Windows};
use thalweg_core::error::expect_len;
use thalweg_core::{Coding, Error, Key, Order, Result};

use self::along::{Along, Found};
use self::fill::Fill;
pub use self::host::engine;
pub use self::tuning::Tuning;
use crate::array::{DeviceArray, Keys};
use crate::recorder::{Recorder, Timing};

/// Elements of an array at most: with the width of a window added twice, places still fit 32 bits.
const LONGEST: u64 = 2_000_000_000;

/// Which windows of an array on the device.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum DeviceShape<'a> {
    /// Of one width.
    Regular(Windows),
    /// From `starts[j]` to before `ends[j]`. A window that is empty, or none of the array's, is answered as by [`Border::Fill`].
    Ragged {
        /// Where windows begin.
        starts: &'a DeviceArray<u32>,
        /// Where they end, exclusive.
        ends: &'a DeviceArray<u32>,
    },
    /// Over a picture whose rows lie one behind the other. Of equally good elements the first in this order is taken.
    Grid {
        /// Elements of a row.
        columns: usize,
        /// Down the rows and along them.
        windows: [Windows; 2],
    },
}

impl DeviceShape<'_> {
    /// How many windows there are.
    ///
    /// # Errors
    /// What is wrong with the shape, for an array of this length.
    pub fn count(&self, len: usize) -> Result<usize> {
        use thalweg_arrays::window::Shape;
        match *self {
            Self::Regular(windows) => Shape::Regular(windows).count(len),
            Self::Grid { columns, windows } => Shape::Grid { columns, windows }.count(len),
            Self::Ragged { starts, ends } => {
                expect_len("ends of windows", ends.len(), starts.len())?;
                Ok(starts.len())
            }
        }
    }
}

/// Where the answers go: one entry a window. What is left out is not computed.
#[derive(Clone, Copy, Debug)]
pub struct DeviceOutputs<'o, K: Key> {
    /// The best element.
    pub values: Option<&'o DeviceArray<K>>,
    /// Its position, the leftmost on ties; `u32::MAX` where there is none.
    pub positions: Option<&'o DeviceArray<u32>>,
}

/// Finds every window's best element, the leftmost on ties. Windows without an answer have the value `fill`. The work is under way
/// when this returns.
///
/// Work O(n) but for windows by bounds, which are queries of an index.
///
/// ```no_run
/// use thalweg_core::Order;
/// use thalweg_gpu::window::{DeviceOutputs, DeviceShape, Windows, solve_into};
/// use thalweg_gpu::{Choice, Device};
/// let device = Device::open(&Choice::Auto)?;
/// let (array, lowest) = (device.upload(&[3, 1, 4, 1, 5, 9])?, device.allocate(6)?);
/// let outputs = DeviceOutputs { values: Some(&lowest), positions: None };
/// solve_into(&array, Order::Min, DeviceShape::Regular(Windows::new(3)), 0, outputs)?;
/// assert_eq!(lowest.to_vec()?, [1, 1, 1, 1, 1, 5]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
///
/// # Errors
/// What is wrong with the shape, [`Error::Length`] if an array of answers has not one entry a window; those of the device.
pub fn solve_into<K: Key>(
    array: &DeviceArray<K>,
    order: Order,
    shape: DeviceShape<'_>,
    fill: K,
    outputs: DeviceOutputs<'_, K>,
) -> Result<()> {
    solve_tuned(array, order, shape, fill, outputs, Tuning::of::<K>(array.device()))
}

/// [`solve_into`] with other sizes than the library's, for measurements.
///
/// # Errors
/// As [`solve_into`], and [`Error::BadOption`] for sizes that do not work.
pub fn solve_tuned<K: Key>(
    array: &DeviceArray<K>,
    order: Order,
    shape: DeviceShape<'_>,
    fill: K,
    outputs: DeviceOutputs<'_, K>,
    tuning: Tuning,
) -> Result<()> {
    let count = shape.count(array.len())?;
    expect_len("values of windows", outputs.values.map_or(count, DeviceArray::len), count)?;
    expect_len("positions of windows", outputs.positions.map_or(count, DeviceArray::len), count)?;
    let problem = Problem { array: array.keys(), coding: Coding::of::<K>(order), fill: fill.to_low_bits() };
    let found =
        Found { values: outputs.values.map(DeviceArray::keys), positions: outputs.positions.map(DeviceArray::keys) };
    problem.solve(shape, found, &tuning)
}

/// Keys, and what stands for windows without an answer.
#[derive(Clone, Copy, Debug)]
struct Problem<'a> {
    array: &'a Keys,
    coding: Coding,
    fill: u64,
}

impl Problem<'_> {
    /// Starts the work on a shape that was checked.
    fn solve(&self, shape: DeviceShape<'_>, found: Found<'_>, tuning: &Tuning) -> Result<()> {
        let Self { array, coding, fill } = *self;
        let (device, len) = (array.device(), array.len());
        tuning.check(device, array.words())?;
        check_len(len)?;
        let count = shape.count(len as usize)? as u64;
        check_len(count)?;
        if let (Some(values), Some(positions)) = (found.values, found.positions) {
            values.expect_apart(positions)?;
        }
        if count == 0 || found.values.is_none() && found.positions.is_none() {
            return Ok(());
        }
        let mut commands = device.record();
        match shape {
            DeviceShape::Regular(windows) => {
                if let Some(along) = Along::of(array, coding, len, &windows, found) {
                    let together = if Way::of(&along, tuning) == Way::Wide { wide::BUFFERS_TOGETHER } else { 1 };
                    let solve = |commands: &mut Recorder<'_>, along: &Along<'_>| self.along(commands, along, tuning);
                    buffers::record(&mut commands, &along, together, solve)?;
                }
                if windows.border == Border::Fill {
                    let fill = Fill { device, coding, value: fill, found };
                    fill.frame(&mut commands, count, count, (0, 1), windows.incomplete(len as usize))?;
                }
            }
            DeviceShape::Grid { columns, windows } => {
                grid::record(&mut commands, self, columns as u64, &windows, found, tuning)?;
            }
            DeviceShape::Ragged { starts, ends } => {
                drop(commands);
                return ragged::solve(self, [starts.keys(), ends.keys()], found);
            }
        }
        commands.submit().map(|_| ())
    }

    /// Records windows along rows.
    fn along(&self, commands: &mut Recorder<'_>, along: &Along<'_>, tuning: &Tuning) -> Result<()> {
        match Way::of(along, tuning) {
            Way::Tiles => tiles::record(commands, along, tuning),
            Way::Stretches => stretches::record(commands, along, tuning),
            Way::Lanes => lanes::record(commands, along, tuning),
            Way::Wide => wide::record(commands, along, tuning),
        }
    }
}

/// Which kernels answer windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Tiles,
    Stretches,
    Lanes,
    Wide,
}

impl Way {
    fn of(along: &Along<'_>, tuning: &Tuning) -> Self {
        if tiles::serves(along, tuning) {
            Self::Tiles
        } else if stretches::serves(along, tuning) {
            Self::Stretches
        } else if lanes::serves(along, tuning) {
            Self::Lanes
        } else {
            Self::Wide
        }
    }
}

fn check_len(len: u64) -> Result<()> {
    if len > LONGEST {
        return Err(Error::device_limit(format!("windows of {len} elements: on the device at most {LONGEST}")));
    }
    Ok(())
}

/// [`solve_into`], to its end: how long the device took by its own clock.
pub fn solve_timed<K: Key>(
    array: &DeviceArray<K>,
    order: Order,
    shape: DeviceShape<'_>,
    fill: K,
    outputs: DeviceOutputs<'_, K>,
) -> Result<Timing> {
    array.device().timed(|| solve_into(array, order, shape, fill, outputs)).map(|(_, timing)| timing)
}
