//! Sizes of the kernels.

use thalweg_core::{Error, Key, Result};

use crate::coding;
use crate::device::Device;

/// Wider than any window.
const NEVER: u32 = u32::MAX;

/// Sizes of the window kernels, for measurements: [`solve_tuned`](super::solve_tuned()) takes others than the library's. Answers do
/// not depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tuning {
    /// Threads of a workgroup that has rows in its memory: 64, 128, 256 or 512.
    pub threads: u32,
    /// Elements of such a thread: 8 or 16.
    pub items: u32,
    /// Elements of a line, a power of two: lanes of a subgroup, at most 32.
    pub lanes: u32,
    /// Threads of a workgroup that has lines in registers: 32, 64, 128 or 256.
    pub lane_threads: u32,
    /// Lines of a tile, for narrow windows: 1 to 32.
    pub lines: u32,
    /// Lines of a tile of runs of four elements: 1 to 16.
    pub run_lines: u32,
    /// The narrowest windows whose positions go by runs: at least 9.
    pub runs_from: u32,
    /// Lines of a tile, for wide windows: 1 to 16.
    pub wide_lines: u32,
    /// The narrowest windows whose tiles have twice as many, and are narrower than they: of values and of positions.
    pub wider_from: [u32; 2],
    /// Subgroups that answer wide windows before one takes several tiles: at least one.
    pub wide_subgroups: u32,
    /// The narrowest windows in workgroup memory, of values and of positions.
    pub tiles_from: [u32; 2],
    /// The narrowest of the wide windows: wider than a tile of theirs in registers, and at most one element wider than half a tile in
    /// workgroup memory.
    pub wide_from: [u32; 2],
    /// Threads of a workgroup whose subgroups go along stretches: 32, 64, 128 or 256.
    pub stretch_threads: u32,
    /// Lines of a stretch, at most: at least 2; half as many of long runs.
    pub stretch_lines: u32,
    /// The narrowest windows whose positions go by long runs: of such a line, a thread has 16 elements instead of 8.
    pub long_runs_from: u32,
    /// Bytes of workgroup memory that such a workgroup takes at least, used or not, where values of windows of 512 words and more are asked for: so
    /// many subgroups at a time that what they read again is still in a cache.
    pub stretch_bytes: u32,
    /// The narrowest and the widest windows by stretches: of values of integers, of values of floats, and of positions.
    pub stretches: [[u32; 2]; 3],
    /// Whether loops are written out.
    pub unroll: bool,
}

impl Tuning {
    /// The library's sizes.
    ///
    /// On an H200, 2^28 random elements, ms for values / positions; a copy of as many bytes takes 0.52, for `f64` 1.05 / 0.78 (the
    /// measurement in `tests/window.rs`). Lines, 16 or 8: `u32`, w = 100: 0.55 or 0.60 / 1.02 or 1.12, by runs 0.63 or 0.68; `f64` 1.75 or
    /// 1.90, by runs / 1.24 or 1.38. By tiles in workgroup memory 0.75 / 0.89 and 2.03 / 1.91. Wide windows, tiles of 16 or 8 lines, `u32`,
    /// before half of an end was left unread for positions and votes went by high words: of 1,000 1.33 or 0.78 / 1.51 or 0.95, of 4,000
    /// 0.75 or 0.63 / 1.12 or 0.73, of 100,000 0.54 or 0.59 / 0.58 or 0.66; of 8 or 4, `f64`: of 1,000 2.04 or 1.58 / 2.02 or 1.76, of
    /// 4,000 1.37 or 1.46 / 1.36 or 1.58. Not as wide ones but in registers: `u32` of 600 0.77 (as wide ones 0.92) / 0.84 (1.17), of 800
    /// 0.90 / 0.97; `f64` of 300 2.38 (2.14) / 1.62 (2.33), of 600 3.78 (1.75) / 1.99 (1.94).
    ///
    /// Since wide windows go by as many tiles as a subgroup has lanes: `f32` of 1,500 0.80 / 0.86 (before 0.79 / 0.91), of 4,000 0.68 / 0.69; 2^27
    /// `f64` of 1,500 0.71 / 0.64 (0.73 / 0.83), of 2,000 0.70 / 0.62 (0.72 / 0.81). Values of sorted data in tiles of twice as many lines: `f32` 2.3
    /// instead of 1.06, `f64` 1.86 instead of 1.16. With 4 or 256 instead of 64 tiles for each that reads ends for others, 0.04 more for the many that
    /// find none, or sorted data 10 % more.
    ///
    /// By stretches, and in brackets without, `f32`: of 300 0.72 (0.83) / 0.69 (0.86), of 600 0.74 (1.00) / 0.72 (1.02), of 1,000 0.84 (0.95) /
    /// 0.79 (1.01), of 1,200 0.89 (0.90) / 0.87 (0.94); `u32` of 300 0.71 (0.64) / 0.67 (0.73), of 600 0.75 (0.75) / 0.69 (0.85), of 1,000 0.83
    /// (0.73) / 0.75 (0.91). 2^27 `f64`, a copy 0.52 / 0.39: of 100 0.63 (0.76) / 0.49 (0.60), of 300 0.69 (1.02) / 0.52 (0.76), of 1,000 0.78 (0.72) /
    /// 0.57 (0.68), of 1,450 0.84 (0.71) / 0.65 (0.65), of 2,500 0.91 (0.69) / 0.83 (0.61). Before ranks of whole runs were found by few instructions,
    /// `f32` of 1,000 0.89 / 0.82, `f64` 0.82 / 0.66.
    ///
    /// What is read again comes from a cache if not too many subgroups go along stretches at a time. Values, whose workgroups take little memory, with
    /// 0, 1, 2, 3 KiB more of it: `f32` of 1,000 0.845, 0.822, 0.787, 0.813, of 1,350 0.897, 0.871, 0.848, 0.889; `u32` of 600 0.754, 0.694, 0.677,
    /// 0.696; `f64` of 1,000 0.781, 0.758, 0.732, 0.751. Positions by long runs, in stretches of as many elements: `f32` of 600 0.742 (by short ones
    /// 0.723), of 1,000 0.748 (0.795), of 1,350 0.767 (0.941), of 2,000 0.858 (1.162); `u32` of 1,000 0.764 (0.754), of 1,350 0.780 (0.854); `f64` of
    /// 1,000 0.779 (0.570). Values by long runs: `f32` of 1,000 0.848 (0.845), `u32` 0.827 (0.819).
    ///
    /// Stretches take as long whatever the data are. Shares of a copy's speed, in brackets as wide windows of random, sorted, falling data and of runs, since
    /// ends are listed and two threads write a run together (`ways_take`). Values, `u32`: of 1,000 77 (72, 83, 77, 69), of 1,200 72 (73, 80, 77, 71), of
    /// 1,400 68 (75, 78, 77, 72); `f32`: of 1,000 72 (68, 78, 76, 63), of 1,200 68 (70, 78, 75, 64), of 1,400 65 (71, 77, 74, 65); `f64`: of 1,200 64 (71, 74, 71,
    /// 60), of 1,400 62 (73, 74, 71, 60), of 2,000 60 (74, 74, 71, 61). Positions, `u32`: of 1,700 71 (71, 75, 74, 68), of 2,000 67 (72, 75, 74, 69); `f32`, of
    /// which some equal ones fall: of 1,700 66 (67, 68, 50, 63), of 2,000 61 (68, 68, 51, 64); `f64`: of 1,200 63 (61, 64, 60, 56), of 1,400 58 (63, 64, 61, 57).
    ///
    /// Shorter stretches where an array has few lines: 2^20 elements in 2 lines each take 0.015, in 8 0.019.
    pub fn of<K: Key>(device: &Device) -> Self {
        Self::of_words(device, coding::words::<K>())
    }

    /// The same for keys of so many words: as many threads as the workgroup memory allows, at most 256, or 128 for keys of 64 bits.
    pub(super) fn of_words(device: &Device, words: u32) -> Self {
        let subgroup = device.limits().subgroup_min;
        // A software renderer, with its small subgroups, compiles longer than it runs.
        let unroll = subgroup >= 16;
        let lanes = subgroup.min(32);
        let (lines, run_lines, wide_lines) = if unroll { (16, 4, 8 / words) } else { (4, 2, 4) };
        let (wide_from, wider_from) = match words {
            _ if !unroll => ([5; 2], [2048; 2]),
            1 => ([23, 25], [NEVER, 16_384]),
            _ => ([8, 14], [NEVER, 3300]),
        };
        let wide_from = wide_from.map(|lines| lines * lanes + 1);
        let (tiles_from, runs_from) = (wide_from, 17);
        let (stretches, long_runs_from, stretch_bytes) = match words {
            1 => ([[401, 1200], [201, 1200], [121, 2000]], 900, 4608),
            _ => ([[161, 1300], [17, 1300], [17, 1300]], NEVER, 6656),
        };
        let sizes = |threads| Self {
            threads,
            items: 16,
            lanes,
            lane_threads: 128,
            lines,
            run_lines,
            runs_from,
            wide_lines,
            wider_from,
            wide_subgroups: if unroll { 1 << 13 } else { 4 },
            tiles_from,
            wide_from,
            stretch_threads: lanes.max(64),
            stretch_lines: 64,
            long_runs_from,
            stretch_bytes,
            stretches,
            unroll,
        };
        let fits = |&threads: &u32| sizes(threads).workgroup_bytes(words) <= u64::from(device.limits().workgroup_bytes);
        sizes([256, 128].into_iter().skip(words as usize - 1).find(fits).unwrap_or(64))
    }

    /// Elements of a tile in workgroup memory.
    pub(super) fn tile(&self) -> u64 {
        u64::from(self.threads * self.items)
    }

    /// Lines of a tile of wide windows: the wider, the rarer are ends that matter.
    pub(super) fn wide_lines_of(&self, width: u32, positions: bool) -> u32 {
        if width < self.wider_from[usize::from(positions)] { self.wide_lines } else { 2 * self.wide_lines }
    }

    /// Elements of a thread in a line of a stretch.
    pub(super) fn stretch_run_of(&self, width: u32, positions: bool) -> u32 {
        if positions && width >= self.long_runs_from { 16 } else { 8 }
    }

    /// Lines of a stretch, with such runs, of an array that has so many: fewer, where a card would have too little to do at a time.
    pub(super) fn stretch_lines_of(&self, run: u32, lines: u32) -> u32 {
        (lines / 2048).clamp(2, (8 * self.stretch_lines / run).max(2))
    }

    /// Bytes of workgroup memory that a workgroup takes at least, for values.
    pub(super) fn stretch_bytes_of(&self, width: u32, words: u32) -> u32 {
        if width * words < 512 { 0 } else { self.stretch_bytes }
    }

    /// Windows of the smallest tile of wide ones.
    pub(super) fn wide_tile(&self) -> u64 {
        u64::from(self.wide_lines * self.lanes)
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
        if !matches!(self.threads, 64 | 128 | 256 | 512) || !matches!(self.lane_threads, 32 | 64 | 128 | 256) {
            return bad("workgroups have 64 to 512 threads, or 32 to 256 for lines in registers, a power of two");
        }
        if !matches!(self.items, 8 | 16) || !matches!(self.lines, 1..=32) || !matches!(self.wide_lines, 1..=16) {
            return bad("a thread has 8 or 16 elements, or 1 to 32 lines in registers, 16 for wide windows");
        }
        if !matches!(self.run_lines, 1..=16) || self.runs_from < 9 {
            return bad("a thread has 1 to 16 runs, and windows by runs are wider than two");
        }
        if !matches!(self.stretch_threads, 32 | 64 | 128 | 256) || self.stretch_lines < 2 {
            return bad("workgroups of stretches have 32 to 256 threads, a power of two, and these at least 2 lines");
        }
        if !self.lanes.is_power_of_two() || self.lanes > device.limits().subgroup_min.min(32) {
            return bad("a line has as many elements as a subgroup threads, at most, a power of two");
        }
        for (tiles, wide) in self.tiles_from.into_iter().zip(self.wide_from) {
            if u64::from(wide) <= self.wide_tile() || tiles < wide && u64::from(wide) > self.tile() / 2 + 1 {
                return bad("wide windows are wider than a tile of theirs, and others no wider than half of one");
            }
        }
        if self.stretch_bytes > device.limits().workgroup_bytes {
            return bad("a workgroup of stretches takes no more memory than there is");
        }
        if self.wide_subgroups == 0 {
            return bad("one subgroup at least answers wide windows");
        }
        if self.wider_from.iter().any(|&from| u64::from(from) <= 2 * self.wide_tile()) {
            return bad("windows of tiles of twice as many lines are wider than one");
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
