//! `tiles`: solves tiles in workgroup memory, then searches or merges between tiles. Four kernels:
//!
//! 1. *Tiles*: a workgroup takes a tile, a thread a run of it. A run's elements are compared with each other and with the
//!    four next to the run, in registers. What finds no neighbour there is a prefix minimum of the run (seen from that side).
//!    The run's minimum finds its own by a link to another run. What is left is few, but unevenly so: all threads of the tile
//!    share it, and follow links. What finds no neighbour in the tile either is a prefix minimum of the tile.
//! 2. *Hierarchy*: minima of 16 and of 256 elements, which the tiles leave behind, and of 4,096, ... above them.
//! 3. *Searches*: where a tile leaves few elements open, each climbs the hierarchy. Where it leaves many, only the largest
//!    does, to find the tile that answers it.
//! 4. *Tile pairs*: that tile is then loaded and answers all it can; the largest element still open finds the next.
//!
//! *Work.* Matches do not cross, so the pairs of tiles that step 4 visits form an outerplanar graph: fewer than two other
//! tiles a tile, on either side. A search climbs and descends at most eight levels, as positions have 32 bits; single
//! searches are made for at most an eighth of a tile, and for the rest of tiles that were merged with eight others already,
//! which at most a quarter of all tiles can be. That also bounds the time of a single workgroup.
//!
//! *Measured* on an H200, 500 million `u32`, both sides, strictly smaller, array and answers on the device: random 4.0 ms
//! (searches 0.27), the thesis's worst case 5.7 ms (tile pairs 2.6). The memory's limit is 1.4 ms. As long as a thread followed links for all of its run that
//! was open, and of a tile's links each was climbed for node by node, it took 5.5 and 7.4. At 2^27, random and worst case, ms:
//!
//! | | random | worst |
//! |---|---|---|
//! | a loop over all that is open in a run (2.7 of 8 elements on average, 5 or 6 in a subgroup's unluckiest run) | 1.54 | 1.70 |
//! | all of the next run compared, the minimum by its link, what is left shared | 1.29 | |
//! | the same, each thread on its own with what is left | 1.40 | |
//! | no element of the next run compared / four | 1.53 / 1.22 | |
//! | four, answers of what is shared written by who finds them, behind a barrier of the device's memory | 1.23 | 1.86 |
//! | handed back through workgroup memory | 1.25 | 1.76 |
//! | and nodes beside the way up to a link looked at all at once | 1.16 | 1.76 |
//! | pairs with their elements in registers, four searched for at a time | 1.16 | 1.57 |
//! | and the inner two where the outer two say | 1.14 | 1.46 |
//!
//! Tried on the way: keys from the device's memory instead of workgroup memory 1.28 instead of 1.23; the next tile read while this one is
//! worked on 1.32 instead of 1.26.
//!
//! What binds now is neither memory nor arithmetic, but how many threads a processor holds to wait: registers (63) and workgroup
//! memory (through Vulkan that card gives 48 KiB to all workgroups of a processor together) both leave it 1,024. A tile takes
//! 5.7 bytes an element of it; before, 4 KiB more for every 128 threads made random data take 8.0 ms instead of 5.9.

use thalweg_core::{Error, Key, Result};

use super::hierarchy::Hierarchy;
use super::sides::Side;
use super::{DeviceSides, Problem, four};
use crate::array::{DeviceArray, Keys};
use crate::coding::{self, KeyCode};
use crate::device::Device;
use crate::kernel::Source;
use crate::memory::Buffer;
use crate::recorder::Recorder;

/// Sizes of the engine `tiles`, for measurements: [`solve_tuned`](super::solve_tuned()) takes others than the library's.
/// Answers do not depend on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tuning {
    /// Threads of a workgroup: 64, 128 or 256. One run each.
    pub threads: u32,
    /// Elements of a run: 4, 8 or 16.
    pub items: u32,
    /// Open elements of a tile and side that are searched one by one; with more, tiles are merged.
    pub light: u32,
    /// Merges of a tile after which the rest is searched one by one.
    pub rounds: u32,
    /// Workgroups that search.
    pub searchers: u32,
    /// Workgroups that merge tiles.
    pub mergers: u32,
}

impl Tuning {
    /// The library's sizes. On an H200, ms for the thesis's worst case / eight different values at 2^27 elements: 256 threads x 8 items
    /// 1.46 / 1.98, 128 x 8 1.50 / 2.08, 128 x 16 5.5 / 2.4; 16,384 workgroups that merge 1.46 / 1.96, 4,096 1.49 / 2.00; 16,384 that
    /// search 1.50 / 1.99. Before, an eighth of a tile as the limit of single searches, a quarter or half of that: within 2% on random
    /// data, 10.6 instead of 9.8 for eight different values. Keys of 64 bits: not measured.
    pub fn of<K: Key>() -> Self {
        Self::of_words(coding::words::<K>())
    }

    /// The same for keys of so many words.
    pub(super) fn of_words(words: u32) -> Self {
        // The same workgroup memory for keys of either width.
        let items = 8 / words;
        Self { threads: 256, items, light: 32 * items, rounds: 8, searchers: 4096, mergers: 65_536 }
    }

    /// Bytes of workgroup memory that the kernels take.
    fn workgroup_bytes(&self, words: u32) -> u64 {
        let tree = u64::from(leaves(self.threads) - 1) / 3;
        let keys = self.tile() + 4 * tree;
        // A link and a place in the list of far elements a thread, and counts.
        keys * 4 * u64::from(words) + u64::from(8 * self.threads) + 24
    }

    /// An error for sizes that do not work, and if the kernels do not fit the device: drivers do not always notice.
    fn check(&self, device: &Device, words: u32) -> Result<()> {
        if !matches!(self.threads, 64 | 128 | 256) || !matches!(self.items, 4 | 8 | 16) {
            let reason = "workgroups have 64, 128 or 256 threads, and runs 4, 8 or 16 elements".to_owned();
            return Err(Error::BadOption { option: "tuning", reason });
        }
        if self.searchers == 0 || self.mergers == 0 {
            let reason = "at least one workgroup searches and one merges".to_owned();
            return Err(Error::BadOption { option: "tuning", reason });
        }
        let (need, limit) = (self.workgroup_bytes(words), device.limits().workgroup_bytes);
        if need > u64::from(limit) {
            let name = device.name();
            return Err(Error::device_limit(format!(
                "ANSV by tiles takes {need} bytes of workgroup memory, {name} has {limit}"
            )));
        }
        Ok(())
    }

    fn tile(&self) -> u64 {
        u64::from(self.threads * self.items)
    }

    /// The level of the hierarchy at which searches start: the highest whose blocks do not cross tiles.
    fn start(&self) -> u32 {
        self.tile().ilog2() / 4
    }
}

/// Levels of the hierarchy that the tiles leave behind: no tile is smaller than 256 elements.
const MADE: usize = 2;
/// Threads of a workgroup that searches.
const SEARCHERS: u32 = 128;

/// Device memory of a run until its commands are submitted.
#[derive(Debug)]
#[allow(dead_code, reason = "kept until the commands are submitted")]
pub(super) struct Scratch(Hierarchy, [Buffer; 4]);

/// Places for single searches on one side. If they do not suffice, tiles are merged instead.
fn capacity(len: u64) -> u64 {
    len / 32 + 1024
}

/// Bytes of scratch memory.
pub(super) fn extra_bytes(len: u64, words: u32) -> u64 {
    // The smallest tile has 256 elements and takes 24 bytes in the lists of those to be merged.
    Hierarchy::bytes(len, words, MADE) + 8 * capacity(len) + len.div_ceil(256) * 24
}

/// Records all kernels.
pub(super) fn record(
    commands: &mut Recorder<'_>,
    problem: &Problem<'_>,
    sides: &DeviceSides<'_>,
    tuning: Tuning,
) -> Result<Scratch> {
    let &Problem { array, coding, strict } = problem;
    let coding = KeyCode::from(coding);
    let device = array.device();
    tuning.check(device, coding.words)?;
    let hierarchy = Hierarchy::reserve(array, MADE)?;
    let tiles = array.len().div_ceil(tuning.tile());
    let capacity = capacity(array.len());
    // Searches to the left and to the right, tiles that may have to be merged, tiles that must.
    let counts = device.words(4, "counts of searches")?;
    let searches = device.words(2 * capacity, "searches")?;
    let candidates = device.words(2 * tiles, "tiles to merge")?;
    let heavy = device.words(4 * tiles, "tiles to merge")?;
    commands.clear(&counts, 16);

    let kernels = Kernels { array, ranks: &hierarchy.ranks, coding, strict, targets: *sides, tuning };
    let (top, levels) = hierarchy.params(tuning.start() as usize);
    let mut params = vec![array.len() as u32, tiles as u32, top, capacity as u32];
    params.extend(levels);
    let dispatch = |commands: &mut Recorder<'_>, source: Source, groups: u64, buffers: &[&Buffer]| {
        let bindings: Vec<_> = kernels.arrays().chain(buffers.iter().map(|buffer| buffer.all())).collect();
        commands.dispatch(&*device.kernel(&source)?, groups, &bindings, &params)
    };
    let workers = |most: u32| u64::from(most).min(2 * tiles);
    dispatch(commands, kernels.solve(), tiles, &[&counts, &searches, &candidates])?;
    // One tile has nobody to ask.
    if tiles > 1 {
        hierarchy.raise(commands, array, coding)?;
        dispatch(commands, kernels.search(), workers(tuning.searchers), &[&counts, &searches, &candidates, &heavy])?;
        dispatch(commands, kernels.pairs(), workers(tuning.mergers), &[&counts, &heavy])?;
    }
    Ok(Scratch(hierarchy, [counts, searches, candidates, heavy]))
}

/// What a kernel does with the hierarchy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Levels {
    /// It writes the lowest levels.
    Made,
    /// It climbs them all.
    Searched,
}

/// Puts the kernels' text together.
#[derive(Debug)]
struct Kernels<'k> {
    array: &'k Keys,
    ranks: &'k Keys,
    coding: KeyCode,
    strict: bool,
    targets: DeviceSides<'k>,
    tuning: Tuning,
}

impl<'k> Kernels<'k> {
    /// The buffers that all kernels have, in the order of `source`.
    fn arrays(&self) -> impl Iterator<Item = crate::memory::Binding<'k>> {
        let targets = [self.targets.left, self.targets.right].into_iter().flatten();
        self.array.bindings().chain(self.ranks.bindings()).chain(targets.flat_map(DeviceArray::bindings))
    }

    /// Includes a file that is written for a side in general, for both.
    fn include_sides(source: Source, text: &str) -> Source {
        Side::BOTH.into_iter().fold(source, |source, side| side.include(source, text))
    }

    /// What all kernels have. Sides that are not wanted are named in them, and never run.
    fn source(
        &self,
        name: &'static str,
        file: &'static str,
        entry: &'static str,
        threads: u32,
        levels: Levels,
    ) -> Source {
        let Tuning { items, light, rounds, .. } = self.tuning;
        let start = self.tuning.start();
        let source = Source::new(name, file, entry)
            .constant("THREADS", threads)
            .constant("PER_TILE", self.tuning.threads)
            .constant("ITEMS", items)
            .constant("QUADS", items / 4)
            .constant("LIGHT", light)
            .constant("ROUNDS", rounds)
            .constant("LEAVES", leaves(self.tuning.threads))
            .constant("LEVELS", leaves(self.tuning.threads).ilog2() / 2)
            .constant("START", start)
            .constant("BLOCKS", (self.tuning.tile() >> (4 * start)) as u32)
            .constant("left_MIRROR", 0)
            .constant("right_MIRROR", items - 1)
            .keys(self.coding);
        let mut source = four::declare(source, self.coding.words, self.strict)
            .include(four::LOAD_VALUES)
            .include(include_str!("params.wgsl"))
            .reads_sharded("values", "vec4<u32>", self.array.packs().sharding);
        source = match levels {
            Levels::Made => source.writes_sharded("levels", "Key", self.ranks.sharding()),
            Levels::Searched => source.include(four::LOAD_LEVELS).include(include_str!("node.wgsl")).reads_sharded(
                "levels",
                "vec4<u32>",
                self.ranks.packs().sharding,
            ),
        };
        for (side, flag, name) in [(Side::Left, "WANT_LEFT", "left_out"), (Side::Right, "WANT_RIGHT", "right_out")] {
            let target = self.targets.of(side);
            source = side.constants(source).flag(flag, target.is_some());
            source = match target {
                Some(target) => source.writes_sharded(name, "vec4<u32>", target.packs().sharding),
                None => side.include(source, include_str!("no_output.wgsl")),
            };
        }
        source = Self::include_sides(source, include_str!("pick.wgsl"));
        match levels {
            Levels::Made => source,
            Levels::Searched => Self::include_sides(source, include_str!("find.wgsl")),
        }
    }

    /// What kernels that hold a tile have.
    fn with_tile(&self, source: Source) -> Source {
        let keys = if self.coding.words == 1 { include_str!("keys32.wgsl") } else { include_str!("keys64.wgsl") };
        let source = source.include(include_str!("tile.wgsl")).include(keys).include(include_str!("run.wgsl"));
        Self::include_sides(source, include_str!("in_run.wgsl"))
    }

    /// Tiles by themselves.
    fn solve(&self) -> Source {
        let source =
            self.source("ansv_tiles", include_str!("tiles.wgsl"), "tiles_solve", self.tuning.threads, Levels::Made);
        let source = self.with_tile(source).include(include_str!("levels.wgsl"));
        let source = Self::include_sides(source, include_str!("solve.wgsl"));
        let source = Self::include_sides(source, include_str!("far.wgsl"));
        Self::include_sides(source, include_str!("local.wgsl"))
            .atomics("counts")
            .writes("searches", "u32")
            .writes("candidates", "u32")
    }

    /// Single searches, and the first tile of every merge.
    fn search(&self) -> Source {
        let source = self.source("ansv_search", include_str!("search.wgsl"), "search_all", SEARCHERS, Levels::Searched);
        Self::include_sides(source, include_str!("search_side.wgsl"))
            .atomics("counts")
            .reads("searches", "u32")
            .reads("candidates", "u32")
            .writes("heavy", "u32")
    }

    /// Tile pairs.
    fn pairs(&self) -> Source {
        let source =
            self.source("ansv_pairs", include_str!("pairs.wgsl"), "pairs_solve", self.tuning.threads, Levels::Searched);
        Self::include_sides(self.with_tile(source), include_str!("pair.wgsl"))
            .reads("counts", "u32")
            .reads("heavy", "u32")
    }
}

/// Leaves of a tree with four children a node that holds all threads.
fn leaves(threads: u32) -> u32 {
    1 << (2 * threads.ilog2().div_ceil(2))
}
