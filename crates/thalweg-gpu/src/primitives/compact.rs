//! Compaction: the elements whose flag is set, in order, without gaps. And split, which keeps the others in front.

use thalweg::{Error, Key, Result};

use super::lookback::{self, Patience, Published};
use super::op::{Combining, count32, element};
use super::reduce::{self, read_value};
use super::tuning::Tile;
use crate::array::DeviceArray;
use crate::coding;
use crate::kernel::Source;
use crate::memory::Buffer;
use crate::recorder::Recorder;

/// How a compaction or split runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// What a workgroup takes: packs are of four flags.
    pub tile: Tile,
    /// How long a workgroup waits for another.
    pub patience: Patience,
}

impl Shape {
    /// For elements of so many words. Not measured.
    pub fn of(words: u32) -> Self {
        Self { tile: Tile { threads: 256, packs: if words == 1 { 4 } else { 2 } }, patience: Patience::default() }
    }
}

/// The elements whose flag is not zero, in their order.
///
/// Work O(n), everything is read once and written once. Extra memory: room for all elements, and 4 or 8 bytes per tile of
/// 4,096. BSGP's `compact` (Hou et al. 2008), in one pass after Merrill and Garland 2016.
///
/// ```no_run
/// use thalweg_gpu::primitives::compact;
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let (values, flags) = (device.upload(&[5, -2, 7, -1])?, device.upload(&[1u32, 0, 1, 0])?);
/// assert_eq!(compact(&values, &flags)?.to_vec()?, [5, 7]);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn compact<K: Key>(values: &DeviceArray<K>, flags: &DeviceArray<u32>) -> Result<DeviceArray<K>> {
    same_length(values, flags)?;
    let mut out = DeviceArray::new(values.device(), values.len())?;
    let kept = run(Some(values), flags, &out, Shape::of(coding::words::<K>()))?;
    out.truncate(kept);
    Ok(out)
}

/// The positions of the flags that are not zero, ascending.
///
/// As [`compact`].
///
/// ```no_run
/// use thalweg_gpu::primitives::compact_indices;
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let flags = device.upload(&[1u32, 0, 0, 1])?;
/// assert_eq!(compact_indices(&flags)?.to_vec()?, [0, 3]);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn compact_indices(flags: &DeviceArray<u32>) -> Result<DeviceArray<u32>> {
    let mut out = DeviceArray::new(flags.device(), flags.len())?;
    let kept = run(None, flags, &out, Shape::of(1))?;
    out.truncate(kept);
    Ok(out)
}

pub(super) fn same_length<K: Key>(values: &DeviceArray<K>, flags: &DeviceArray<u32>) -> Result<()> {
    if flags.len() == values.len() {
        return Ok(());
    }
    Err(Error::Length { what: "flags", expected: values.len() as usize, got: flags.len() as usize })
}

/// Compacts into `out`, which is as long as the flags, and returns how many are kept.
fn run<K: Key>(
    values: Option<&DeviceArray<K>>,
    flags: &DeviceArray<u32>,
    out: &DeviceArray<K>,
    shape: Shape,
) -> Result<u64> {
    if flags.is_empty() {
        return Ok(0);
    }
    let mut commands = flags.device().record();
    let count = record(&mut commands, values, flags, out, shape)?;
    commands.submit()?;
    read_value(flags.device(), &count, 1)
}

/// Records a compaction of flags that are not empty, of positions if there are no values. The number of elements that are
/// kept will be at the start of the buffer.
pub(super) fn record<K: Key>(
    commands: &mut Recorder<'_>,
    values: Option<&DeviceArray<K>>,
    flags: &DeviceArray<u32>,
    out: &DeviceArray<K>,
    shape: Shape,
) -> Result<Buffer> {
    record_moves(commands, values, flags, out, shape, None)
}

/// Records a split of an array that is not empty. The number of set flags will be at the start of the buffer.
pub(super) fn record_split<K: Key>(
    commands: &mut Recorder<'_>,
    values: Option<&DeviceArray<K>>,
    flags: &DeviceArray<u32>,
    out: &DeviceArray<K>,
    shape: Shape,
) -> Result<Buffer> {
    let device = flags.device();
    let sum = Combining::values(super::Op::Sum, 1);
    let sets = reduce::record(commands, device, &Combining::count(), &sum, &flags.packs(), reduce::TILE)?;
    let count = record_moves(commands, values, flags, out, shape, Some(&sets))?;
    commands.keep(sets);
    Ok(count)
}

fn record_moves<K: Key>(
    commands: &mut Recorder<'_>,
    values: Option<&DeviceArray<K>>,
    flags: &DeviceArray<u32>,
    out: &DeviceArray<K>,
    shape: Shape,
    sets: Option<&Buffer>,
) -> Result<Buffer> {
    let device = flags.device();
    let count = count32(flags.len(), "compact")?;
    let Shape { tile, patience } = shape;
    let combining = Combining::count();
    let tiles = flags.len().div_ceil(tile.elements(&combining));
    let words = coding::words::<K>();
    let published = if flags.len() < 1 << 30 { Published::Small } else { Published::Word };
    let (state, bytes) = published.state(device, tiles)?;
    commands.clear(&state, bytes);
    let total = device.words(1, "number of elements kept")?;
    let flag_packs = flags.packs();
    let mut source = Source::new("compact", include_str!("compact.wgsl"), "compact")
        .subgroups(device)
        .constant("THREADS", tile.threads)
        .constant("PACKS", tile.packs)
        .flag("EXCLUSIVE", true)
        .flag("SPLIT", sets.is_some())
        .include(&combining.text)
        .include(include_str!("tile.wgsl"))
        .include(include_str!("scan.wgsl"))
        .reads_sharded("values", "vec4<u32>", flag_packs.sharding);
    let mut buffers = flag_packs.buffers;
    match values {
        Some(values) => {
            let packs = values.packs();
            let quad = if words == 1 { include_str!("quad_values32.wgsl") } else { include_str!("quad_values64.wgsl") };
            source = source.include(quad).reads_sharded("moved", "vec4<u32>", packs.sharding);
            buffers.extend(packs.buffers);
        }
        None => source = source.include(include_str!("quad_indices.wgsl")),
    }
    match sets {
        Some(sets) => {
            source = source.include("fn all_sets() -> u32 { return sets_of_all[0]; }\n").reads("sets_of_all", "u32");
            buffers.push(sets.all());
        }
        None => source = source.include("fn all_sets() -> u32 { return 0u; }\n"),
    }
    source = source.writes_sharded("out", element(words), out.sharding()).writes("total", "u32");
    source = lookback::declare(source, published, patience);
    buffers.extend(out.bindings().chain([total.all(), state.all()]));
    commands.dispatch(&*device.kernel(&source)?, tiles, &buffers, &[count, tiles as u32])?;
    commands.keep(state);
    Ok(total)
}
