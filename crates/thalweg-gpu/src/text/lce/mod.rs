//! Longest common extensions: how far two suffixes agree, for any pairs.
//!
//! Fischer and Heun (2006); Soman et al. (2012), section 7.2: in the order of the suffixes, the common prefix of two is the
//! shortest of the common prefixes of neighbours between them, a range minimum of the LCP array from the rank after the
//! smaller one up to the larger one. Three kernels a batch: two ranks a pair make a range, any engine of [`rmq`] finds its
//! minimum, and the minima go to the answers, but for pairs of the same position twice.
//!
//! Build: one scatter for the ranks and the index; memory held: ranks and LCP array, 8 bytes a position, and the index.

use thalweg_text::{SuffixArray, Symbol};
use thalweg_core::{Error, Positions, Result};

use super::checks::{check_len, check_suffixes, cleared_word, same_len};
use crate::array::DeviceArray;
use crate::device::Device;
use crate::memory::Buffer;
use crate::primitives::elementwise::Elementwise;
use crate::recorder::{Recorder, Timing};
use crate::rmq::{self, GpuRmq};
use crate::stream::stream;
use crate::transfer::read_word;

/// Pairs of one tile: their ranges and minima, 12 bytes each, stay in a large GPU's cache. Not measured.
const TILE: usize = 1 << 22;
/// Pairs whose rows are told apart by 32 bits.
const PART: usize = 1 << 30;

/// Answers how far two suffixes of a text agree.
///
/// ```no_run
/// use thalweg_gpu::{Choice, Device, text::Lce};
/// let device = Device::open(&Choice::Auto)?;
/// let lce = Lce::of(&device, &thalweg_text::suffix_array(b"banana")?, Default::default())?;
/// let mut lengths = [0; 3];
/// lce.batch(&[[1, 3], [2, 4], [5, 5]], &mut lengths)?;
/// assert_eq!(lengths, [3, 2, 1]); // ana, na, a
/// # Ok::<(), thalweg_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Lce {
    /// The rank of every suffix, by position.
    ranks: DeviceArray<u32>,
    rmq: GpuRmq<'static, u32>,
    tile: usize,
}

impl Lce {
    /// The index of a text from its suffix and LCP array on the device; `rmq` chooses the engine of the range minima.
    ///
    /// The suffix array must be a permutation; one that leads out of the text is an error.
    pub fn new(sa: &DeviceArray<u32>, lcp: DeviceArray<u32>, rmq: rmq::Builder) -> Result<Self> {
        check_len(sa.len(), "common extensions")?;
        same_len("LCP array", lcp.len(), sa.len())?;
        Ok(Self { ranks: inverse(sa)?, rmq: rmq.build_on_device(lcp)?, tile: TILE })
    }

    /// The index of a text whose suffixes are sorted on the host, where their LCP array is made, too.
    pub fn of<T: Symbol>(device: &Device, suffixes: &SuffixArray<'_, T>, rmq: rmq::Builder) -> Result<Self> {
        check_len(suffixes.len() as u64, "common extensions")?;
        let narrow = |positions: &Positions| device.upload(positions.as_u32().expect("short texts have 32 bits"));
        Self::new(&narrow(suffixes.positions())?, narrow(&suffixes.lcp()?)?, rmq)
    }

    /// Length of the text.
    pub fn len(&self) -> u64 {
        self.ranks.len()
    }

    /// Whether the text is empty. Then every pair is out of range.
    pub fn is_empty(&self) -> bool {
        self.ranks.is_empty()
    }

    /// The RMQ engine in use.
    pub fn engine(&self) -> rmq::Engine {
        self.rmq.engine()
    }

    /// Bytes that the device holds: ranks, LCP array, and what the engine needs besides.
    pub fn device_bytes(&self) -> u64 {
        8 * self.len() + self.rmq.device_bytes()
    }

    /// Pairs that go to the device at a time, for tests.
    #[doc(hidden)]
    pub fn set_tile(&mut self, tile: usize) {
        self.tile = tile.clamp(1, TILE << 2);
    }

    /// How many symbols the suffixes at the positions of every pair have in common, for pairs from the host. A position
    /// beyond the text is an error that names the pair.
    pub fn batch(&self, pairs: &[[u32; 2]], out: &mut [u32]) -> Result<()> {
        same_len("lengths of extensions", out.len() as u64, pairs.len() as u64)?;
        let device = self.ranks.device();
        for (part, (pairs, out)) in pairs.chunks(PART).zip(out.chunks_mut(PART)).enumerate() {
            let bad_row = cleared_word(device, "bad rows")?;
            let mut row = 0;
            if !self.is_empty() {
                stream(device, pairs, out, self.tile, |commands, input, output, count| {
                    let tile = Tile {
                        pairs: vec![input.all()],
                        pairs_sharding: None,
                        out: vec![output.all()],
                        out_sharding: None,
                        first: 0,
                        row,
                        count: count as u32,
                    };
                    row += count as u32;
                    self.record(commands, &bad_row, &tile)
                })?;
            }
            let bad = read_word(device, &bad_row, 0)?;
            if bad != 0 || self.is_empty() {
                let row = if bad == 0 { 0 } else { !bad as usize };
                return Err(self.bad_pair(part * PART + row, pairs[row]));
            }
        }
        Ok(())
    }

    /// The same for pairs on the device: `pairs` holds the two positions of every pair in turn. At most 2^30 pairs.
    ///
    /// ```no_run
    /// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
    /// # let lce = thalweg_gpu::text::Lce::of(&device, &thalweg_text::suffix_array(b"banana")?, Default::default())?;
    /// let (pairs, out) = (device.upload(&[1u32, 3, 2, 4])?, device.allocate::<u32>(2)?);
    /// lce.batch_on_device(&pairs, &out)?;
    /// assert_eq!(out.to_vec()?, [3, 2]);
    /// # Ok::<(), thalweg_core::Error>(())
    /// ```
    pub fn batch_on_device(&self, pairs: &DeviceArray<u32>, out: &DeviceArray<u32>) -> Result<Timing> {
        let device = self.ranks.device();
        let count = pairs.len() / 2;
        same_len("lengths of extensions", out.len(), count)?;
        if count > PART as u64 {
            return Err(Error::device_limit(format!("{count} pairs on the device: more than {PART} in one batch")));
        }
        let pair = |row: u64| -> Result<[u32; 2]> {
            Ok([crate::list::element_of(pairs, 2 * row)?, crate::list::element_of(pairs, 2 * row + 1)?])
        };
        if count == 0 {
            return Ok(Timing::default());
        }
        if self.is_empty() {
            return Err(self.bad_pair(0, pair(0)?));
        }
        let bad_row = cleared_word(device, "bad rows")?;
        let mut commands = device.record();
        commands.start_clock();
        for first in (0..count).step_by(self.tile) {
            let tile = Tile {
                pairs: pairs.bindings().collect(),
                pairs_sharding: pairs.sharding().map(|(shift, shards)| (shift - 1, shards)),
                out: out.bindings().collect(),
                out_sharding: out.sharding(),
                first: first as u32,
                row: first as u32,
                count: (count - first).min(self.tile as u64) as u32,
            };
            self.record(&mut commands, &bad_row, &tile)?;
        }
        let timing = commands.submit_timed()?;
        match read_word(device, &bad_row, 0)? {
            0 => Ok(timing),
            bad => Err(self.bad_pair(!bad as usize, pair((!bad).into())?)),
        }
    }

    fn bad_pair(&self, row: usize, [first, second]: [u32; 2]) -> Error {
        Error::Pair { row, first: first.into(), second: second.into(), len: self.len() as usize }
    }

    /// Records the three kernels for a tile.
    fn record(&self, commands: &mut Recorder<'_>, bad_row: &Buffer, tile: &Tile<'_>) -> Result<()> {
        let (device, count) = (self.ranks.device(), u64::from(tile.count));
        let params = [tile.first, tile.row, self.len() as u32];
        let [ranges, minima] = [device.words(2 * count, "ranges of ranks")?, device.words(count, "minima")?];
        tile.kernel(device, "lce ranges", include_str!("ranges.wgsl"))
            .reads("ranks", "u32", &self.ranks)
            .declare(
                |source| source.atomics("bad_row").writes("ranges", "vec2<u32>"),
                [bad_row.all(), ranges.all()].into_iter(),
            )
            .dispatch(commands, &params)?;
        self.rmq.record_minima(commands, &ranges, &minima, bad_row, tile.count)?;
        tile.kernel(device, "lce lengths", include_str!("lengths.wgsl"))
            .declare(|source| source.reads("minima", "u32"), [minima.all()].into_iter())
            .declare(|source| source.writes_sharded("out", "u32", tile.out_sharding), tile.out.iter().cloned())
            .dispatch(commands, &params)?;
        commands.keep(ranges);
        commands.keep(minima);
        Ok(())
    }
}

/// Some pairs of a batch.
#[derive(Debug)]
struct Tile<'b> {
    pairs: Vec<crate::memory::Binding<'b>>,
    pairs_sharding: Option<(u32, u32)>,
    out: Vec<crate::memory::Binding<'b>>,
    out_sharding: Option<(u32, u32)>,
    /// Where they begin in the arrays.
    first: u32,
    /// The first one's row in the batch.
    row: u32,
    count: u32,
}

impl Tile<'_> {
    /// A kernel with one thread a pair, which `a`, the first one's place, leads to.
    fn kernel<'a>(&'a self, device: &'a Device, name: &'static str, text: &str) -> Elementwise<'a> {
        Elementwise::new(device, self.count.into(), name, text).declare(
            |source| source.reads_sharded("pairs", "vec2<u32>", self.pairs_sharding),
            self.pairs.iter().cloned(),
        )
    }
}

/// The rank of every suffix, by position.
fn inverse(sa: &DeviceArray<u32>) -> Result<DeviceArray<u32>> {
    let device = sa.device();
    let ranks = DeviceArray::<u32>::new(device, sa.len())?;
    let bad = cleared_word(device, "bad ranks")?;
    let mut commands = device.record();
    Elementwise::new(device, sa.len(), "inverse suffix array", include_str!("inverse.wgsl"))
        .reads("sa", "u32", sa)
        .writes("ranks", "u32", &ranks)
        .declare(|source| source.atomics("bad"), [bad.all()].into_iter())
        .dispatch(&mut commands, &[])?;
    commands.submit()?;
    check_suffixes(sa, &bad)?;
    Ok(ranks)
}
