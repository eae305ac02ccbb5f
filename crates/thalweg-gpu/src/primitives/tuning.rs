//! The knobs of the primitives' kernels, and functions that time them on the device. Not part of the API.

use thalweg::{Key, Order, Result};

use super::op::{Combining, Op};
use super::sort::{Payload, radix};
use super::{compact, scan};
use crate::array::DeviceArray;
use crate::recorder::Timing;

pub use super::lookback::Patience;
pub use super::scan::Scan;
pub use super::sort::merge::Shape as Merge;
pub use super::sort::radix::Shape as Radix;

/// The shape of a tile: how many elements a workgroup takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Threads of the workgroup.
    pub threads: u32,
    /// Vectors of 16 bytes that a thread takes.
    pub packs: u32,
}

impl Tile {
    pub(super) fn elements(self, combining: &Combining) -> u64 {
        u64::from(self.threads * self.packs * combining.pack)
    }
}

/// A scan into another array.
pub fn time_scan<K: Key>(
    array: &DeviceArray<K>,
    out: &DeviceArray<K>,
    op: Op,
    exclusive: bool,
    scan: Scan,
) -> Result<Timing> {
    let mut commands = array.device().record();
    commands.start_clock();
    let total = scan::record_keys(&mut commands, array, out, op, exclusive, scan)?;
    commands.keep(total);
    commands.submit_timed()
}

/// A compaction into another array, which is as long as the input.
pub fn time_compact<K: Key>(
    values: &DeviceArray<K>,
    flags: &DeviceArray<u32>,
    out: &DeviceArray<K>,
    tile: Tile,
) -> Result<Timing> {
    let mut commands = values.device().record();
    commands.start_clock();
    let count = compact::record(&mut commands, &compact::Moved::Values(values, flags), out, false, tile)?;
    commands.keep(count);
    commands.submit_timed()
}

/// A radix sort of keys.
pub fn time_radix<K: Key>(keys: &DeviceArray<K>, order: Order, shape: Radix) -> Result<(Timing, DeviceArray<K>)> {
    let mut commands = keys.device().record();
    commands.start_clock();
    let sorted = radix::record(&mut commands, keys, Payload::<u32>::None, true, order, shape)?;
    Ok((commands.submit_timed()?, sorted.0.expect("keys are kept")))
}
