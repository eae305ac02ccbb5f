//! Sizes of the kernels.

use thalweg_core::{Error, Key, Result};

use super::along::ITEMS;
use crate::coding;
use crate::device::Device;

/// Sizes of the window kernels, for measurements: [`solve_tuned`](super::solve_tuned()) takes others than the library's. Answers do
/// not depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tuning {
    /// Threads of a workgroup for narrow windows: 64, 128 or 256, with 16 elements each. Windows wider than half of these elements
    /// go by blocks, with half as many threads.
    pub threads: u32,
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
        let fits = |&threads: &u32| {
            let tuning = Self { threads, unroll };
            tuning.workgroup_bytes(words) <= u64::from(device.limits().workgroup_bytes)
        };
        let threads = [256, 128].into_iter().skip(words as usize - 1).find(fits).unwrap_or(64);
        Self { threads, unroll }
    }

    /// Elements of a tile.
    pub(super) fn tile(&self, threads: u32) -> u64 {
        u64::from(threads * ITEMS)
    }

    fn workgroup_bytes(&self, words: u32) -> u64 {
        let (threads, key) = (u64::from(self.threads), u64::from(4 * words));
        // Slots, minima of runs and their places, offsets.
        threads * (u64::from(ITEMS + 1) * key + 2 * (key + 4) + 8)
    }

    /// An error for sizes that do not work, and if the kernels do not fit the device: drivers do not always notice.
    pub(super) fn check(&self, device: &Device, words: u32) -> Result<()> {
        if !matches!(self.threads, 64 | 128 | 256) {
            let reason = "workgroups have 64, 128 or 256 threads".to_owned();
            return Err(Error::BadOption { option: "tuning", reason });
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
