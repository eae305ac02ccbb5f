//! Reduction: all elements combined into one.

use thalweg_core::{Coding, Key, Result};

use super::combine::{Combining, Op, count32};
use super::sizes::{self, Tile};
use crate::array::{DeviceArray, Keys, Packs};
use crate::device::Device;
use crate::kernel::Source;
use crate::memory::Buffer;
use crate::recorder::Recorder;
use crate::transfer;

/// Combines all elements; the [identity](Op::identity) if there are none. Where several bit patterns tie (the two zeros, the NaNs), the result
/// of [`Op::Min`] and [`Op::Max`] is the canonical one: 0.0, or NaN.
///
/// Work O(n), span O(log n); the array is read once. Extra memory: one value per tile of 16,384. BSGP's `reduce` (Hou et
/// al. 2008).
///
/// ```no_run
/// use thalweg_gpu::primitives::{Op, reduce};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let array = device.upload(&[3, 1, 4, 1, 5])?;
/// assert_eq!(reduce(&array, Op::Sum)?, 14);
/// assert_eq!(reduce(&array, Op::Max)?, 5);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn reduce<K: Key>(array: &DeviceArray<K>, op: Op) -> Result<K> {
    reduce_keys(array.keys(), op, op.coding::<K>()).map(K::from_low_bits)
}

/// The bits of the result.
fn reduce_keys(array: &Keys, op: Op, coding: Coding) -> Result<u64> {
    let first = Combining::keys(op, coding)?;
    if array.is_empty() {
        return Ok(op.identity_bits(coding));
    }
    let device = array.device();
    let mut commands = device.record();
    let total = record(
        &mut commands,
        device,
        &first,
        &Combining::values(op, first.words),
        &array.packs(),
        sizes::reduce(device),
    )?;
    commands.submit()?;
    Ok(op.bits(coding, read_value(device, &total, first.words)?))
}

/// The value at the start of a buffer.
pub(super) fn read_value(device: &Device, buffer: &Buffer, words: u32) -> Result<u64> {
    let mut value = 0;
    transfer::download(device, buffer, 0, 4 * u64::from(words), |_, bytes| {
        for (i, word) in bytes.chunks_exact(4).enumerate() {
            value |= u64::from(u32::from_ne_bytes(word.try_into().expect("four bytes"))) << (32 * i);
        }
    })?;
    Ok(value)
}

/// Records the reduction of an array that is not empty. The result, in the form that is combined, will be at the start of
/// the buffer.
pub(super) fn record(
    commands: &mut Recorder<'_>,
    device: &Device,
    first: &Combining,
    later: &Combining,
    input: &Packs<'_>,
    tile: Tile,
) -> Result<Buffer> {
    let mut totals = record_tiles(commands, device, first, input, tile)?;
    let mut count = input.count.div_ceil(tile.elements(first));
    while count > 1 {
        let next = record_tiles(commands, device, later, &Packs::of(&totals, count), tile)?;
        commands.keep(std::mem::replace(&mut totals, next));
        count = count.div_ceil(tile.elements(later));
    }
    Ok(totals)
}

/// Records the reduction of every tile.
pub(super) fn record_tiles(
    commands: &mut Recorder<'_>,
    device: &Device,
    combining: &Combining,
    input: &Packs<'_>,
    tile: Tile,
) -> Result<Buffer> {
    let count = count32(input.count, "reduce")?;
    let tiles = input.count.div_ceil(tile.elements(combining));
    let totals = device.words(tiles * u64::from(combining.words), "totals of tiles")?;
    let source = Source::new("reduce", include_str!("reduce.wgsl"), "reduce_tiles")
        .subgroups(device)
        .constant("THREADS", tile.threads)
        .constant("PACKS", tile.packs)
        .include(&combining.text)
        .include(include_str!("tile.wgsl"))
        .reads_sharded("values", "vec4<u32>", input.sharding)
        .writes("totals", combining.element());
    let buffers: Vec<_> = input.buffers.iter().cloned().chain([totals.all()]).collect();
    let bound = combining.bound;
    let params = [count, tiles as u32, bound as u32, (bound >> 32) as u32];
    commands.dispatch(&*device.kernel(&source)?, tiles, &buffers, &params)?;
    Ok(totals)
}
