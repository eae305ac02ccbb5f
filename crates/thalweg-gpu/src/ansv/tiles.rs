//! `tiles`: solves tiles in workgroup memory, then searches or merges between tiles.
//!
//! 1. *Hierarchy*: minima of 16, 256, 4,096, ... elements (one pass over the array).
//! 2. *Tiles*: a workgroup takes a tile, a thread a run of it. A run's elements are compared with each other in
//!    registers. What finds no neighbour in its run is a prefix minimum of it (seen from that side): it follows links
//!    between the runs' minima. What finds none in the tile either is a prefix minimum of the tile; if those are few, each
//!    searches the hierarchy.
//! 3. *Tile pairs*: where they are many, the tile is merged with the nearest tiles that answer them, one after the other.
//!    Matches do not cross, so all tiles together visit fewer than two other tiles each, on either side.

use thalweg::ansv::Relation;
use thalweg::{Error, Key, Result};

use super::hierarchy::Hierarchy;
use super::text::{self, Side};
use super::Targets;
use crate::array::DeviceArray;
use crate::coding::{self, Coding};
use crate::device::Device;
use crate::kernel::Source;
use crate::memory::Buffer;
use crate::recorder::Recorder;

/// What can be tuned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Threads of a workgroup: 64, 128 or 256. One run each.
    pub threads: u32,
    /// Elements of a run: 4, 8 or 16.
    pub items: u32,
    /// Open elements of a tile and side that are searched one by one; with more, tiles are merged.
    pub light: u32,
    /// Merges of a tile after which the rest is searched one by one.
    pub rounds: u32,
    /// Workgroups that search, or merge tiles.
    pub workers: u32,
    /// Whether neighbouring threads exchange answers, to write whole sectors of memory.
    pub exchange: bool,
    /// Whether a run is compared in registers with the one next to it, too.
    pub window: bool,
    /// For measurements: 0 hierarchy only, 1 tiles in and out, 2 runs, 3 links, 4 whole tiles, 5 searches, 6 all of it.
    pub stages: u32,
    /// For measurements: bytes of workgroup memory that are taken for nothing.
    pub ballast: u32,
}

impl Tuning {
    /// Not measured yet.
    pub fn of<K: Key>(_device: &Device) -> Self {
        Self { threads: 256, items: 8, light: 256, rounds: 8, workers: 4096, exchange: true, window: true, stages: 6, ballast: 0 }
    }

    /// Bytes of workgroup memory that the kernels take.
    fn workgroup_bytes<K: Key>(&self) -> u64 {
        let tree = u64::from(leaves(self.threads) - 1) / 3;
        let keys = self.tile() + 4 * tree;
        keys * coding::bytes::<K>() + u64::from(4 * self.threads + self.ballast) + 16
    }

    /// An error if the kernels do not fit the device: drivers do not always notice.
    fn check<K: Key>(&self, device: &Device) -> Result<()> {
        let (need, limit) = (self.workgroup_bytes::<K>(), device.limits().workgroup_bytes);
        if need > u64::from(limit) {
            let name = device.name();
            return Err(Error::Device(format!("ANSV by tiles takes {need} bytes of workgroup memory, {name} has {limit}")));
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

/// Threads of a workgroup that searches.
const SEARCHERS: u32 = 128;

/// Device memory of a run until its commands are submitted.
#[derive(Debug)]
#[allow(dead_code, reason = "kept until the commands are submitted")]
pub(super) struct Scratch<K: Key>(Hierarchy<K>, [Buffer; 4]);

/// Places for single searches on one side. If they do not suffice, tiles are merged instead.
fn capacity(len: u64) -> u64 {
    len / 32 + 1024
}

/// Bytes of scratch memory.
pub(super) fn extra_bytes<K: Key>(len: u64) -> u64 {
    // The smallest tile has 256 elements and takes 24 bytes in the lists of those to be merged.
    Hierarchy::<K>::bytes(len) + 8 * capacity(len) + len.div_ceil(256) * 24
}

/// Records all kernels.
pub(super) fn record<K: Key>(
    commands: &mut Recorder<'_>,
    array: &DeviceArray<K>,
    relation: Relation,
    targets: &Targets<'_>,
    tuning: Tuning,
) -> Result<Scratch<K>> {
    let device = array.device();
    tuning.check::<K>(device)?;
    let hierarchy = Hierarchy::record(commands, array, relation.order())?;
    let tiles = array.len().div_ceil(tuning.tile());
    let capacity = capacity(array.len());
    // Searches to the left and to the right, tiles that may have to be merged, tiles that must.
    let counts = device.words(4, "counts of searches")?;
    let searches = device.words(2 * capacity, "searches")?;
    let candidates = device.words(2 * tiles, "tiles to merge")?;
    let heavy = device.words(4 * tiles, "tiles to merge")?;
    commands.clear(&counts, 16);
    let (top, levels) = hierarchy.params(tuning.start() as usize);
    let mut params = vec![array.len() as u32, tiles as u32, top, capacity as u32];
    params.extend(levels);
    let sides = targets.sides();
    // A line for every side, with its name in place of `side`.
    let lines = |line: &str| -> String { sides.iter().map(|(side, _)| text::for_side(line, *side) + "\n").collect() };
    let source = |name, file: &'static str, entry, threads| {
        let mut source = Source::new(name, file, entry)
            .constant("THREADS", threads)
            .constant("PER_TILE", tuning.threads)
            .constant("ITEMS", tuning.items)
            .constant("LIGHT", tuning.light)
            .constant("ROUNDS", tuning.rounds)
            .constant("STAGES", tuning.stages)
            .flag("EXCHANGE", tuning.exchange)
            .constant("LEAVES", leaves(tuning.threads))
            .constant("START", tuning.start())
            .constant("BLOCKS", (tuning.tile() >> (4 * tuning.start())) as u32)
            .keys(Coding::of::<K>(relation.order()))
            .flag("STRICT", relation.is_strict())
            .include(&text::four::<K>())
            .include(&text::load_four::<K>("values", true))
            .include(&text::load_four::<K>("levels", false))
            .include(include_str!("params.wgsl"))
            .include(include_str!("node.wgsl"))
            .reads_sharded("values", "vec4<u32>", text::quad_sharding(array))
            .reads_sharded("levels", "vec4<u32>", text::quad_sharding(&hierarchy.ranks));
        for (side, target) in &sides {
            let name = if *side == Side::Left { "left_out" } else { "right_out" };
            source = source
                .include(&text::constants(*side))
                .include(&text::for_side(include_str!("find.wgsl"), *side))
                .writes_sharded(name, "vec4<u32>", text::quad_sharding(target));
        }
        source
    };
    let with_tile = |source: Source| {
        source
            .include(include_str!("tile.wgsl"))
            .include(text::tile_key::<K>())
            .include(text::tree_key::<K>())
            .include(text::tree_put::<K>())
            .include(&text::run(tuning.items / 4))
            .include(&lines(include_str!("run.wgsl")))
    };
    let arrays: Vec<_> = array.bindings().chain(hierarchy.ranks.bindings()).collect();
    let out: Vec<_> = sides.iter().flat_map(|(_, target)| target.bindings()).collect();
    let arrays: Vec<_> = arrays.into_iter().chain(out).collect();

    let mut solve = with_tile(source("ansv_tiles", include_str!("tiles.wgsl"), "tiles_solve", tuning.threads));
    for (side, _) in &sides {
        solve = solve.include(&text::solve(*side, tuning.items / 4, *side == sides[0].0, tuning.window));
    }
    if tuning.ballast > 0 {
        solve = solve.constant("BALLAST", tuning.ballast / 4).include("var<workgroup> ballast: array<u32, BALLAST>;\n");
    }
    let solve = solve
        .include(&lines(include_str!("local.wgsl")))
        .replace("LINK_SIDES", &(lines("let side_link = side_link_of(thread, least);")
            + &format!("if STAGES > 2u {{ links[thread] = {}; }}", match targets {
                Targets { left: Some(_), right: Some(_) } => "left_link | (right_link << 16u)",
                Targets { left: Some(_), right: None } => "left_link",
                _ => "right_link << 16u",
            })
            + if tuning.ballast > 0 { "\nballast[thread] = thread;" } else { "" }))
        .replace("LOCAL_SIDES", &lines("let side_answers = side_solve(run, thread, there);
    var side_place = 0u;
    if side_answers.open != 0u { side_place = atomicAdd(&open_count[side_NUMBER], countOneBits(side_answers.open)); }"))
        .replace("RESERVE_SIDES", &lines("if thread == side_NUMBER * (THREADS - 1u) { open_place[side_NUMBER] = side_reserve(tile, valid); }"))
        .replace("STORE_SIDES", &lines("side_store(side_answers, tile, thread, valid);"))
        .replace("NOTE_SIDES", &(lines("let side_from = open_place[side_NUMBER];
        if side_from != NONE { side_note(side_answers.open, side_from + side_place, first + own); }") + if tuning.ballast > 0 { "if ballast[THREADS - 1u - thread] == NONE { searches_put(0u, 0u); }" } else { "" }))
        .atomics("counts")
        .writes("searches", "u32")
        .writes("candidates", "u32");
    let solve = device.kernel(&solve)?;
    if tuning.stages > 0 {
        commands.dispatch(&solve, tiles, &bindings(&arrays, &[&counts, &searches, &candidates]), &params)?;
    }
    if tiles > 1 && tuning.stages > 4 {
        let search = source("ansv_search", include_str!("search.wgsl"), "search_all", SEARCHERS)
            .include(&lines(include_str!("search_side.wgsl")))
            .replace("SEARCH_SIDES", &lines("side_search(worker, workers);"))
            .replace("CANDIDATE_SIDES", &lines("if (task & 1u) == side_NUMBER { side_candidate(tile, task); }"))
            .atomics("counts")
            .reads("searches", "u32")
            .reads("candidates", "u32")
            .writes("heavy", "u32");
        let groups = u64::from(tuning.workers).min(2 * tiles);
        commands.dispatch(&*device.kernel(&search)?, groups, &bindings(&arrays, &[&counts, &searches, &candidates, &heavy]), &params)?;
    }
    if tiles > 1 && tuning.stages > 5 {
        let pairs = with_tile(source("ansv_pairs", include_str!("pairs.wgsl"), "pairs_solve", tuning.threads))
            .include(&lines(include_str!("pair.wgsl")))
            .replace("PAIR_SIDES", &lines("if (task & 1u) == side_NUMBER { side_pair(task >> 2u, (task & 2u) != 0u, heavy[2u * i + 1u], thread); }"))
            .reads("counts", "u32")
            .reads("heavy", "u32");
        let groups = u64::from(tuning.workers).min(2 * tiles);
        commands.dispatch(&*device.kernel(&pairs)?, groups, &bindings(&arrays, &[&counts, &heavy]), &params)?;
    }
    drop(arrays);
    Ok(Scratch(hierarchy, [counts, searches, candidates, heavy]))
}

fn bindings<'b>(arrays: &[wgpu::BufferBinding<'b>], more: &[&'b Buffer]) -> Vec<wgpu::BufferBinding<'b>> {
    arrays.iter().cloned().chain(more.iter().map(|buffer| buffer.all())).collect()
}

/// Leaves of a tree with four children a node that holds all threads.
fn leaves(threads: u32) -> u32 {
    1 << (2 * threads.ilog2().div_ceil(2))
}
