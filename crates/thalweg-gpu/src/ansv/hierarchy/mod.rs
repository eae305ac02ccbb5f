//! Minima of 16, 256, 4,096, ... elements: what a search for a neighbour far away climbs.

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
}

impl Hierarchy {
    /// Bytes for an array of `len` elements of so many words.
    pub(super) fn bytes(len: u64, words: u32) -> u64 {
        layout(len).1 * 4 * u64::from(words)
    }

    /// Records the kernels that make the levels of `array`.
    pub(crate) fn record(commands: &mut Recorder<'_>, array: &Keys, coding: KeyCode) -> Result<Self> {
        let device = array.device();
        let (levels, total) = layout(array.len());
        let ranks = Keys::new(device, total, array.words())?;
        for (i, group) in levels.windows(4).step_by(3).enumerate() {
            let mut source = Source::new("hierarchy", include_str!("build.wgsl"), "hierarchy_build")
                .keys(coding)
                .flag("FROM_LEVELS", i > 0);
            source = four::declare(source, coding.words, true);
            if i == 0 {
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
            let mut bindings: Vec<_> = if i == 0 { array.bindings().collect() } else { Vec::new() };
            bindings.extend(ranks.bindings());
            let params: Vec<u32> = group.iter().flat_map(|&(offset, len)| [offset as u32, len as u32]).collect();
            commands.dispatch(&kernel, group[0].1.div_ceil(BLOCK), &bindings, &params)?;
        }
        Ok(Self { ranks, levels })
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

/// Offset and length of every level, three more at a time until one node covers the last, and the length of all together.
fn layout(len: u64) -> (Vec<(u64, u64)>, u64) {
    let (mut levels, mut total) = (vec![(0, len)], 0u64);
    loop {
        for _ in 0..3 {
            let entries = levels[levels.len() - 1].1.div_ceil(16);
            levels.push((total, entries));
            // Nodes of 16 start at multiples of 16.
            total += entries.next_multiple_of(16);
        }
        if levels[levels.len() - 1].1 <= 16 {
            return (levels, total);
        }
    }
}
