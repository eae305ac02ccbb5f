//! The longest previous factor of every position: how long its longest match with a suffix that begins earlier is.
//!
//! Crochemore and Ilie (2008); Shun and Zhao (2013): the longest match is with one of two suffixes, those that begin
//! earlier and are nearest in lexicographic order, below and above. In the order of the suffixes they are nearest smaller
//! values of the suffix array, and how far they agree is a range minimum of the LCP array up to them. Most of these ranges
//! are short: in a random permutation, every second one is a single entry and one in k longer than k. So a thread climbs
//! levels of minima from its own rank, beside the memory that its neighbours read, and no batch of queries goes
//! through memory. What is found is written to the place of the position in the text, a scatter to random places, which is
//! what most of the time goes to. With sources, length and source go to one place together and are separated afterwards.
//!
//! Work O(n log n) at worst, O(n) for random permutations; memory: ANSV of the suffix array, 8 bytes a position and what
//! it needs itself; levels of LCP, n/15 words; with sources, 8 bytes a position more while it runs.

use thalweg_arrays::ansv::{Engine, Relation};
use thalweg_core::error::expect_len;
use thalweg_core::{Positions, Result};

use super::checks::{check_len, check_suffixes, cleared_word};
use super::range_minima::Minima;
use crate::ansv;
use crate::array::DeviceArray;
use crate::primitives::elementwise::Elementwise;

/// Longest previous factors, and where they are.
#[derive(Clone, Debug)]
pub struct Lpf {
    /// Lengths, by position; 0 where a symbol occurs for the first time.
    pub lengths: DeviceArray<u32>,
    /// Where a previous factor of that length begins; `u32::MAX` where there is none. Of the two that are nearest in
    /// lexicographic order, that below if both are as long.
    pub sources: DeviceArray<u32>,
}

impl Lpf {
    /// A copy on the host, such as for [`factors_from_lpf`](thalweg_text::lz77::factors_from_lpf).
    pub fn to_host(&self) -> Result<thalweg_text::Lpf> {
        let (lengths, sources) = (self.lengths.to_vec()?, self.sources.to_vec()?);
        Ok(thalweg_text::Lpf { lengths: Positions::U32(lengths), sources: Positions::U32(sources) })
    }
}

/// The longest previous factor of every position of a text, from its suffix and LCP array.
///
/// The suffix array must be a permutation; one that leads out of the text is an error, and other wrong arrays give wrong
/// lengths.
///
/// ```no_run
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// // abaabab
/// let (sa, lcp) = (device.upload(&[2u32, 5, 0, 3, 6, 1, 4])?, device.upload(&[0u32, 1, 2, 3, 0, 1, 2])?);
/// assert_eq!(thalweg_gpu::text::lpf(&sa, &lcp)?.to_vec()?, [0, 0, 1, 3, 2, 2, 1]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn lpf(sa: &DeviceArray<u32>, lcp: &DeviceArray<u32>) -> Result<DeviceArray<u32>> {
    let lengths = DeviceArray::new(sa.device(), sa.count())?;
    run(sa, lcp, Target::Lengths(&lengths))?;
    Ok(lengths)
}

/// [`lpf`] with the place of every factor.
///
/// ```no_run
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let (sa, lcp) = (device.upload(&[2u32, 5, 0, 3, 6, 1, 4])?, device.upload(&[0u32, 1, 2, 3, 0, 1, 2])?);
/// let found = thalweg_gpu::text::lpf_with_sources(&sa, &lcp)?;
/// assert_eq!(found.sources.to_vec()?, [u32::MAX, u32::MAX, 0, 0, 1, 0, 1]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn lpf_with_sources(sa: &DeviceArray<u32>, lcp: &DeviceArray<u32>) -> Result<Lpf> {
    let (device, len) = (sa.device(), sa.count());
    let pairs = matches(sa, lcp)?;
    let found = Lpf { lengths: DeviceArray::new(device, len)?, sources: DeviceArray::new(device, len)? };
    let mut commands = device.record();
    Elementwise::new(device, len, "lpf parts", include_str!("parts.wgsl"))
        .reads("pairs", "vec2<u32>", &pairs)
        .writes("lengths", "u32", &found.lengths)
        .writes("sources", "u32", &found.sources)
        .dispatch(&mut commands, &[])?;
    commands.submit()?;
    Ok(found)
}

/// The same as pairs: the length, and in the high word the source.
pub(super) fn matches(sa: &DeviceArray<u32>, lcp: &DeviceArray<u32>) -> Result<DeviceArray<u64>> {
    let pairs = DeviceArray::<u64>::new(sa.device(), sa.count())?;
    run(sa, lcp, Target::Pairs(&pairs))?;
    Ok(pairs)
}

/// What is scattered into the order of the text.
#[derive(Debug)]
enum Target<'a> {
    Lengths(&'a DeviceArray<u32>),
    /// Length and source.
    Pairs(&'a DeviceArray<u64>),
}

fn run(sa: &DeviceArray<u32>, lcp: &DeviceArray<u32>, target: Target<'_>) -> Result<()> {
    let (device, len) = (sa.device(), sa.count());
    check_len(len, "longest previous factors")?;
    expect_len("LCP array", lcp.len(), sa.len())?;
    if len == 0 {
        return Ok(());
    }
    let near = ansv::solve(sa, Relation::Smaller, Engine::Tiles)?;
    let bad = cleared_word(device, "bad ranks")?;
    let mut commands = device.record();
    let minima = Minima::record(&mut commands, lcp)?;
    let (put, element, sharding) = match target {
        Target::Lengths(lengths) => (include_str!("put_length.wgsl"), "u32", lengths.sharding()),
        Target::Pairs(pairs) => (include_str!("put_pair.wgsl"), "vec2<u32>", pairs.sharding()),
    };
    let found: Vec<_> = match target {
        Target::Lengths(lengths) => lengths.bindings().collect(),
        Target::Pairs(pairs) => pairs.bindings().collect(),
    };
    let arrays = [sa, &near.left, &near.right];
    let bindings = arrays.iter().flat_map(|array| array.bindings()).chain(found).chain([bad.all()]).collect();
    minima.dispatch(
        &mut commands,
        ("lpf", include_str!("matches.wgsl")),
        len,
        [0; 3],
        |source| {
            source
                .include(put)
                .reads_sharded("sa", "u32", sa.sharding())
                .reads_sharded("left", "u32", near.left.sharding())
                .reads_sharded("right", "u32", near.right.sharding())
                .writes_sharded("found", element, sharding)
                .atomics("bad")
        },
        bindings,
    )?;
    minima.keep_in(&mut commands);
    commands.submit()?;
    check_suffixes(sa, &bad)
}
