//! Are suffix and LCP arrays what they claim to be? The same contract as the CPU's
//! [`SuffixArray::from_positions`](thalweg_text::SuffixArray::from_positions), by kernels.
//!
//! Burkhardt and Kärkkäinen (2003): positions are a permutation, and of two neighbours either the first symbols differ and are
//! in order, or the suffixes behind them are. Common prefixes are checked the same way, by one range minimum each. Work O(n)
//! at random places, O(n log n) at worst with LCP; memory: 8 bytes a position.

use thalweg_core::error::expect_len;
use thalweg_core::{Error, Result};

use super::device_text::Text;
use super::range_minima::Minima;
use crate::array::DeviceArray;
use crate::list::element_of;
use crate::primitives::elementwise::Elementwise;
use crate::transfer::read_words;

/// An error unless an array is the suffix array of a text, and another one, if it is given, its LCP array.
///
/// # Errors
/// [`Error::Length`] for an array of another length, [`Error::Link`] for the first entry that leads out of the text, and
/// [`Error::BadOption`] for positions that occur twice, suffixes that are not in order, or wrong common prefixes.
///
/// ```no_run
/// use thalweg_gpu::text::{Text, check_suffixes};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let text = Text::upload(&device, b"banana")?;
/// check_suffixes(&text, &device.upload(&[5u32, 3, 1, 0, 4, 2])?, None)?;
/// assert!(check_suffixes(&text, &device.upload(&[3u32, 5, 1, 0, 4, 2])?, None).is_err());
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn check_suffixes(text: &Text, sa: &DeviceArray<u32>, lcp: Option<&DeviceArray<u32>>) -> Result<()> {
    expect_len("suffix array", sa.len(), text.len())?;
    if let Some(lcp) = lcp {
        expect_len("LCP array", lcp.len(), text.len())?;
    }
    if sa.is_empty() {
        return Ok(());
    }
    let (device, len) = (text.device(), sa.count());
    let ranks = DeviceArray::<u32>::new(device, len)?;
    let behind = DeviceArray::<u32>::new(device, len)?;
    // The complements of the first ranks with some mistake; 0 for none.
    let bad = device.words(4, "bad ranks")?;
    let mut commands = device.record();
    commands.clear(&bad, 16);
    for window in ranks.windows() {
        Elementwise::new(device, len, "inverse to check", include_str!("inverse.wgsl"))
            .reads("sa", "u32", sa)
            .writes("ranks", "u32", &ranks)
            .declare(|source| source.atomics("bad"), [bad.all()].into_iter())
            .dispatch(&mut commands, &window)?;
    }
    for window in ranks.windows() {
        Elementwise::new(device, len, "ranks behind", include_str!("behind.wgsl"))
            .reads("sa", "u32", sa)
            .reads("ranks", "u32", &ranks)
            .writes("behind", "u32", &behind)
            .declare(|source| source.atomics("bad"), [bad.all()].into_iter())
            .dispatch(&mut commands, &window)?;
    }
    text.kernel(len, "order of suffixes", include_str!("order.wgsl"))
        .reads("sa", "u32", sa)
        .reads("behind", "u32", &behind)
        .declare(|source| source.atomics("bad"), [bad.all()].into_iter())
        .dispatch(&mut commands, &[])?;
    behind.keep_in(&mut commands);
    commands.submit()?;
    let mut first = [0; 4];
    read_words(device, &bad, 0, &mut first[..3])?;
    let wrong = |reason| Err(Error::BadOption { option: "suffix array", reason });
    match first.map(|complement| !complement) {
        [rank, ..] if first[0] != 0 => {
            let to = element_of(sa, rank.into())?.into();
            return Err(Error::Link { what: "suffix", element: rank as usize, to, len: sa.len() });
        }
        [_, rank, ..] if first[1] != 0 => {
            return wrong(format!("position {} occurs twice", element_of(sa, rank.into())?));
        }
        [_, _, rank, _] if first[2] != 0 => {
            return wrong(format!("the suffixes of rank {} and {rank} are not in order", rank - 1));
        }
        _ => {}
    }
    let Some(lcp) = lcp else { return Ok(()) };
    let mut commands = device.record();
    let minima = Minima::record(&mut commands, lcp)?;
    let arrays = [sa, &ranks, lcp];
    minima.dispatch(
        &mut commands,
        ("common prefixes", include_str!("lcp.wgsl")),
        len,
        [0; 3],
        |source| {
            let source = text.declare(source).reads_sharded("sa", "u32", sa.sharding());
            let source = source.reads_sharded("ranks", "u32", ranks.sharding());
            source.reads_sharded("lcp", "u32", lcp.sharding()).atomics("bad")
        },
        text.bindings().chain(arrays.iter().flat_map(|array| array.bindings())).chain([bad.all()]).collect(),
    )?;
    minima.keep_in(&mut commands);
    commands.submit()?;
    read_words(device, &bad, 0, &mut first)?;
    match first[3] {
        0 => Ok(()),
        complement => {
            let (rank, got) = (!complement, element_of(lcp, (!complement).into())?);
            let reason = format!("rank {rank}: {got} symbols in common, which does not follow from the others");
            Err(Error::BadOption { option: "LCP array", reason })
        }
    }
}
