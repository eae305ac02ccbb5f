//! Scans: all running totals of an array.
//!
//! Either in two passes, the totals of tiles and then the tiles, or in one that looks back at the tiles before (Merrill and
//! Garland 2016, with a fallback). The latter is the default where a device has 64-bit atomics: see `primitives/sizes.rs`.

use thalweg_core::error::expect_len;
use thalweg_core::{Coding, Key, Result};

use super::combine::{Combining, Op, count32};
use super::lookback;
use super::reduce::{read_value, record_tiles};
use super::sizes::{self, ScanSizes};
use crate::array::{DeviceArray, Keys, Packs};
use crate::device::Device;
use crate::kernel::Source;
use crate::memory::Buffer;
use crate::recorder::Recorder;

/// Inclusive scan: element `i` of the result combines the elements `0..=i`. For the two zeros and the NaNs of floats,
/// the canonical ones are written.
///
/// Work O(n), span O(log n); everything is read twice, the second time mostly from the cache, and written once. Extra memory: the result, and 8 or 16 bytes per tile of
/// 4,096 words or more. BSGP's `scan` (Hou et al. 2008) after Sengupta et al. 2007.
///
/// ```no_run
/// use thalweg_gpu::primitives::{Op, inclusive_scan};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let sums = inclusive_scan(&device.upload(&[3, 1, 4, 1])?, Op::Sum)?;
/// assert_eq!(sums.to_vec()?, [3, 4, 8, 9]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn inclusive_scan<K: Key>(values: &DeviceArray<K>, op: Op) -> Result<DeviceArray<K>> {
    let mut out = DeviceArray::new(values.device(), values.count())?;
    inclusive_scan_into(values, &mut out, op)?;
    Ok(out)
}

/// [`inclusive_scan`] into an array of the same length.
pub fn inclusive_scan_into<K: Key>(values: &DeviceArray<K>, out: &mut DeviceArray<K>, op: Op) -> Result<()> {
    scan_into(values.keys(), out.keys(), op, op.coding::<K>(), false).map(|_| ())
}

/// Exclusive scan: element `i` of the result combines the elements `0..i`, and the first is the
/// [identity](Op::identity). Also returns the total.
///
/// See [`inclusive_scan`] for work and memory.
///
/// ```no_run
/// use thalweg_gpu::primitives::{Op, exclusive_scan};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let (starts, total) = exclusive_scan(&device.upload(&[3, 1, 4, 1])?, Op::Sum)?;
/// assert_eq!((starts.to_vec()?, total), (vec![0, 3, 4, 8], 9));
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn exclusive_scan<K: Key>(values: &DeviceArray<K>, op: Op) -> Result<(DeviceArray<K>, K)> {
    let mut out = DeviceArray::new(values.device(), values.count())?;
    let total = exclusive_scan_into(values, &mut out, op)?;
    Ok((out, total))
}

/// [`exclusive_scan`] into an array of the same length; returns the total.
pub fn exclusive_scan_into<K: Key>(values: &DeviceArray<K>, out: &mut DeviceArray<K>, op: Op) -> Result<K> {
    match scan_into(values.keys(), out.keys(), op, op.coding::<K>(), true)? {
        None => Ok(op.identity()),
        Some(total) => read_value(values.device(), &total, values.keys().words()).map(K::from_low_bits),
    }
}

/// Runs a scan. The total's buffer, if there are elements.
fn scan_into(values: &Keys, out: &Keys, op: Op, coding: Coding, exclusive: bool) -> Result<Option<Buffer>> {
    expect_len("scan output", out.len() as usize, values.len() as usize)?;
    let mut commands = values.device().record();
    let sizes = sizes::scan(values.device(), values.len() * values.bytes());
    let total = record_keys(&mut commands, values, out, (op, coding), exclusive, sizes)?;
    commands.submit()?;
    Ok((!values.is_empty()).then_some(total))
}

/// Records a scan of keys. The total, as a key, will be at the start of the buffer, unless there are no keys.
pub(super) fn record_keys(
    commands: &mut Recorder<'_>,
    values: &Keys,
    out: &Keys,
    (op, coding): (Op, Coding),
    exclusive: bool,
    sizes: ScanSizes,
) -> Result<Buffer> {
    let combining = Combining::keys(op, coding)?;
    let job = Job { device: values.device(), op, exclusive, sizes };
    job.record(commands, &combining, &values.packs(), &out.packs())
}

/// What a scan does, whatever the elements.
pub(super) struct Job<'a> {
    pub(super) device: &'a Device,
    pub(super) op: Op,
    pub(super) exclusive: bool,
    pub(super) sizes: ScanSizes,
}

impl<'a> Job<'a> {
    /// Of so many 32-bit counts: how many there are before each.
    pub(super) fn of_counts(device: &'a Device, count: u64) -> Self {
        Self { device, op: Op::Sum, exclusive: true, sizes: sizes::scan(device, 4 * count) }
    }

    /// Records the scan. The total will be at the start of the buffer.
    pub(super) fn record(
        &self,
        commands: &mut Recorder<'_>,
        combining: &Combining,
        input: &Packs<'_>,
        output: &Packs<'_>,
    ) -> Result<Buffer> {
        let &Self { device, op, exclusive, sizes } = self;
        let count = count32(input.count, "scan")?;
        let tiles = input.count.div_ceil(sizes.tile.elements(combining));
        let total = device.words(combining.words.into(), "total of a scan")?;
        let source = |text, entry| {
            Source::new("scan", text, entry)
                .subgroups(device)
                .constant("THREADS", sizes.tile.threads)
                .constant("PACKS", sizes.tile.packs)
                .unroll(sizes.unroll)
                .flag("EXCLUSIVE", exclusive)
                .include(&combining.text)
                .include(include_str!("../reduce/tile.wgsl"))
                .include(include_str!("scan.wgsl"))
                .include(include_str!("store.wgsl"))
                .reads_sharded("values", "vec4<u32>", input.sharding)
                .writes_sharded("scanned", "vec4<u32>", output.sharding)
                .writes("total", combining.element())
        };
        let arrays = || input.buffers.iter().chain(&output.buffers).cloned().chain([total.all()]);
        let params = [count, tiles as u32];
        if let Some(patience) = sizes.one_pass {
            let (state, bytes) = lookback::state(device, combining.words, tiles)?;
            commands.clear(&state, bytes);
            let source = source(include_str!("lookback.wgsl"), "scan_lookback");
            let source = lookback::declare(source, combining.words, patience, device.limits().int64_atomics);
            let buffers: Vec<_> = arrays().chain([state.all()]).collect();
            commands.dispatch(&*device.kernel(&source)?, tiles, &buffers, &params)?;
            commands.keep(state);
            return Ok(total);
        }
        let before = if tiles > 1 {
            let totals = record_tiles(commands, device, combining, input, sizes.tile)?;
            let before = device.words(tiles * u64::from(combining.words), "what is before tiles")?;
            let job = Job { device, op, exclusive: true, sizes };
            let values = Combining::values(op, combining.words);
            let all = job.record(commands, &values, &Packs::of(&totals, tiles), &Packs::of(&before, tiles))?;
            commands.keep(totals);
            commands.keep(all);
            before
        } else {
            // One tile: nothing is before it, and the kernel does not look.
            device.words(combining.words.into(), "what is before tiles")?
        };
        let source = source(include_str!("passes.wgsl"), "scan_tiles").reads("before_tiles", combining.element());
        let buffers: Vec<_> = arrays().chain([before.all()]).collect();
        commands.dispatch(&*device.kernel(&source)?, tiles, &buffers, &params)?;
        commands.keep(before);
        Ok(total)
    }
}
