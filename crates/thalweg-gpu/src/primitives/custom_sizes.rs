//! The primitives with kernels of other sizes than the library's, timed on the device: for measurements. Results do not
//! depend on the sizes.

use thalweg_core::{Coding, Key, Order, Result};

use super::combine::Op;
use super::sort::ping_pong::Payload;
use super::sort::radix;
use super::{compact, scan};
use crate::array::DeviceArray;
use crate::recorder::Timing;

pub use super::lookback::Patience;
pub use super::sizes::{RadixSizes, ScanSizes, Tile};

/// A scan into another array.
pub fn time_scan<K: Key>(
    array: &DeviceArray<K>,
    out: &DeviceArray<K>,
    op: Op,
    exclusive: bool,
    sizes: ScanSizes,
) -> Result<Timing> {
    let mut commands = array.device().record();
    commands.start_clock();
    let total = scan::record_keys(&mut commands, array.keys(), out.keys(), (op, op.coding::<K>()), exclusive, sizes)?;
    commands.keep(total);
    commands.submit_timed()
}

/// A compaction into another array, which is as long as the input. With `as_bits` flags become bits as they are counted, for
/// which subgroups must have 8 threads or more.
pub fn time_compact<K: Key>(
    values: &DeviceArray<K>,
    flags: &DeviceArray<u32>,
    out: &DeviceArray<K>,
    tile: Tile,
    as_bits: bool,
) -> Result<Timing> {
    let mut commands = values.device().record();
    commands.start_clock();
    let moved = compact::Moved::Values(values.keys(), flags.keys());
    let count = compact::record(&mut commands, moved, out.keys(), false, (tile, as_bits))?;
    commands.keep(count);
    commands.submit_timed()
}

/// A radix sort of keys.
pub fn time_radix<K: Key>(keys: &DeviceArray<K>, order: Order, sizes: RadixSizes) -> Result<(Timing, DeviceArray<K>)> {
    let mut commands = keys.device().record();
    commands.start_clock();
    let sorted = radix::record(&mut commands, keys.keys(), Payload::None, true, Coding::of::<K>(order), sizes)?;
    Ok((commands.submit_timed()?, sorted.keys().typed()))
}

/// A radix sort of positions by their keys.
pub fn time_radix_idx<K: Key>(
    keys: &DeviceArray<K>,
    order: Order,
    sizes: RadixSizes,
) -> Result<(Timing, DeviceArray<u32>)> {
    let mut commands = keys.device().record();
    commands.start_clock();
    let sorted = radix::record(&mut commands, keys.keys(), Payload::Indices, false, Coding::of::<K>(order), sizes)?;
    Ok((commands.submit_timed()?, sorted.payloads().typed()))
}
