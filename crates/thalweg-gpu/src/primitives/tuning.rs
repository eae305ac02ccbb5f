//! The knobs of the primitives' kernels, and functions that time them on the device. Not part of the API.

use thalweg::{Key, Order, Result};

use super::op::{Combining, Op};
use super::sort::{Payload, merge, radix};
use super::{compact, reduce, scan};
use crate::array::DeviceArray;
use crate::kernel::Source;
use crate::recorder::Timing;

pub use super::compact::Shape;
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

/// Copies an array to another of the same length.
pub fn time_copy<K: Key>(from: &DeviceArray<K>, to: &DeviceArray<K>) -> Result<Timing> {
    let mut commands = from.device().record();
    commands.start_clock();
    for ((start, end, from), (_, _, to)) in from.pieces().zip(to.pieces()) {
        commands.copy((from, 0), (to, 0), (end - start) * crate::coding::bytes::<K>());
    }
    commands.submit_timed()
}

/// [`super::reduce`] without the result.
pub fn time_reduce<K: Key>(array: &DeviceArray<K>, op: Op, tile: Tile) -> Result<Timing> {
    let first = Combining::keys::<K>(op)?;
    let mut commands = array.device().record();
    commands.start_clock();
    let later = Combining::values(op, first.words);
    let total = reduce::record(&mut commands, array.device(), &first, &later, &array.packs(), tile)?;
    commands.keep(total);
    commands.submit_timed()
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
    shape: Shape,
) -> Result<Timing> {
    let mut commands = values.device().record();
    commands.start_clock();
    let count = compact::record(&mut commands, Some(values), flags, out, shape)?;
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

/// A radix sort of keys and values.
pub fn time_radix_pairs<K: Key, V: Key>(
    keys: &DeviceArray<K>,
    values: &DeviceArray<V>,
    order: Order,
    shape: Radix,
) -> Result<(Timing, DeviceArray<K>, DeviceArray<V>)> {
    let mut commands = keys.device().record();
    commands.start_clock();
    let sorted = radix::record(&mut commands, keys, Payload::Array(values), true, order, shape)?;
    Ok((commands.submit_timed()?, sorted.0.expect("keys are kept"), sorted.1.expect("there are payloads")))
}

/// The first part of a radix sort: the count of all digits.
pub fn time_radix_histogram<K: Key>(keys: &DeviceArray<K>, shape: Radix) -> Result<Timing> {
    let mut commands = keys.device().record();
    commands.start_clock();
    let histogram = radix::record_histogram_only(&mut commands, keys, shape)?;
    commands.keep(histogram);
    commands.submit_timed()
}

/// A merge sort of keys.
pub fn time_merge<K: Key>(keys: &DeviceArray<K>, shape: Merge) -> Result<(Timing, DeviceArray<K>)> {
    let mut commands = keys.device().record();
    commands.start_clock();
    let sorted = merge::record(&mut commands, keys, Payload::<u32>::None, true, Order::Min, shape)?;
    Ok((commands.submit_timed()?, sorted.0.expect("keys are kept")))
}

/// Copies an array to another of the same length by a kernel, in the order in which scans read and write.
pub fn time_copy_kernel(from: &DeviceArray<u32>, to: &DeviceArray<u32>, tile: Tile) -> Result<Timing> {
    let device = from.device();
    let (input, output) = (from.packs(), to.packs());
    let source = Source::new("copy", include_str!("copy.wgsl"), "copy_tiles")
        .subgroups(device)
        .constant("THREADS", tile.threads)
        .constant("PACKS", tile.packs)
        .reads_sharded("values", "vec4<u32>", input.sharding)
        .writes_sharded("copied", "vec4<u32>", output.sharding);
    let packs = u32::try_from(from.len() / 4).expect("a small array");
    let tiles = u64::from(packs).div_ceil(u64::from(tile.threads * tile.packs));
    let buffers: Vec<_> = input.buffers.into_iter().chain(output.buffers).collect();
    let mut commands = device.record();
    commands.start_clock();
    commands.dispatch(&*device.kernel(&source)?, tiles, &buffers, &[packs])?;
    commands.submit_timed()
}
