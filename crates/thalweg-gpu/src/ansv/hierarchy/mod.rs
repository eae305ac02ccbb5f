//! Minima of 16, 256, 4,096, ... elements: what a search for a neighbour far away climbs.

use std::iter;

use thalweg_core::Result;

use super::four;
use crate::array::Keys;
use crate::coding::KeyCode;
use crate::kernel::Source;
use crate::recorder::Recorder;

/// Levels that searches can name, the array itself included: 16^8 elements are more than positions of 32 bits tell apart.
pub(crate) const LEVELS: usize = 9;
/// Elements of a workgroup, which makes three levels of them.
const BLOCK: u64 = 4096;

/// All levels, in one array of ranks, which are as wide as the keys.
#[derive(Debug)]
pub(crate) struct Hierarchy {
    pub(crate) ranks: Keys,
    /// Where every level starts, and how many entries it has. Level 0 is the array that it was made of.
    levels: Vec<(u64, u64)>,
    /// How many levels above the array somebody else makes.
    made: usize,
}

impl Hierarchy {
    /// Bytes for an array of `len` elements of so many words.
    pub(super) fn bytes(len: u64, words: u32, made: usize) -> u64 {
        layout(len, made).1 * 4 * u64::from(words)
    }

    /// Records the kernels that make the levels of `array`.
    pub(crate) fn record(commands: &mut Recorder<'_>, array: &Keys, coding: KeyCode) -> Result<Self> {
        let hierarchy = Self::reserve(array, 0)?;
        hierarchy.raise(commands, array, coding)?;
        Ok(hierarchy)
    }

    /// Room for the levels of `array`, of which the lowest `made` come from elsewhere.
    pub(super) fn reserve(array: &Keys, made: usize) -> Result<Self> {
        let (levels, total) = layout(array.len(), made);
        Ok(Self { ranks: Keys::new(array.device(), total, array.words())?, levels, made })
    }

    /// Records the kernels that make what is above those.
    pub(super) fn raise(&self, commands: &mut Recorder<'_>, array: &Keys, coding: KeyCode) -> Result<()> {
        let (device, ranks) = (array.device(), &self.ranks);
        for (i, group) in self.levels[self.made..].windows(4).step_by(3).enumerate() {
            let from_levels = self.made + i > 0;
            let mut source = Source::new("hierarchy", include_str!("build.wgsl"), "hierarchy_build")
                .keys(coding)
                .flag("FROM_LEVELS", from_levels);
            source = four::declare(source, coding.words, true);
            if !from_levels {
                source = source
                    .include(four::LOAD_VALUES)
                    .include("fn levels_four(i: u32) -> Four { return four_worst(); }\n")
                    .reads_sharded("values", "vec4<u32>", array.packs().sharding);
            } else {
                source = source
                    .include("fn values_four(i: u32) -> Four { return four_worst(); }\n")
                    .include(include_str!("gather_levels.wgsl"));
            }
            let kernel = device.kernel(&source.writes_sharded("levels", "Key", ranks.sharding()))?;
            let mut bindings: Vec<_> = if from_levels { Vec::new() } else { array.bindings().collect() };
            bindings.extend(ranks.bindings());
            let params: Vec<u32> = group.iter().flat_map(|&(offset, len)| [offset as u32, len as u32]).collect();
            commands.dispatch(&kernel, group[0].1.div_ceil(BLOCK), &bindings, &params)?;
        }
        Ok(())
    }

    /// The parameters of a search: the topmost level of those from `start` on that one node covers, and all levels.
    pub(crate) fn params(&self, start: usize) -> (u32, Vec<u32>) {
        let top = (start..self.levels.len()).find(|&l| self.levels[l].1 <= 16).expect("the last level has few entries");
        let mut params: Vec<u32> =
            self.levels.iter().take(LEVELS).flat_map(|&(offset, len)| [offset as u32, len as u32, 0, 0]).collect();
        params.resize(4 * LEVELS, 0);
        (top as u32, params)
    }
}

/// Offset and length of every level: `made` of them, and three more at a time until one node covers the last. And the length
/// of all together.
fn layout(len: u64, made: usize) -> (Vec<(u64, u64)>, u64) {
    let (mut levels, mut total) = (vec![(0, len)], 0u64);
    for more in iter::once(made).chain(iter::repeat(3)) {
        for _ in 0..more {
            let entries = levels[levels.len() - 1].1.div_ceil(16);
            levels.push((total, entries));
            // Nodes of 16 start at multiples of 16.
            total += entries.next_multiple_of(16);
        }
        if levels.len() > made + 1 && levels[levels.len() - 1].1 <= 16 {
            break;
        }
    }
    (levels, total)
}
