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

use thalweg_arrays::ansv::ThesisOptions;
use thalweg_core::{Error, Result};

use super::sides::Side;
use super::{DeviceSides, Problem};
use crate::array::DeviceArray;
use crate::coding::KeyCode;
use crate::device::Device;
use crate::kernel::Source;
use crate::memory::Buffer;
use crate::recorder::Recorder;

/// An error for options that do not work on a device, for keys of so many words.
fn check(options: ThesisOptions, device: &Device, words: u32) -> Result<()> {
    let ThesisOptions { threads, subset, few } = options;
    let bad = |option, reason: String| Err(Error::BadOption { option, reason });
    let most = device.limits().workgroup_threads;
    if !threads.is_power_of_two() || threads > most {
        return bad("threads", format!("{threads} is not a power of two up to {most}, the threads of a workgroup"));
    }
    if subset < 2 || !subset.is_multiple_of(threads) {
        return bad("subset", format!("{subset} is less than 2 or no multiple of the {threads} threads"));
    }
    // Keys, links and matches of a subset, and what every thread has of its part.
    let (need, limit) =
        (u64::from(subset) * u64::from(4 * words + 16) + 12 * u64::from(threads), device.limits().workgroup_bytes);
    if need > u64::from(limit) {
        let name = device.name();
        return bad("subset", format!("{subset} elements take {need} bytes of workgroup memory, {name} has {limit}"));
    }
    if few == 0 {
        return bad("few", "at least one element is few".into());
    }
    Ok(())
}

/// Bytes of scratch memory.
pub(super) fn extra_bytes(len: u64, words: u32, options: ThesisOptions) -> u64 {
    // A subset has a minimum with its position, subsets and neighbours on both sides, and three merges; the recursion
    // adds less than a 1/(subset - 1) of that.
    let subset = u64::from(options.subset.max(2));
    len.div_ceil(subset) * (4 * u64::from(words) + 4 + 8 + 8 + 48) * subset / (subset - 1) + (1 << 16)
}

/// An array of one level of the recursion.
#[derive(Debug)]
struct Level<'l> {
    coding: KeyCode,
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
pub(super) fn record(
    commands: &mut Recorder<'_>,
    problem: &Problem<'_>,
    sides: &DeviceSides<'_>,
    options: ThesisOptions,
) -> Result<Vec<Buffer>> {
    let &Problem { array, coding, strict } = problem;
    check(options, array.device(), array.words())?;
    let mut kept = Vec::new();
    let level = || Level {
        coding: coding.into(),
        count: array.len(),
        sharding: array.sharding(),
        values: array.bindings().collect(),
    };
    let mut run = |left_strict: bool, left: Target<'_>, right: Target<'_>| {
        let run = Run { device: array.device(), options, left_strict };
        run.solve(commands, &level(), left, right, &mut kept)
    };
    // Decreasing positions: strict to the left.
    if sides.left.is_some() {
        run(strict, target(sides.left), None)?;
    }
    if sides.right.is_some() {
        run(!strict, None, target(sides.right))?;
    }
    Ok(kept)
}

#[derive(Debug)]
struct Run<'d> {
    device: &'d Device,
    options: ThesisOptions,
    left_strict: bool,
}

impl Run<'_> {
    fn source(&self, name: &'static str, text: &'static str, coding: KeyCode) -> Source {
        Source::new(name, text, name)
            .constant("THREADS", self.options.threads)
            .constant("SUBSET", self.options.subset)
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
        if level.count <= u64::from(self.options.few) {
            let brute = with_values(self.source("brute", include_str!("brute.wgsl"), level.coding));
            let brute = device.kernel(&answers(brute))?;
            let bindings: Vec<_> = values().chain(out()).collect();
            return commands.dispatch(&brute, level.count, &bindings, &[level.count as u32]);
        }
        let subsets = level.count.div_ceil(u64::from(self.options.subset));
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
            coding: KeyCode::plain(level.coding.words),
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
        let groups = subsets.div_ceil(u64::from(self.options.threads));
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
