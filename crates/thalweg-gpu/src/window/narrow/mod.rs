//! Windows that fit a tile, with the elements that a workgroup's windows see in its memory: one read and one write.
//!
//! A tile's elements are read side by side and taken by runs of 16, one a thread. Windows of up to 16 elements are joined in registers
//! by doubling (`tiny.wgsl`). Wider ones are the end of a run, whole runs and the beginning of a run (`narrow.wgsl`; van Herk 1992;
//! Gil, Werman 1993, with runs instead of blocks of the window's width). Positions of minima in runs take 4 bits, so that a tile
//! with positions takes hardly more memory than one without; how many tiles a processor holds decides.
//!
//! Rows that take at most half of a tile share one.

use thalweg_core::Result;

use super::along::Along;
use super::tuning::Tuning;
use crate::recorder::Recorder;

/// Whether a row's windows are answered this way: a tile has at least half as many windows as elements, or all of them.
pub(super) fn serves(along: &Along<'_>, tuning: &Tuning) -> bool {
    let tile = tuning.tile(tuning.threads);
    along.width < tuning.wide_from || u64::from(along.dense()) + u64::from(along.width) - 1 <= tile
}

pub(super) fn record(commands: &mut Recorder<'_>, along: &Along<'_>, tuning: &Tuning) -> Result<()> {
    let (dense, width) = (u64::from(along.dense()), u64::from(along.width));
    let seen = dense + width - 1;
    // Few windows of a tile would see elements of the next, so a smaller one does.
    let fits = |threads: u32| 8 * width <= tuning.tile(threads) && along.rows == 1;
    let threads = if fits(tuning.threads / 2) { tuning.threads / 2 } else { tuning.threads };
    let tile = tuning.tile(threads);
    let runs = seen.div_ceil(tuning.items.into());
    let several = along.rows > 1 && 2 * runs <= u64::from(threads);
    let (windows, tiles, held) = if several {
        (dense, 1, u64::from(threads) / runs)
    } else if seen <= tile {
        (dense, 1, 1)
    } else {
        // Whole lines of the memory are written.
        let windows = (tile - (width - 1)) / 32 * 32;
        (windows, dense.div_ceil(windows), 1)
    };
    let workgroups = u64::from(along.rows).div_ceil(held) * tiles;
    let mut params = along.params().to_vec();
    params.extend([windows, tiles, runs, held, workgroups].map(|count| count as u32));
    params.extend([0; 3]);
    let source = if along.width <= tuning.items {
        along
            .answering(include_str!("tiny.wgsl"), "tiny", threads, several, tuning)
            .include(include_str!("take.wgsl"))
            .constant("WIDTH", along.width)
            .constant("REACH", tuning.items + along.width - 1)
            .constant("LEVELS", along.width.ilog2())
    } else {
        along
            .answering(include_str!("narrow.wgsl"), "narrow", threads, several, tuning)
            .include(include_str!("take.wgsl"))
    };
    let device = along.array.device();
    let kernel = device.kernel(&source)?;
    commands.dispatch(&kernel, workgroups, &along.arrays().collect::<Vec<_>>(), &params)
}
