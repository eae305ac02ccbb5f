//! Windows of some hundred to some thousand elements, by subgroups that go along the array: whatever the data, two reads, of which a cache
//! gives one, and one write.
//!
//! A subgroup's threads hold runs of neighbours, a line of them at a time. Of the lines before, as far as a window reaches, minima of runs
//! are in workgroup memory (`stretches.wgsl`). What a stretch's first windows see of the one before is read by two subgroups.

use thalweg_core::Result;

use super::along::Along;
use super::tuning::Tuning;
use crate::coding::KeyCode;
use crate::recorder::Recorder;

/// How stretches are laid out.
struct Layout {
    /// Runs from that of a window's last element to that of its first.
    runs: u32,
    /// Elements between the first run and whole ones.
    rest: u32,
    /// Lines that a window reaches back: the first ones of a stretch, which answer nothing.
    warm: u32,
    /// Runs of the longest spans, of which two make the whole runs: a power of two.
    span: u32,
}

impl Layout {
    /// `None` for windows that are too narrow, without a whole run.
    fn of(along: &Along<'_>, tuning: &Tuning) -> Option<Self> {
        let (distance, run) = (along.width - 1, tuning.stretch_run_of(along.width, along.tracks()));
        let runs = distance / run;
        let span = 1 << runs.checked_sub(1)?.checked_ilog2()?;
        Some(Self { runs, rest: distance % run, warm: runs / tuning.lanes + 1, span })
    }

    /// How often spans are joined across lanes, and then with those of lines before.
    fn joins(&self, lanes: u32) -> [u32; 2] {
        let [all, across] = [self.span, lanes].map(u32::ilog2);
        [all.min(across), all.saturating_sub(across)]
    }

    /// Lines of which the longest spans are kept: as far back as the second one of a window may lie.
    fn held(&self, lanes: u32) -> u32 {
        (self.runs - 1 - self.span) / lanes + 2
    }

    /// Minima that a thread keeps.
    fn kept(&self, lanes: u32) -> u32 {
        (1 << self.joins(lanes)[1]) - 1 + self.held(lanes) + if self.rest == 0 { 0 } else { self.warm + 1 }
    }

    fn workgroup_bytes(&self, along: &Along<'_>, tuning: &Tuning) -> u32 {
        self.kept(tuning.lanes)
            * tuning.stretch_threads
            * (4 * along.array.words() + if along.tracks() { 4 } else { 0 })
    }
}

/// Whether windows are answered this way.
pub(super) fn serves(along: &Along<'_>, tuning: &Tuning) -> bool {
    let what = if along.tracks() { 2 } else { usize::from(KeyCode::from(along.coding).float) };
    let [narrowest, widest] = tuning.stretches[what];
    let limit = along.array.device().limits().workgroup_bytes;
    let fits = |layout: Layout| layout.workgroup_bytes(along, tuning) <= limit;
    let in_range = (narrowest..=widest).contains(&along.width);
    along.rows == 1 && along.stride == 1 && in_range && Layout::of(along, tuning).is_some_and(fits)
}

pub(super) fn record(commands: &mut Recorder<'_>, along: &Along<'_>, tuning: &Tuning) -> Result<()> {
    let layout = Layout::of(along, tuning).expect("asked before");
    let distance = along.width - 1;
    let run = tuning.stretch_run_of(along.width, along.tracks());
    let line = run * tuning.lanes;
    let [across, wider] = layout.joins(tuning.lanes);
    let lines = tuning.stretch_lines_of(run, along.dense().div_ceil(line));
    let stretches = along.dense().div_ceil(lines * line);
    let kept = layout.kept(tuning.lanes);
    let kept_by_all = kept * tuning.stretch_threads;
    let least = if along.tracks() { 0 } else { tuning.stretch_bytes_of(along.width, along.array.words()) };
    let source = along
        .by_runs(include_str!("stretches.wgsl"), "stretches", tuning.stretch_threads, [run, distance], tuning)
        .constant("REST", layout.rest)
        .constant("STEPS", across + 1)
        .constant("WIDER", wider)
        .constant("SPAN", layout.span)
        .constant("WARM", layout.warm)
        .constant("HELD", layout.held(tuning.lanes))
        .constant("KEPT", kept)
        .constant("GROUP_RUNS", kept_by_all.max(least / (4 * along.array.words())))
        .constant("GROUP_PLACES", if along.tracks() { kept_by_all } else { 1 });
    let own = [lines * line, stretches].map(u64::from);
    let workgroups = stretches.div_ceil(tuning.stretch_threads / tuning.lanes);
    let kernel = along.array.device().kernel(&source)?;
    commands.dispatch(&kernel, workgroups.into(), &along.arrays().collect::<Vec<_>>(), &along.params(&own))
}
