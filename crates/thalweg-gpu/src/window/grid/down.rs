//! Windows of few rows down the columns of a picture, in registers: one read and one write.

use thalweg_core::Result;

use super::super::along::Along;
use super::super::tuning::Tuning;
use crate::array::Keys;
use crate::recorder::Recorder;

/// Words of what a thread holds, at most.
const WORDS: u32 = 96;

/// Windows of a thread. Not measured.
fn lines(along: &Along<'_>) -> u32 {
    (16 / along.array.words()).max(along.width / 4)
}

/// Whether columns are answered this way.
pub(super) fn serves(along: &Along<'_>) -> bool {
    let words = along.array.words() + u32::from(along.tracks());
    (lines(along) + along.width).saturating_mul(words) <= WORDS
}

/// Records windows of `along`, whose rows are the columns. `places`: where what was found in a row comes from, for positions.
pub(super) fn record(
    commands: &mut Recorder<'_>,
    along: &Along<'_>,
    places: Option<&Keys>,
    tuning: &Tuning,
) -> Result<()> {
    let device = along.array.device();
    let (lines, threads) = (lines(along), tuning.lane_threads);
    let across = along.rows.div_ceil(threads);
    let params = along.params(&[0, across.into()]);
    let source = along
        .reading(include_str!("down.wgsl"), "down", threads, tuning)
        .constant("LINES", lines)
        .constant("WIDTH", along.width)
        .constant("DEPTH", lines + along.width - 1)
        .constant("LEVELS", along.width.ilog2());
    let source = along.answered(source);
    let source = match places {
        Some(places) => source.reads_sharded("along", "u32", places.sharding()),
        None => source.include(include_str!("no_along.wgsl")),
    };
    let bindings: Vec<_> = along.arrays().chain(places.into_iter().flat_map(Keys::bindings)).collect();
    let workgroups = u64::from(across) * u64::from(along.dense().div_ceil(lines));
    commands.dispatch(&*device.kernel(&source)?, workgroups, &bindings, &params)
}
