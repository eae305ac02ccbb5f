//! Compaction: the elements whose flag is set, in order, without gaps. And split, which keeps the others in front.
//!
//! Three passes: the set flags of every tile are counted, the counts are scanned, and the tiles' elements are moved. The count
//! leaves flags as bits, so that the move does not read them again. Two passes over the elements, where these are compared, are
//! faster here than one that looks back: H200, 2^28 u32 by comparison, 0.77 ms, and 1.00 ms at best of eight shapes in one pass.

use thalweg_core::error::expect_len;
use thalweg_core::{Coding, Key, Order, Rank, Result};

use super::combine::{self, Combining, Op, count32, element};
use super::reduce::{self, read_value};
use super::scan::Job;
use super::sizes::{self, Tile};
use crate::array::{DeviceArray, Keys, Packs};
use crate::coding::KeyCode;
use crate::device::Device;
use crate::kernel::Source;
use crate::memory::Buffer;
use crate::recorder::Recorder;

/// The elements whose flag is not zero, in their order.
///
/// Work O(n); flags and elements are read once. Extra memory: room for all elements, a bit a flag, and 4 bytes for some hundred elements.
/// BSGP's `compact` (Hou et al. 2008), whose ranks come from a scan of the flags (Sengupta et al. 2007).
///
/// ```no_run
/// use thalweg_gpu::primitives::compact;
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let (values, flags) = (device.upload(&[5, -2, 7, -1])?, device.upload(&[1u32, 0, 1, 0])?);
/// assert_eq!(compact(&values, &flags)?.to_vec()?, [5, 7]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn compact<K: Key>(values: &DeviceArray<K>, flags: &DeviceArray<u32>) -> Result<DeviceArray<K>> {
    same_length(values.keys(), flags)?;
    Ok(run(Moved::Values(values.keys(), flags.keys()))?.typed())
}

/// The positions of the flags that are not zero, ascending.
///
/// As [`compact`].
///
/// ```no_run
/// use thalweg_gpu::primitives::survivors;
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let flags = device.upload(&[1u32, 0, 0, 1])?;
/// assert_eq!(survivors(&flags)?.to_vec()?, [0, 3]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn survivors(flags: &DeviceArray<u32>) -> Result<DeviceArray<u32>> {
    Ok(run(Moved::Indices(flags.keys()))?.typed())
}

pub(super) fn same_length(values: &Keys, flags: &DeviceArray<u32>) -> Result<()> {
    expect_len("flags", flags.len(), values.len() as usize)
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
    fn test(self) -> Test {
        let (order, bound, and_equal) = match self {
            Self::Less(bound) => (Order::Min, bound, false),
            Self::AtMost(bound) => (Order::Min, bound, true),
            Self::Greater(bound) => (Order::Max, bound, false),
            Self::AtLeast(bound) => (Order::Max, bound, true),
        };
        Test { coding: Coding::of::<K>(order).into(), bound: bound.rank(order).to_u64(), and_equal }
    }
}

/// A comparison without the type of its keys: those stay whose rank is below the bound's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Test {
    coding: KeyCode,
    /// A rank.
    bound: u64,
    /// Whether the bound itself stays, too.
    and_equal: bool,
}

/// The keys that pass a comparison, in their order: [`compact`] without an array of flags.
///
/// ```no_run
/// use thalweg_gpu::primitives::{Keep, compact_by};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let values = device.upload(&[5, -2, 7, -1])?;
/// assert_eq!(compact_by(&values, Keep::Greater(0))?.to_vec()?, [5, 7]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn compact_by<K: Key>(values: &DeviceArray<K>, keep: Keep<K>) -> Result<DeviceArray<K>> {
    Ok(run(Moved::Keys(values.keys(), keep.test()))?.typed())
}

/// What is moved, and by which flags.
#[derive(Clone, Copy, Debug)]
pub(super) enum Moved<'a> {
    /// The elements whose flag is set.
    Values(&'a Keys, &'a Keys),
    /// The positions of the flags that are set.
    Indices(&'a Keys),
    /// The keys that pass a test.
    Keys(&'a Keys, Test),
}

impl Moved<'_> {
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

    /// Words of what is moved.
    pub(super) fn words(&self) -> u32 {
        match self {
            Self::Values(keys, _) | Self::Keys(keys, _) => keys.words(),
            Self::Indices(_) => 1,
        }
    }
}

/// What is kept.
fn run(moved: Moved<'_>) -> Result<Keys> {
    let device = moved.device();
    let mut out = Keys::new(device, moved.len(), moved.words())?;
    if !out.is_empty() {
        let mut commands = device.record();
        let count = record(&mut commands, moved, &out, false, way(moved))?;
        commands.submit()?;
        out.truncate(read_value(device, &count, 1)?);
    }
    Ok(out)
}

/// Its tiles, and whether flags become bits when they are counted: where subgroups make words of them, and one binding holds all
/// bits.
pub(super) fn way(moved: Moved<'_>) -> (Tile, bool) {
    let (device, limits) = (moved.device(), moved.device().limits());
    let fit = limits.subgroup_min >= 8 && moved.len().div_ceil(8) <= limits.binding_bytes / 2;
    let as_bits = fit && !matches!(moved, Moved::Keys(..));
    (sizes::compact(device, moved.words()), as_bits)
}

/// Records a compaction, or a split, of an array that is not empty. The number of set flags will be at the start of the
/// buffer. With `as_bits`, flags of an array are read once: see [`way`].
pub(super) fn record(
    commands: &mut Recorder<'_>,
    moved: Moved<'_>,
    out: &Keys,
    split: bool,
    (tile, as_bits): (Tile, bool),
) -> Result<Buffer> {
    let (device, len) = (moved.device(), moved.len());
    let count = count32(len, "compact")?;
    let tiles = len.div_ceil(u64::from(4 * tile.threads * tile.packs));
    let words = moved.words();
    // How many of every tile, or of every group of tiles, and then how many before it.
    let (counts, group, bits, bound) = match moved {
        Moved::Values(_, flags) | Moved::Indices(flags) if as_bits => {
            let (counts, bits) = Bits::record(commands, flags, tile)?;
            (counts, sizes::COUNTING.1, Some(bits), 0)
        }
        Moved::Values(_, flags) | Moved::Indices(flags) => {
            (reduce::record_tiles(commands, device, &Combining::count(), &flags.packs(), tile)?, 1, None, 0)
        }
        Moved::Keys(keys, test) => {
            let counting = Combining::passing(test.coding, test.bound, test.and_equal);
            let same_elements = Tile { packs: tile.packs * 4 / counting.pack, ..tile };
            (reduce::record_tiles(commands, device, &counting, &keys.packs(), same_elements)?, 1, None, counting.bound)
        }
    };
    let counted = tiles.div_ceil(group.into());
    let before = device.words(counted, "elements kept before tiles")?;
    let (sum, job) = (Combining::values(Op::Sum, 1), Job::of_counts(device, counted));
    let total = job.record(commands, &sum, &Packs::of(&counts, counted), &Packs::of(&before, counted))?;
    commands.keep(counts);

    let mut source = Source::new("compact", include_str!("compact.wgsl"), "compact")
        .subgroups(device)
        .constant("THREADS", tile.threads)
        .constant("PACKS", tile.packs)
        .constant("HALF_PACKS", tile.packs.div_ceil(2))
        .constant("TILES", sizes::MOVED_TILES)
        .constant("GROUP", group)
        .flag("SPLIT", split)
        .include(combine::COUNT)
        .include(combine::SUBGROUPS);
    let mut buffers = Vec::new();
    match (moved, &bits) {
        (_, Some(bits)) => {
            source = source.include(include_str!("flags_bits.wgsl")).reads("bits", "u32").reads("in_group", "u32");
            buffers.extend([bits.flags.all(), bits.in_group.all()]);
        }
        (Moved::Values(_, flags) | Moved::Indices(flags), None) => {
            let packs = flags.packs();
            source =
                source.include(include_str!("flags_array.wgsl")).reads_sharded("flags", "vec4<u32>", packs.sharding);
            buffers.extend(packs.buffers);
        }
        (Moved::Keys(_, test), None) => {
            source = source.flag("AND_EQUAL", test.and_equal).include(combine::PASSES);
            source = source.include(include_str!("flags_passing.wgsl"));
        }
    }
    match moved {
        Moved::Values(values, _) | Moved::Keys(values, _) => {
            // Only a comparison asks what the elements mean.
            let coding = match moved {
                Moved::Keys(_, test) => test.coding,
                _ => KeyCode::plain(words),
            };
            let packs = values.packs();
            source = source.keys(coding).include(include_str!("values.wgsl"));
            source = source.reads_sharded("moved", "vec4<u32>", packs.sharding);
            buffers.extend(packs.buffers);
        }
        Moved::Indices(_) => source = source.include(include_str!("positions.wgsl")),
    }
    source = source
        .writes_sharded("out", element(words), out.sharding())
        .reads("before_groups", "u32")
        .reads("total", "u32");
    buffers.extend(out.bindings().chain([before.all(), total.all()]));
    let params = [count, tiles as u32, bound as u32, (bound >> 32) as u32];
    commands.dispatch(&*device.kernel(&source)?, tiles.div_ceil(sizes::MOVED_TILES.into()), &buffers, &params)?;
    commands.keep(before);
    bits.into_iter().flat_map(|bits| [bits.flags, bits.in_group]).for_each(|buffer| commands.keep(buffer));
    Ok(total)
}

/// What is kept of flags that were counted.
struct Bits {
    /// A bit each.
    flags: Buffer,
    /// For every tile, how many are set before it in its group.
    in_group: Buffer,
}

impl Bits {
    /// Records the count of every group's flags.
    fn record(commands: &mut Recorder<'_>, flags: &Keys, tile: Tile) -> Result<(Buffer, Self)> {
        let (device, packs) = (flags.device(), flags.packs());
        let (threads, group) = sizes::COUNTING;
        let tiles = flags.len().div_ceil(u64::from(4 * tile.threads * tile.packs));
        let groups = tiles.div_ceil(group.into());
        let counts = device.words(groups, "flags of groups of tiles")?;
        let in_group = device.words(tiles, "flags before tiles")?;
        let bits = device.words(flags.len().div_ceil(32), "flags as bits")?;
        let source = Source::new("compact", include_str!("count.wgsl"), "count_flags")
            .subgroups(device)
            .constant("THREADS", threads)
            .constant("TILE_PACKS", tile.threads * tile.packs)
            .constant("GROUP", group)
            // As many packs make a word, so that every thread writes one of the words.
            .constant("TOGETHER", 8)
            .reads_sharded("flags", "vec4<u32>", packs.sharding)
            .writes("bits", "u32")
            .writes("in_group", "u32")
            .writes("counts", "u32");
        let own = [bits.all(), in_group.all(), counts.all()];
        let buffers: Vec<_> = packs.buffers.into_iter().chain(own).collect();
        let params = [count32(flags.len(), "compact")?, tiles as u32];
        commands.dispatch(&*device.kernel(&source)?, groups, &buffers, &params)?;
        Ok((counts, Self { flags: bits, in_group }))
    }
}
