//! The shapes of the kernels: threads, items and the like, and the measurements that chose them.
//!
//! A software renderer compiles longer than it runs: where subgroups are as small as there, loops that are written out
//! are kept short.

use super::compact::Shape;
use super::lookback::Patience;
use super::scan::Scan;
use super::sort::{merge, radix};
use super::tuning::Tile;
use crate::device::Device;

/// Whether subgroups are as small as a software renderer's.
fn small(device: &Device) -> bool {
    device.limits().subgroup_min < 16
}

/// For reductions. H200, 2^28 u32: 0.250 ms, 4.3 TB/s; 256 to 1,024 threads and 4 to 32 packs are within 5%.
pub(super) fn reduce(device: &Device) -> Tile {
    if small(device) { Tile { threads: 256, packs: 1 } } else { Tile { threads: 512, packs: 8 } }
}

/// For scans. Not measured.
pub(super) fn scan(device: &Device) -> Scan {
    let packs = if small(device) { 1 } else { 4 };
    Scan { tile: Tile { threads: 256, packs }, unroll: true, one_pass: Some(Patience::default()) }
}

/// For compactions and splits of elements of so many words. Not measured.
pub(super) fn compact(device: &Device, words: u32) -> Shape {
    let packs = if small(device) { 1 } else { 4 / words };
    Shape { tile: Tile { threads: 256, packs }, patience: Patience::default() }
}

/// For radix sorts of elements of at most so many words. Not measured.
pub(super) fn radix(device: &Device, words: u32, len: u64) -> radix::Shape {
    // Counts are published in 30 bits.
    let one_pass = (len < 1 << 30).then(Patience::default);
    if small(device) {
        // Every subgroup has counters of its own: many small subgroups have room for small digits only.
        return radix::Shape { threads: 256, items: 2, digit_bits: 6, ahead: 1, one_pass };
    }
    radix::Shape { threads: 256, items: if words > 1 { 8 } else { 16 }, digit_bits: 8, ahead: 2, one_pass }
}

/// Threads of the count of all digits of a radix sort, packs that a thread reads together, and how often. Not measured.
pub(super) fn histogram(device: &Device) -> (u32, u32, u32) {
    if small(device) { (256, 1, 2) } else { (256, 4, 4) }
}

/// For merge sorts. Not measured.
pub(super) fn merge(device: &Device) -> merge::Shape {
    merge::Shape { threads: 256, items: if small(device) { 1 } else { 4 } }
}

/// Threads of a fork, and children that a thread places. Not measured.
pub(super) fn fork(device: &Device) -> (u32, u32) {
    (256, if small(device) { 1 } else { 8 })
}
