//! `thesis`: the six kernels of Ryssel's thesis (2025, section 7.5), after Berkman, Schieber and Vishkin (1993).
//!
//! 1. the minimum of every subset,
//! 2. the neighbours of the minima among each other: by brute force if they are few, else by all of this again,
//! 3. the neighbours inside the subsets,
//! 4. the neighbours of the minima in the array,
//! 5. which parts of which subsets to merge,
//! 6. the merges.
//!
//! The algorithm needs distinct elements. Of equal ones, the position decides: with increasing positions the neighbours to
//! the right are strictly smaller and those to the left not larger, with decreasing ones it is the other way round. So
//! both sides of a strict relation take two runs, as in the thesis. No pairs are stored for that: which of two elements is to
//! the left of the other is always known. The reasons are in the library's engine `berkman`.

use thalweg_arrays::ansv::Relation;
use thalweg_core::{Key, Result};

use super::sides::Side;
use super::targets::Targets;
use crate::array::DeviceArray;
use crate::coding::{self, Coding};
use crate::device::Device;
use crate::kernel::Source;
use crate::memory::Buffer;
use crate::recorder::Recorder;

/// What can be tuned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Threads of a workgroup.
    pub threads: u32,
    /// Elements of a subset, a multiple of the threads. The thesis found about 400 best.
    pub subset: u32,
    /// Elements that kernel 2 takes.
    pub few: u32,
}

impl Default for Tuning {
    /// The thesis's numbers, rounded: on an H200, 500 million `u32` of both sides take 93 ms (random) and 53 ms (the worst
    /// case). Others were not measured.
    fn default() -> Self {
        Self { threads: 32, subset: 512, few: 2048 }
    }
}

/// Bytes of scratch memory.
pub(super) fn extra_bytes<K: Key>(len: u64) -> u64 {
    // A subset has a minimum with its position, subsets and neighbours on both sides, and three merges; the recursion
    // adds a 511th of that.
    let subsets = len.div_ceil(u64::from(Tuning::default().subset));
    subsets * (coding::bytes::<K>() + 4 + 8 + 8 + 48) * 512 / 511 + (1 << 16)
}

/// An array of one level of the recursion.
#[derive(Debug)]
struct Level<'l> {
    coding: Coding,
    count: u64,
    sharding: Option<(u32, u32)>,
    values: Vec<crate::memory::Binding<'l>>,
}

/// Where the answers of a level go, and how they are declared.
type Target<'l> = Option<(Option<(u32, u32)>, Vec<crate::memory::Binding<'l>>)>;

fn target(array: Option<&DeviceArray<u32>>) -> Target<'_> {
    array.map(|array| (array.sharding(), array.bindings().collect()))
}

fn whole(buffer: &Buffer) -> Target<'_> {
    Some((None, vec![buffer.all()]))
}

/// Records all kernels; the buffers must live until the commands are submitted.
pub(super) fn record<K: Key>(
    commands: &mut Recorder<'_>,
    array: &DeviceArray<K>,
    relation: Relation,
    targets: &Targets<'_>,
    tuning: Tuning,
) -> Result<Vec<Buffer>> {
    let mut kept = Vec::new();
    let level = || Level {
        coding: Coding::of::<K>(relation.order()),
        count: array.len(),
        sharding: array.sharding(),
        values: array.bindings().collect(),
    };
    let mut run = |left_strict: bool, left: Target<'_>, right: Target<'_>| {
        let run = Run { device: array.device(), tuning, left_strict };
        run.solve(commands, &level(), left, right, &mut kept)
    };
    // Decreasing positions: strict to the left.
    if targets.left.is_some() {
        run(relation.is_strict(), target(targets.left), None)?;
    }
    if targets.right.is_some() {
        run(!relation.is_strict(), None, target(targets.right))?;
    }
    Ok(kept)
}

#[derive(Debug)]
struct Run<'d> {
    device: &'d Device,
    tuning: Tuning,
    left_strict: bool,
}

impl Run<'_> {
    fn source(&self, name: &'static str, text: &'static str, coding: Coding) -> Source {
        Source::new(name, text, name)
            .constant("THREADS", self.tuning.threads)
            .constant("SUBSET", self.tuning.subset)
            .flag("LEFT_STRICT", self.left_strict)
            .keys(coding)
            .include(include_str!("common.wgsl"))
    }

    /// Both sides of a level, as far as they are wanted.
    fn solve(
        &self,
        commands: &mut Recorder<'_>,
        level: &Level<'_>,
        left: Target<'_>,
        right: Target<'_>,
        kept: &mut Vec<Buffer>,
    ) -> Result<()> {
        let device = self.device;
        // Declares the sides that are wanted, and has functions of the same names for the others.
        let answers = |mut source: Source| {
            for (side, flag, target) in [(Side::Left, "WANT_LEFT", &left), (Side::Right, "WANT_RIGHT", &right)] {
                source = source.flag(flag, target.is_some());
                source = match target {
                    Some((sharding, _)) => source.writes_sharded(side.name(), "u32", *sharding),
                    None => side.include(source, include_str!("no_output.wgsl")),
                };
            }
            source
        };
        let out = || [&left, &right].into_iter().flatten().flat_map(|(_, bindings)| bindings.iter().cloned());
        let values = || level.values.iter().cloned();
        let with_values = |source: Source| source.reads_sharded("values", "Key", level.sharding);
        if level.count <= u64::from(self.tuning.few) {
            let brute = with_values(self.source("brute", include_str!("brute.wgsl"), level.coding));
            let brute = device.kernel(&answers(brute))?;
            let bindings: Vec<_> = values().chain(out()).collect();
            return commands.dispatch(&brute, level.count, &bindings, &[level.count as u32]);
        }
        let subsets = level.count.div_ceil(u64::from(self.tuning.subset));
        let params = [level.count as u32, subsets as u32];
        let minimum_key = device.words(subsets * u64::from(level.coding.words), "subset minima")?;
        let minimum_at = device.words(subsets, "subset minima")?;
        let left_subset = device.words(subsets, "neighbours of subset minima")?;
        let right_subset = device.words(subsets, "neighbours of subset minima")?;
        let neighbours = device.words(2 * subsets, "neighbours of subset minima")?;
        let merges = device.words(12 * subsets, "merges of subsets")?;

        let minimum = with_values(self.source("minimum", include_str!("minimum.wgsl"), level.coding));
        let minimum = device.kernel(&minimum.writes("minimum_key", "Key").writes("minimum_at", "u32"))?;
        let bindings: Vec<_> = values().chain([minimum_key.all(), minimum_at.all()]).collect();
        commands.dispatch(&minimum, subsets, &bindings, &params)?;

        let next = Level {
            coding: Coding::plain(level.coding.words),
            count: subsets,
            sharding: None,
            values: vec![minimum_key.all()],
        };
        self.solve(commands, &next, whole(&left_subset), whole(&right_subset), kept)?;

        let local = with_values(self.source("local", include_str!("local.wgsl"), level.coding));
        let local = device.kernel(&answers(local))?;
        commands.dispatch(&local, subsets, &values().chain(out()).collect::<Vec<_>>(), &params)?;

        let global = with_values(self.source("global", include_str!("global.wgsl"), level.coding))
            .reads("minimum_key", "Key")
            .reads("left_subset", "u32")
            .reads("right_subset", "u32")
            .writes("neighbours", "vec2<u32>");
        let global = device.kernel(&global)?;
        let of_minima = [minimum_key.all(), left_subset.all(), right_subset.all(), neighbours.all()];
        commands.dispatch(&global, subsets, &values().chain(of_minima).collect::<Vec<_>>(), &params)?;

        let ranges = self
            .source("ranges", include_str!("ranges.wgsl"), level.coding)
            .reads("minimum_key", "Key")
            .reads("minimum_at", "u32")
            .reads("neighbours", "vec2<u32>")
            .writes("merges", "vec4<u32>");
        let bindings = [minimum_key.all(), minimum_at.all(), neighbours.all(), merges.all()];
        let groups = subsets.div_ceil(u64::from(self.tuning.threads));
        commands.dispatch(&*device.kernel(&ranges)?, groups, &bindings, &params)?;

        let merge = with_values(self.source("merge", include_str!("merge.wgsl"), level.coding));
        let merge = device.kernel(&answers(merge.reads("merges", "vec4<u32>")))?;
        let bindings: Vec<_> = values().chain([merges.all()]).chain(out()).collect();
        commands.dispatch(&merge, subsets, &bindings, &params)?;
        drop(bindings);
        kept.extend([minimum_key, minimum_at, left_subset, right_subset, neighbours, merges]);
        Ok(())
    }
}
