//! Windows of up to some lines of a subgroup, in registers: one read and one write.
//!
//! A subgroup's threads hold neighbouring elements, some lines of them below each other. Minima of spans are joined by shuffles up to a
//! line's length, and whole lines within each thread (`spans.wgsl`). Lines behind a tile are read by two subgroups, of which
//! caches give one; workgroup memory, of which a card has little for many tiles, is not used, and nobody waits for others.
//!
//! A position that goes along makes a join twice as long. So where positions alone are asked for, threads hold runs of four neighbours, and
//! only runs are joined across lanes (`runs.wgsl`).

use thalweg_core::Result;

use super::along::Along;
use super::tuning::Tuning;
use crate::array::Keys;
use crate::kernel::Source;
use crate::recorder::Recorder;

/// Elements of a run: what one store takes.
const RUN: u32 = 4;

/// Whether a row's windows are answered this way.
pub(super) fn serves(along: &Along<'_>, tuning: &Tuning) -> bool {
    along.width < tuning.wide_from[usize::from(along.tracks())]
}

pub(super) fn record(commands: &mut Recorder<'_>, along: &Along<'_>, tuning: &Tuning) -> Result<()> {
    let done = runs(commands, along, tuning)?;
    if done < u64::from(along.dense()) { elements(commands, along, done, tuning) } else { Ok(()) }
}

/// What `windows_of` is told of windows of `width` things in lines.
fn spans(source: Source, width: u32, unit: u32, depth: u32, tuning: &Tuning) -> Source {
    let spans = (width - 1) / tuning.lanes;
    let levels = if spans == 0 { (width.max(2) - 1).ilog2() } else { tuning.lanes.ilog2() };
    source
        .constant("UNIT", unit)
        .constant("WORDS", depth.div_ceil(4))
        .constant("LEVELS", levels)
        .constant("SPANS", spans.max(1))
        .constant("SPANS_LOG", spans.max(1).ilog2())
        .include(include_str!("spans.wgsl"))
}

/// Records windows from `first` on, element by element.
fn elements(commands: &mut Recorder<'_>, along: &Along<'_>, first: u64, tuning: &Tuning) -> Result<()> {
    let lanes = tuning.lanes;
    let depth = tuning.lines + (along.width - 1) / lanes + 1;
    let tiles = (u64::from(along.dense()) - first).div_ceil(u64::from(tuning.lines * lanes));
    let params = along.params(&[first, tiles]);
    let source = along.in_lines(include_str!("lanes.wgsl"), "lanes", tuning.lines, depth, tuning);
    let source = along.answered(spans(source, along.width, 1, depth, tuning));
    let workgroups = (u64::from(along.rows) * tiles).div_ceil(u64::from(tuning.lane_threads / lanes));
    let kernel = along.array.device().kernel(&source)?;
    commands.dispatch(&kernel, workgroups, &along.arrays().collect::<Vec<_>>(), &params)
}

/// Records windows of whole tiles by runs, if that is the way for them, and says how many there are.
fn runs(commands: &mut Recorder<'_>, along: &Along<'_>, tuning: &Tuning) -> Result<u64> {
    let lanes = tuning.lanes;
    let positions = match (along.found.values, along.found.positions) {
        (None, Some(positions)) if positions.sharding().is_none() => positions,
        _ => return Ok(0),
    };
    let tile = u64::from(RUN * tuning.run_lines * lanes);
    let tiles = u64::from(along.dense()) / tile;
    if along.rows > 1 || along.stride > 1 || along.width < tuning.runs_from || tiles == 0 {
        return Ok(0);
    }
    // From the run of a window's first element to that of its last.
    let distance = (along.width - 1) / RUN;
    let depth = tuning.run_lines + distance / lanes + 1;
    let params = along.params(&[0, tiles]);
    let source = along
        .in_lines(include_str!("runs.wgsl"), "runs", tuning.run_lines, depth, tuning)
        .constant("RUN", RUN)
        .constant("INNER", RUN - 1)
        .constant("REST", (along.width - 1) % RUN)
        .constant("FARTHER", distance / lanes);
    let source = spans(source, distance - 1, RUN, depth, tuning).writes_sharded("fours", "vec4<u32>", None);
    let workgroups = tiles.div_ceil(u64::from(tuning.lane_threads / lanes));
    let bindings: Vec<_> = along.array.bindings().chain(Keys::bindings(positions)).collect();
    commands.dispatch(&*along.array.device().kernel(&source)?, workgroups, &bindings, &params)?;
    Ok(tiles * tile)
}
