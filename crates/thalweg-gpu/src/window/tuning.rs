//! Sizes of the kernels.

use thalweg_core::{Error, Key, Result};

use crate::coding;
use crate::device::Device;

/// Sizes of the window kernels, for measurements: [`solve_tuned`](super::solve_tuned()) takes others than the library's. Answers do
/// not depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tuning {
    /// Threads of a workgroup for narrow windows: 64, 128, 256 or 512.
    pub threads: u32,
    /// Threads of a workgroup for wide windows: 32, 64 or 128.
    pub wide_threads: u32,
    /// Elements of a thread: 8 or 16.
    pub items: u32,
    /// The narrowest of the wide windows: wider than a tile of theirs, and at most one element wider than half a tile of narrow ones.
    pub wide_from: u32,
    /// Whether loops are written out.
    pub unroll: bool,
}

impl Tuning {
    /// The library's sizes.
    ///
    /// On an H200, 2^28 random `u32`, ms for values / positions with 256 threads; a copy of as many bytes takes 0.52 (`thalweg bench
    /// window --device gpu`): w = 16: 0.65 / 0.78, 100: 0.77 / 0.93, 1,000: 1.00 / 1.38, 4,000: 1.15 / 1.30, 100,000: 0.76 / 0.84. Sorted data,
    /// where every first end is read, takes as long up to 4,000, and 1.21 / 1.34 from there on.
    pub fn of<K: Key>(device: &Device) -> Self {
        Self::of_words(device, coding::words::<K>())
    }

    /// The same for keys of so many words: as many threads as the workgroup memory allows, at most 256, or 128 for keys of 64 bits.
    pub(super) fn of_words(device: &Device, words: u32) -> Self {
        // A software renderer, with its small subgroups, compiles longer than it runs.
        let unroll = device.limits().subgroup_min >= 16;
        let sizes = |threads: u32| {
            let wide_threads = (64 / words).min(threads / 2);
            Self { threads, wide_threads, items: 16, wide_from: 1025.min(8 * threads + 1), unroll }
        };
        let fits = |&threads: &u32| sizes(threads).workgroup_bytes(words) <= u64::from(device.limits().workgroup_bytes);
        sizes([256, 128].into_iter().skip(words as usize - 1).find(fits).unwrap_or(64))
    }

    /// Elements of a tile.
    pub(super) fn tile(&self, threads: u32) -> u64 {
        u64::from(threads * self.items)
    }

    fn workgroup_bytes(&self, words: u32) -> u64 {
        let (threads, key) = (u64::from(self.threads), u64::from(4 * words));
        // Slots, minima of runs and their places, offsets.
        threads * (self.run_bytes(words) + 2 * (key + 4) + 8)
    }

    /// Slots of a run and its share of those to spare: one in 32 words.
    fn run_bytes(&self, words: u32) -> u64 {
        u64::from(4 * words * self.items + 4 * words * words * self.items / 32)
    }

    /// An error for sizes that do not work, and if the kernels do not fit the device: drivers do not always notice.
    pub(super) fn check(&self, device: &Device, words: u32) -> Result<()> {
        let bad = |reason: &str| Err(Error::BadOption { option: "tuning", reason: reason.to_owned() });
        if !matches!(self.threads, 64 | 128 | 256 | 512) || !matches!(self.wide_threads, 32 | 64 | 128) {
            return bad("workgroups have 64 to 512 threads, or 32 to 128 for wide windows, a power of two");
        }
        if !matches!(self.items, 8 | 16) {
            return bad("a thread has 8 or 16 elements");
        }
        let from = u64::from(self.wide_from);
        if from <= self.tile(self.wide_threads) || from > self.tile(self.threads) / 2 + 1 {
            return bad("wide windows are wider than a tile of theirs, and others no wider than half of one");
        }
        let (need, limit) = (self.workgroup_bytes(words), device.limits().workgroup_bytes);
        if need > u64::from(limit) {
            let name = device.name();
            return Err(Error::device_limit(format!(
                "windows take {need} bytes of workgroup memory, {name} has {limit}"
            )));
        }
        Ok(())
    }
}
