//! The sizes of the kernels: threads, items and the like, and the measurements that chose them.
//!
//! A software renderer compiles longer than it runs: where subgroups are as small as there, loops that are written out
//! are kept short.

use super::combine::Combining;
use super::lookback::Patience;
use crate::device::Device;

/// How many elements a workgroup takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Threads of the workgroup.
    pub threads: u32,
    /// Vectors of 16 bytes that a thread takes.
    pub packs: u32,
}

impl Tile {
    pub(super) fn elements(self, combining: &Combining) -> u64 {
        u64::from(self.threads * self.packs * combining.pack)
    }
}

/// How a scan runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScanSizes {
    /// What a workgroup takes.
    pub tile: Tile,
    /// Whether loops over a thread's values are written out.
    pub unroll: bool,
    /// In one pass, or, if `None`, in two: totals of tiles, then the tiles again.
    pub one_pass: Option<Patience>,
}

/// How a radix sort runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RadixSizes {
    /// Threads of a workgroup, at least as many as there are digits.
    pub threads: u32,
    /// Keys that a thread takes.
    pub items: u32,
    /// Bits of a digit.
    pub digit_bits: u32,
    /// Tiles that a thread looks back at together.
    pub ahead: u32,
    /// By looking back, for fewer than 2^30 keys, or, if `None`, by counting every tile's digits first.
    pub one_pass: Option<Patience>,
}

/// How a merge sort runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MergeSizes {
    /// Threads of a workgroup: a power of two.
    pub(super) threads: u32,
    /// Elements that a thread takes: a power of two.
    pub(super) items: u32,
}

/// Whether subgroups are as small as a software renderer's.
fn small(device: &Device) -> bool {
    device.limits().subgroup_min < 16
}

/// For reductions. H200, 2^28 u32: 0.250 ms, 4.3 TB/s; 256 to 1,024 threads and 4 to 32 packs are within 5%.
pub(super) fn reduce(device: &Device) -> Tile {
    if small(device) { Tile { threads: 256, packs: 1 } } else { Tile { threads: 512, packs: 8 } }
}

/// For scans of so many bytes: where these are many by looking back, if a word and its status are told at once, else in two passes, which
/// need no waiting and nothing that is cleared. H200, ms, of several runs, between which 2^28 differed by 2%:
///
/// | u32 | looking back | two passes |
/// |---|---|---|
/// | 2^16 | 512 x 2 0.0165, 1,024 x 8 0.0196 | 512 x 2 0.0152, 1,024 x 1 0.0165, 256 x 1 0.0204 |
/// | 2^20 | 512 x 2 0.0189, 1,024 x 8 0.0205 | 512 x 2 0.0172, 1,024 x 2 0.0183, 256 x 1 0.0204 |
/// | 2^22 | 1,024 x 8 0.0232, 1,024 x 4 0.0236, 512 x 2 0.0271 | 512 x 2 0.0260 |
/// | 2^24 | 1,024 x 4 0.0642, 1,024 x 8 0.0671, 1,024 x 10 0.0673 | 512 x 2 0.0683 |
/// | 2^28 | 1,024 x 9 0.694, 10 0.705, 8 0.711, 12 0.717, 13 0.842; 512 x 8 0.746, 256 x 8 0.77 | 512 x 8 0.78, 256 x 2 0.79 |
///
/// (Tiles kept in registers instead of read twice: 256 x 8 0.78, 512 x 6 0.77; one or two packs of 8 kept: 1% more; told in two halves,
/// prefixes of rows kept from the first reading: the same.) A copy of 2^28 takes 0.51. 2^27 u64: looking back 512 x 8 0.79, two passes 0.81.
pub(super) fn scan(device: &Device, bytes: u64) -> ScanSizes {
    let limits = device.limits();
    let able = limits.int64_atomics && limits.workgroup_threads >= 1024;
    let (threads, packs, looks_back) = if small(device) {
        (256, 1, limits.int64_atomics)
    } else if bytes <= ONE_TILE {
        // One kernel.
        (512, 8, false)
    } else if bytes <= SHORT {
        (512, 2, false)
    } else if !able {
        (512, 8, limits.int64_atomics)
    } else {
        (1024, if bytes <= MEDIUM { 4 } else { 9 }, true)
    };
    ScanSizes { tile: Tile { threads, packs }, unroll: true, one_pass: looks_back.then(Patience::default) }
}

/// Bytes of 512 x 8 packs.
const ONE_TILE: u64 = 1 << 16;
/// Bytes up to which a scan is short: see [`scan`].
const SHORT: u64 = 1 << 23;
/// Bytes up to which its tiles are small.
const MEDIUM: u64 = 1 << 27;

/// For compactions and splits of elements of so many words. At most 8 packs. H200, 2^28 u32, half of them kept, by flags, ms, with 1, 2, 4 and 8
/// [tiles](MOVED_TILES) a workgroup: 128 x 2 0.711, 0.678, 0.664, 0.666; 64 x 2 0.707, 0.682, 0.668, 0.673; 32 x 4 0.712, 0.687, 0.673, 0.676; 128 x 1
/// 0.736, 0.722, 0.703, 0.695. Of two words: not measured.
pub(super) fn compact(device: &Device, words: u32) -> Tile {
    if small(device) { Tile { threads: 256, packs: 1 } } else { Tile { threads: 128, packs: 2 / words } }
}

/// Tiles that a workgroup of a compaction moves, one after the other: see [`compact`].
pub(super) const MOVED_TILES: u32 = 4;

/// Threads of the kernel that counts flags, and tiles that a workgroup of it takes. H200: 64 to 1,024 threads take 0.262 ms for 2^28 flags, 4.2
/// TB/s.
pub(super) const COUNTING: (u32, u32) = (256, 32);

/// For radix sorts of elements of at most so many words: by looking back. H200, 2^27 u32, ms: 448 x 13 3.42; before the last 3%:
/// 448 x 13 3.52, 384 x 15 3.51, 512 x 11 3.53, 480 x 12 3.58, 256 x 14 3.85, 384 x 9 4.02; counting first, 256 x 14 3.80. Looking at one
/// tile at a time 3.77, at four 3.58, at eight 3.75. With their positions: 448 x 13 4.17, 512 x 11 4.19, 256 x 14 4.60, counting first
/// 5.49. 2^26 u64 with their positions: 256 x 11 6.9, 384 x 7 7.0, 512 x 5 7.3, counting first 256 x 8 9.2.
/// What binds is workgroup memory: through Vulkan that card gives 48 KiB to all workgroups of a processor together, which is
/// two of these tiles.
pub(super) fn radix(device: &Device, words: u32) -> RadixSizes {
    if small(device) {
        // Every subgroup has counters of its own: many small subgroups have room for small digits only.
        return RadixSizes { threads: 256, items: 2, digit_bits: 6, ahead: 1, one_pass: None };
    }
    let limits = device.limits();
    let (threads, items) = if words == 1 { (448, 13) } else { (256, 11) };
    // Counters of all subgroups, or a tile in their place, and some more.
    let room = ((threads / limits.subgroup_min) << 8).max(threads * items * words) + 512;
    let fits = threads <= limits.workgroup_threads && 4 * room <= limits.workgroup_bytes;
    let (threads, items) = if fits { (threads, items) } else { (256, 12 / words) };
    RadixSizes { threads, items, digit_bits: 8, ahead: 2, one_pass: Some(Patience::default()) }
}

/// Threads of the count of all digits of a radix sort that looks back, packs that a thread reads together, and how often.
/// H200, 2^27 u32: 0.25 ms.
pub(super) fn histogram(device: &Device) -> (u32, u32, u32) {
    if small(device) { (256, 1, 2) } else { (256, 4, 4) }
}

/// For merge sorts. H200, 2^27 u32: 39.7 ms; other shapes not measured.
pub(super) fn merge(device: &Device) -> MergeSizes {
    MergeSizes { threads: 256, items: if small(device) { 1 } else { 4 } }
}

/// Threads of a fork, and children that a thread places. Not measured.
pub(super) fn fork(device: &Device) -> (u32, u32) {
    (256, if small(device) { 1 } else { 8 })
}
