//! LZ77: the greedy factorisation of a text, exactly, on the device.
//!
//! Longest previous factors tell for every position where the phrase that begins there would end. Which phrases there are is
//! a chain through the text from its first position on, and inside a tile of some thousand positions pointers lead every
//! position to the chain's end there in a few rounds. Then one thread goes from tile to tile, and every tile
//! marks its phrases from where the chain comes in. The marked ones are listed, and nothing else leaves the device.
//!
//! Work: that of [`lpf`](fn@super::lpf), O(n log tile), and n/tile steps of one thread, 0.4 µs each on an H200: 3.3 ms for 64 MiB of
//! source code, beside 2.2 ms for pointers and marks and 5 for the longest previous factors.
//! Memory: 20 bytes a position beside the suffix and LCP array.

use thalweg_core::Result;
use thalweg_core::error::expect_len;
use thalweg_core::memory::filled;
use thalweg_text::Factors;

use super::device_text::Text;
use super::lpf;
use super::suffix_array::Suffixes;
use crate::array::DeviceArray;
use crate::device::Device;
use crate::kernel::Source;
use crate::list::element_of;
use crate::primitives::elementwise::Elementwise;
use crate::primitives::{Op, inclusive_scan};

/// Threads of a workgroup, and positions of a thread: a tile is as large as the workgroup's memory allows. Not measured.
fn sizes(device: &Device) -> (u32, u32) {
    let limits = device.limits();
    if limits.subgroup_min < 16 {
        return (64, 4);
    }
    let threads = limits.workgroup_threads.min(512);
    // Room for the tile's bits, and a little more.
    let items = (limits.workgroup_bytes - 2048) / 4 / threads;
    (threads, 1 << items.clamp(1, 16).ilog2())
}

/// The LZ77 factorisation of a text from its suffix and LCP array, on the host: phrase for phrase and source for source that of
/// [`thalweg_text::lz77`](mod@thalweg_text::lz77).
///
/// The arrays must be the text's; of others, phrases stand for another text, or it is an error.
///
/// ```no_run
/// use thalweg_gpu::text::{Text, lz77, suffix_array_with_lcp};
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let text = Text::upload(&device, b"abababbb")?;
/// assert_eq!(lz77(&text, &suffix_array_with_lcp(&text)?)?.len(), 4);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn lz77(text: &Text, suffixes: &Suffixes) -> Result<Factors> {
    expect_len("suffix array", suffixes.positions.len(), text.len())?;
    if text.is_empty() {
        return Factors::from_pairs(0, Vec::new());
    }
    let matches = lpf::matches(&suffixes.positions, &suffixes.lcp)?;
    let phrases = chain(text, &matches)?;
    drop(matches);
    let mut pairs = filled(phrases.len() / 2, [0u32; 2], "phrases")?;
    phrases.download(pairs.as_flattened_mut())?;
    Factors::from_pairs(text.len(), pairs)
}

/// The phrases that follow each other from the first position on, of matches with a length and a source.
fn chain(text: &Text, matches: &DeviceArray<u64>) -> Result<DeviceArray<u32>> {
    let (device, len) = (text.device(), text.count());
    let (threads, items) = sizes(device);
    let tile = threads * items;
    let (tiles, words) = (len.div_ceil(tile.into()), len.div_ceil(32));
    let array = |len| DeviceArray::<u32>::new(device, len);
    let (exits, entries, begins, counts) = (array(len)?, array(tiles)?, array(words)?, array(words)?);
    let source = |name, text, entry| {
        Source::new(name, text, entry)
            .constant("THREADS", threads)
            .constant("ITEMS", items)
            .constant("TILE_LOG", tile.ilog2())
            .constant("NO_ENTRY", u32::MAX)
            .reads_sharded("matches", "vec2<u32>", matches.sharding())
    };
    let params = [len as u32, tiles as u32];
    let mut commands = device.record();
    Elementwise::statement(device, tiles, "no entries", "entries_put(i, NO_ELEMENT);")
        .writes("entries", "u32", &entries)
        .dispatch(&mut commands, &[])?;
    let leave = source("exits", include_str!("exits.wgsl"), "exits_of_tiles");
    let leave = leave.writes_sharded("exits", "u32", exits.sharding());
    let bindings: Vec<_> = matches.bindings().chain(exits.bindings()).collect();
    commands.dispatch(&*device.kernel(&leave)?, tiles, &bindings, &params)?;
    let walk = Source::new("walk", include_str!("walk.wgsl"), "walk_over_tiles")
        .reads_sharded("exits", "u32", exits.sharding())
        .writes_sharded("entries", "u32", entries.sharding());
    let bindings: Vec<_> = exits.bindings().chain(entries.bindings()).collect();
    commands.dispatch(&*device.kernel(&walk)?, 1, &bindings, &[len as u32, tile])?;
    let begin = source("phrases", include_str!("begin.wgsl"), "phrases_begin")
        .reads_sharded("entries", "u32", entries.sharding())
        .writes_sharded("begins", "u32", begins.sharding());
    let bindings: Vec<_> = matches.bindings().chain(entries.bindings()).chain(begins.bindings()).collect();
    commands.dispatch(&*device.kernel(&begin)?, tiles, &bindings, &params)?;
    Elementwise::statement(device, words, "counts of phrases", "counts_put(i, countOneBits(begins_at(i)));")
        .reads("begins", "u32", &begins)
        .writes("counts", "u32", &counts)
        .dispatch(&mut commands, &[])?;
    commands.submit()?;
    drop((exits, entries));
    let counts = inclusive_scan(&counts, Op::Sum)?;
    let count = element_of(&counts, words - 1)?;
    let phrases = array(2 * u64::from(count))?;
    let mut commands = device.record();
    text.kernel(words, "list of phrases", include_str!("list.wgsl"))
        .reads("begins", "u32", &begins)
        .reads("counts", "u32", &counts)
        .reads("matches", "vec2<u32>", matches)
        .writes_pairs("phrases", &phrases)
        .dispatch(&mut commands, &[len as u32])?;
    commands.submit()?;
    Ok(phrases)
}
