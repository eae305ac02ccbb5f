//! Windows of a tile, with the elements that they see in a workgroup's memory: one read and one write.
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

/// Whether windows are answered this way: those of rows that share a tile, those of some widths, and wide ones of rows that fit a tile.
pub(super) fn serves(along: &Along<'_>, tuning: &Tuning) -> bool {
    let seen = u64::from(along.dense()) + u64::from(along.width) - 1;
    let what = usize::from(along.tracks());
    let shares = along.rows > 1 && 2 * seen <= tuning.tile();
    shares || along.width >= tuning.tiles_from[what] && (along.width < tuning.wide_from[what] || seen <= tuning.tile())
}

pub(super) fn record(commands: &mut Recorder<'_>, along: &Along<'_>, tuning: &Tuning) -> Result<()> {
    let (dense, width) = (u64::from(along.dense()), u64::from(along.width));
    let items = u64::from(tuning.items);
    let seen = dense + width - 1;
    // Few windows of a tile would see elements of the next, so a smaller one does.
    let fits = 16 * width <= tuning.tile() && along.rows == 1;
    let threads = if fits { tuning.threads / 2 } else { tuning.threads };
    let tile = u64::from(threads) * items;
    let runs = seen.div_ceil(items);
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
    let params = along.params(&[windows, tiles, runs, held, workgroups]);
    let kernel = |text, entry| along.in_tile(text, entry, threads, several, tuning);
    let source = if along.width <= tuning.items {
        kernel(include_str!("tiny.wgsl"), "tiny")
            .constant("WIDTH", along.width)
            .constant("REACH", tuning.items + along.width - 1)
            .constant("LEVELS", along.width.ilog2())
    } else {
        kernel(include_str!("narrow.wgsl"), "narrow")
    };
    let source = along.answered(source).include(include_str!("put.wgsl")).include(include_str!("take.wgsl"));
    let device = along.array.device();
    let kernel = device.kernel(&source)?;
    commands.dispatch(&kernel, workgroups, &along.arrays().collect::<Vec<_>>(), &params)
}
