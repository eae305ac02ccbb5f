//! Compaction: the elements whose flag is set, in order, without gaps. And split, which keeps the others in front.

use thalweg::{Error, Key, Order, Rank, Result};

use super::lookback::{self, Patience, Published};
use super::op::{Combining, count32, element};
use super::reduce::{self, read_value};
use super::shapes;
use super::tuning::Tile;
use crate::array::DeviceArray;
use crate::coding::{self, Coding};
use crate::device::Device;
use crate::kernel::Source;
use crate::memory::Buffer;
use crate::recorder::Recorder;

/// How a compaction or split runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// What a workgroup takes: packs are of four flags, at most 8 a thread.
    pub tile: Tile,
    /// How long a workgroup waits for another.
    pub patience: Patience,
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
    let kept = run(Moved::Values(values, flags), &out, shapes::compact(values.device(), coding::words::<K>()))?;
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
    let kept = run(Moved::Indices(flags), &out, shapes::compact(flags.device(), 1))?;
    out.truncate(kept);
    Ok(out)
}

pub(super) fn same_length<K: Key>(values: &DeviceArray<K>, flags: &DeviceArray<u32>) -> Result<()> {
    if flags.len() == values.len() {
        return Ok(());
    }
    Err(Error::Length { what: "flags", expected: values.len() as usize, got: flags.len() as usize })
}

/// Which keys stay: a comparison with a bound, as [`Key::rank`] compares. NaN never passes, but for a bound of NaN that is
/// included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Keep<K> {
    /// Those less than the bound.
    Less(K),
    /// Those less than or equal to the bound.
    AtMost(K),
    /// Those greater than the bound.
    Greater(K),
    /// Those greater than or equal to the bound.
    AtLeast(K),
}

impl<K: Key> Keep<K> {
    /// The order in which the ranks of those that stay are below the bound's; the bound; and whether it stays, too.
    fn parts(self) -> (Order, K, bool) {
        match self {
            Self::Less(bound) => (Order::Min, bound, false),
            Self::AtMost(bound) => (Order::Min, bound, true),
            Self::Greater(bound) => (Order::Max, bound, false),
            Self::AtLeast(bound) => (Order::Max, bound, true),
        }
    }
}

/// The keys that pass a comparison, in their order: [`compact`] without an array of flags.
///
/// ```no_run
/// use thalweg_gpu::primitives::{Keep, compact_by};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let values = device.upload(&[5, -2, 7, -1])?;
/// assert_eq!(compact_by(&values, Keep::Greater(0))?.to_vec()?, [5, 7]);
/// # Ok::<(), thalweg::Error>(())
/// ```
pub fn compact_by<K: Key>(values: &DeviceArray<K>, keep: Keep<K>) -> Result<DeviceArray<K>> {
    let mut out = DeviceArray::new(values.device(), values.len())?;
    let kept = run(Moved::Keys(values, keep), &out, shapes::compact(values.device(), coding::words::<K>()))?;
    out.truncate(kept);
    Ok(out)
}

/// What is moved, and by which flags.
pub(super) enum Moved<'a, K: Key> {
    Values(&'a DeviceArray<K>, &'a DeviceArray<u32>),
    /// The positions of the flags; `K` is `u32`.
    Indices(&'a DeviceArray<u32>),
    Keys(&'a DeviceArray<K>, Keep<K>),
}

impl<K: Key> Moved<'_, K> {
    pub(super) fn device(&self) -> &Device {
        match self {
            Self::Values(_, flags) | Self::Indices(flags) => flags.device(),
            Self::Keys(keys, _) => keys.device(),
        }
    }

    pub(super) fn len(&self) -> u64 {
        match self {
            Self::Values(_, flags) | Self::Indices(flags) => flags.len(),
            Self::Keys(keys, _) => keys.len(),
        }
    }
}

/// Compacts into `out`, which is as long as the input, and returns how many are kept.
fn run<K: Key>(moved: Moved<'_, K>, out: &DeviceArray<K>, shape: Shape) -> Result<u64> {
    if out.is_empty() {
        return Ok(0);
    }
    let mut commands = out.device().record();
    let count = record(&mut commands, &moved, out, shape, None)?;
    commands.submit()?;
    read_value(out.device(), &count, 1)
}

/// Records a split of an array that is not empty. The number of set flags will be at the start of the buffer.
pub(super) fn record_split<K: Key>(
    commands: &mut Recorder<'_>,
    moved: &Moved<'_, K>,
    flags: &DeviceArray<u32>,
    out: &DeviceArray<K>,
    shape: Shape,
) -> Result<Buffer> {
    let device = flags.device();
    let sum = Combining::values(super::Op::Sum, 1);
    let sets = reduce::record(commands, device, &Combining::count(), &sum, &flags.packs(), shapes::reduce(device))?;
    let count = record(commands, moved, out, shape, Some(&sets))?;
    commands.keep(sets);
    Ok(count)
}

/// Records a compaction, or, if the number of set flags is in a buffer, a split, of an array that is not empty. The number
/// of set flags will be at the start of the buffer.
pub(super) fn record<K: Key>(
    commands: &mut Recorder<'_>,
    moved: &Moved<'_, K>,
    out: &DeviceArray<K>,
    shape: Shape,
    sets: Option<&Buffer>,
) -> Result<Buffer> {
    let (device, len) = (moved.device(), moved.len());
    let count = count32(len, "compact")?;
    let Shape { tile, patience } = shape;
    let tiles = len.div_ceil(u64::from(4 * tile.threads * tile.packs));
    let words = coding::words::<K>();
    let published = if len < 1 << 30 { Published::Small } else { Published::Word };
    let (state, bytes) = published.state(device, tiles)?;
    commands.clear(&state, bytes);
    let total = device.words(1, "number of elements kept")?;
    let mut source = Source::new("compact", include_str!("compact.wgsl"), "compact")
        .subgroups(device)
        .constant("THREADS", tile.threads)
        .constant("PACKS", tile.packs)
        .constant("HALF_PACKS", tile.packs.div_ceil(2))
        .flag("SPLIT", sets.is_some())
        .include(include_str!("op_count.wgsl"));
    let mut buffers = Vec::new();
    let mut bound = 0;
    if let Moved::Values(_, flags) | Moved::Indices(flags) = moved {
        let packs = flags.packs();
        source = source.include(include_str!("flags_array.wgsl")).reads_sharded("flags", "vec4<u32>", packs.sharding);
        buffers.extend(packs.buffers);
    }
    if let Moved::Keys(_, keep) = *moved {
        let (order, key, and_equal) = keep.parts();
        bound = key.rank(order).to_u64();
        let test = if words == 1 { include_str!("flags_test32.wgsl") } else { include_str!("flags_test64.wgsl") };
        source = source.keys(Coding::of::<K>(order)).flag("AND_EQUAL", and_equal).include(test);
    }
    match moved {
        Moved::Values(values, _) | Moved::Keys(values, _) => {
            let packs = values.packs();
            let quad = if words == 1 { include_str!("quad_values32.wgsl") } else { include_str!("quad_values64.wgsl") };
            source = source.include(quad).reads_sharded("moved", "vec4<u32>", packs.sharding);
            buffers.extend(packs.buffers);
        }
        Moved::Indices(_) => source = source.include(include_str!("quad_indices.wgsl")),
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
    let params = [count, tiles as u32, bound as u32, (bound >> 32) as u32];
    commands.dispatch(&*device.kernel(&source)?, tiles, &buffers, &params)?;
    commands.keep(state);
    Ok(total)
}
