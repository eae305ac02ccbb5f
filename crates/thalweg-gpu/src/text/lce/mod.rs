//! Longest common extensions: how far two suffixes agree, for any pairs.
//!
//! Fischer and Heun (2006); Soman et al. (2012), section 7.2: in the order of the suffixes, the common prefix of two is the
//! shortest of the common prefixes of neighbours between them, a range minimum of the LCP array from the rank after the
//! smaller one up to the larger one. Three kernels a batch: two ranks a pair make a range, any engine of [`rmq`](crate::rmq) finds its
//! minimum, and the minima go to the answers, but for pairs of the same position twice.
//!
//! Build: one scatter for the ranks and the index; memory held: ranks and LCP array, 8 bytes a position, and the index.

use thalweg_core::error::expect_len;
use thalweg_core::{Coding, Error, Order, Pairs, Position, PositionsMut, Result};
use thalweg_text::LceEngine;

use super::checks::{check_narrow, check_suffixes, cleared_word};
use crate::array::DeviceArray;
use crate::bad_row::BadRow;
use crate::device::Device;
use crate::memory::Buffer;
use crate::primitives::elementwise::Elementwise;
use crate::recorder::{Recorder, Timing};
use crate::rmq::{Engine, Index};
use crate::stream::{Looks, stream_pairs};
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
/// let (sa, lcp) = (device.upload(&[5u32, 3, 1, 0, 4, 2])?, device.upload(&[0u32, 1, 3, 0, 0, 2])?);
/// let lce = Lce::new(&sa, lcp)?; // of banana
/// let mut lengths = [0; 3];
/// lce.batch_of_slice(&[[1, 3], [2, 4], [5, 5]], &mut lengths)?;
/// assert_eq!(lengths, [3, 2, 1]); // ana, na, a
/// # Ok::<(), thalweg_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Lce {
    /// The rank of every suffix, by position.
    ranks: DeviceArray<u32>,
    minima: Index,
    tile: usize,
}

impl Lce {
    /// The index of a text from its suffix and LCP array on the device, with the default engine of range minima.
    ///
    /// # Errors
    /// As [`Lce::with_engine`].
    pub fn new(sa: &DeviceArray<u32>, lcp: DeviceArray<u32>) -> Result<Self> {
        Self::with_engine(sa, lcp, Engine::default())
    }

    /// The same with an engine of the caller's choice.
    ///
    /// # Errors
    /// The suffix array must be a permutation; [`Error::Link`] names the first entry that leads out of the text.
    /// [`Error::Length`] if the two do not have one length; those of [`rmq::build`](crate::rmq::build()).
    pub fn with_engine(sa: &DeviceArray<u32>, lcp: DeviceArray<u32>, engine: Engine) -> Result<Self> {
        check_narrow(sa.count(), "common extensions")?;
        expect_len("LCP array", lcp.len(), sa.len())?;
        let minima = Index::over(lcp.keys().clone(), Coding::of::<u32>(Order::Min), engine)?;
        Ok(Self { ranks: inverse(sa)?, minima, tile: TILE })
    }

    /// The same index, with other tiles for batches, of so many pairs: for measurements.
    pub fn with_tile(mut self, pairs: usize) -> Self {
        self.tile = pairs.clamp(1, TILE << 2);
        self
    }

    /// Length of the text.
    pub fn len(&self) -> usize {
        self.ranks.len()
    }

    /// Whether the text is empty. Then every pair is out of range.
    pub fn is_empty(&self) -> bool {
        self.ranks.is_empty()
    }

    /// Name of the RMQ engine in use.
    pub fn engine(&self) -> &'static str {
        self.minima.engine()
    }

    /// Bytes that the device holds: ranks, LCP array, and what the engine needs besides.
    pub fn device_bytes(&self) -> usize {
        8 * self.len() + self.minima.device_bytes()
    }

    /// [`Lce::batch`] of pairs from the host.
    pub fn batch_of_slice(&self, pairs: &[[u32; 2]], out: &mut [u32]) -> Result<()> {
        self.streamed(pairs, out)
    }

    /// The same of pairs of 32 or 64 bits.
    fn streamed<P: Position>(&self, pairs: &[[P; 2]], out: &mut [P]) -> Result<()> {
        expect_len("lengths of extensions", out.len(), pairs.len())?;
        let device = self.ranks.device();
        if self.is_empty() {
            return pairs.first().map_or(Ok(()), |&pair| Err(self.bad_pair(0, pair)));
        }
        for (part, (pairs, out)) in pairs.chunks(PART).zip(out.chunks_mut(PART)).enumerate() {
            let (bad_row, mut rows) = (BadRow::new(device)?, 0..0);
            stream_pairs(device, pairs, out, (self.tile, Looks::Often), |commands, input, output, count| {
                rows = rows.end..rows.end + count as u32;
                let tile = Tile {
                    pairs: vec![input],
                    pairs_sharding: None,
                    out: vec![output],
                    out_sharding: None,
                    first: 0,
                    row: rows.start,
                    count: count as u32,
                };
                let record = |commands: &mut Recorder<'_>, bad_row: &Buffer| self.record(commands, bad_row, &tile);
                bad_row.watch(commands, rows.clone(), pairs.len(), record)
            })?;
            if let Some(row) = bad_row.first(device)? {
                return Err(self.bad_pair(part * PART + row, pairs[row]));
            }
        }
        Ok(())
    }

    /// How many symbols the suffixes at the positions of every pair have in common: `pairs` holds the two positions of every
    /// pair in turn. At most 2^30 pairs. How long the device took.
    ///
    /// # Errors
    /// [`Error::Pair`] names the first pair with a position beyond the text; then the output is unspecified. Those of the
    /// device.
    ///
    /// ```no_run
    /// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
    /// # let (sa, lcp) = (device.upload(&[5u32, 3, 1, 0, 4, 2])?, device.upload(&[0u32, 1, 3, 0, 0, 2])?);
    /// # let lce = thalweg_gpu::text::Lce::new(&sa, lcp)?;
    /// let (pairs, out) = (device.upload(&[1u32, 3, 2, 4])?, device.allocate::<u32>(2)?);
    /// lce.batch(&pairs, &out)?;
    /// assert_eq!(out.to_vec()?, [3, 2]);
    /// # Ok::<(), thalweg_core::Error>(())
    /// ```
    pub fn batch(&self, pairs: &DeviceArray<u32>, out: &DeviceArray<u32>) -> Result<Timing> {
        let device = self.ranks.device();
        let count = pairs.count() / 2;
        expect_len("lengths of extensions", out.len(), count as usize)?;
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

    fn bad_pair<P: Position>(&self, row: usize, pair: [P; 2]) -> Error {
        let [first, second] = pair.map(|position| position.get() as u64);
        Error::Pair { row, first, second, len: self.len() }
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
        self.minima.record_values(commands, &ranges, &minima, bad_row, tile.count)?;
        tile.kernel(device, "lce lengths", include_str!("lengths.wgsl"))
            .declare(|source| source.reads("minima", "u32"), [minima.all()].into_iter())
            .declare(|source| source.writes_sharded("out", "u32", tile.out_sharding), tile.out.iter().cloned())
            .dispatch(commands, &params)?;
        commands.keep(ranges);
        commands.keep(minima);
        Ok(())
    }
}

impl LceEngine for Lce {
    fn name(&self) -> &'static str {
        self.engine()
    }

    fn len(&self) -> usize {
        Self::len(self)
    }

    fn bytes(&self) -> usize {
        self.device_bytes()
    }

    fn extension(&self, i: usize, j: usize) -> Result<usize> {
        let mut out = [0];
        self.streamed(&[[i as u64, j as u64]], &mut out)?;
        Ok(out[0] as usize)
    }

    fn extensions(&self, pairs: Pairs<'_>, out: PositionsMut<'_>) -> Result<()> {
        match (pairs, out) {
            (Pairs::U32(pairs), PositionsMut::U32(out)) => self.streamed(pairs, out),
            (Pairs::U64(pairs), PositionsMut::U64(out)) => self.streamed(pairs, out),
            _ => {
                let reason = "pairs and lengths have two widths".to_owned();
                Err(Error::BadOption { option: "lengths of extensions", reason })
            }
        }
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
    let ranks = DeviceArray::<u32>::new(device, sa.count())?;
    let bad = cleared_word(device, "bad ranks")?;
    let mut commands = device.record();
    Elementwise::new(device, sa.count(), "inverse suffix array", include_str!("inverse.wgsl"))
        .reads("sa", "u32", sa)
        .writes("ranks", "u32", &ranks)
        .declare(|source| source.atomics("bad"), [bad.all()].into_iter())
        .dispatch(&mut commands, &[])?;
    commands.submit()?;
    check_suffixes(sa, &bad)?;
    Ok(ranks)
}
