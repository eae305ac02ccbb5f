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

use super::Targets;
use super::hierarchy::Hierarchy;
use super::text::{self, Side};
use crate::array::DeviceArray;
use crate::coding::{self, Coding};
use crate::device::Device;
use crate::kernel::Source;
use crate::recorder::Recorder;

/// What can be tuned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Threads of a workgroup: 64, 128, 256, ... One run each.
    pub threads: u32,
    /// Elements of a run: 4, 8 or 16.
    pub items: u32,
    /// Open elements of a tile and side that are searched one by one; with more, tiles are merged.
    pub light: u32,
    /// Single searches that cost as much as one merge.
    pub round: u32,
    /// Workgroups that merge tiles.
    pub workers: u32,
    /// Whether a thread follows links in a loop of their own.
    pub nested: bool,
    /// For measurements: 0 hierarchy only, 1 tiles in and out, 2 runs, 3 links, 4 whole tiles, 5 all of it.
    pub stages: u32,
}

impl Tuning {
    /// Not measured yet.
    pub fn of<K: Key>(_device: &Device) -> Self {
        // Keys of 64 bits take twice the memory: runs of half the length keep a tile's bytes, and the kernels within the
        // 32 KiB that smaller devices have.
        let items = if coding::words::<K>() == 1 { 16 } else { 8 };
        Self { threads: 128, items, light: 256, round: 128, workers: 4096, nested: false, stages: 5 }
    }

    /// Bytes of workgroup memory that the kernels take, the larger of the two.
    fn workgroup_bytes<K: Key>(&self) -> u64 {
        let key = coding::bytes::<K>();
        let (threads, quads, light) = (u64::from(self.threads), u64::from(self.items / 4), u64::from(self.light));
        let slots = quads * (threads + 8 / quads);
        let tree = u64::from(leaves(self.threads) - 1) / 3;
        let tiles = slots * (4 * key + 16) + (threads + tree) * 4 * key + 4 * threads + 8 * light + 8;
        let pairs = slots * 4 * key + threads * (5 * key + 4) + self.tile() * (key + 4) + 8;
        tiles.max(pairs)
    }

    /// An error if the kernels do not fit the device: drivers do not always notice.
    fn check<K: Key>(&self, device: &Device) -> Result<()> {
        let (need, limit) = (self.workgroup_bytes::<K>(), device.limits().workgroup_bytes);
        if need > u64::from(limit) {
            let name = device.name();
            return Err(Error::Device(format!(
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

/// Device memory of a run until its commands are submitted.
#[derive(Debug)]
#[allow(dead_code, reason = "kept until the commands are submitted")]
pub(super) struct Scratch<K: Key>(Hierarchy<K>, crate::memory::Buffer, crate::memory::Buffer);

/// Bytes of scratch memory.
pub(super) fn extra_bytes<K: Key>(len: u64) -> u64 {
    // The smallest tile has 256 elements and takes 16 bytes in the list of those to be merged.
    Hierarchy::<K>::bytes(len) + len.div_ceil(256) * 16
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
    let heavy_count = device.words(1, "tiles to merge")?;
    let heavy = device.words(4 * tiles, "tiles to merge")?;
    commands.clear(&heavy_count, 4);
    let (top, levels) = hierarchy.params(tuning.start() as usize);
    let mut params = vec![array.len() as u32, tiles as u32, top, 0];
    params.extend(levels);
    let sides = targets.sides();
    let source = |name, file: &'static str, entry| {
        let mut source = Source::new(name, file, entry)
            .constant("THREADS", tuning.threads)
            .constant("ITEMS", tuning.items)
            .constant("LIGHT", tuning.light)
            .constant("ROUND", tuning.round)
            .constant("STAGES", tuning.stages)
            .flag("NESTED", tuning.nested)
            .constant("LEAVES", leaves(tuning.threads))
            .constant("START", tuning.start())
            .constant("BLOCKS", (tuning.tile() >> (4 * tuning.start())) as u32)
            .keys(Coding::of::<K>(relation.order()))
            .flag("STRICT", relation.is_strict())
            .include(&text::four::<K>())
            .include(&text::load_four::<K>("values", true))
            .include(&text::load_four::<K>("levels", false))
            .include(text::tile_key::<K>())
            .include(&text::run_quads(tuning.items / 4))
            .include(include_str!("tile.wgsl"))
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
    let mut solve = source("ansv_tiles", include_str!("tiles.wgsl"), "tiles_solve").include(text::tree_put::<K>());
    for (side, _) in &sides {
        solve = solve
            .include(&text::in_run(*side, tuning.items / 4))
            .include(&text::for_side(include_str!("local.wgsl"), *side));
    }
    let calls = |with: &dyn Fn(&str) -> String| -> String {
        sides.iter().map(|(side, _)| with(if *side == Side::Left { "left" } else { "right" })).collect()
    };
    let solve = device.kernel(
        &solve
            .replace("SOLVE_SIDES", &calls(&|side| format!("{side}_solve(tile, thread);\n")))
            .replace(
                "SEARCH_SIDES",
                &calls(&|side| {
                    let (half, from) = if side == "left" { ("<", "thread") } else { (">=", "thread - THREADS / 2u") };
                    format!("if thread {half} THREADS / 2u {{ {side}_search(tile, {from}); }}\n")
                }),
            )
            .atomics("heavy_count")
            .writes("heavy", "u32"),
    )?;
    let mut bindings: Vec<_> = array.bindings().chain(hierarchy.ranks.bindings()).collect();
    for (_, target) in &sides {
        bindings.extend(target.bindings());
    }
    bindings.extend([heavy_count.all(), heavy.all()]);
    if tuning.stages > 0 {
        commands.dispatch(&solve, tiles, &bindings, &params)?;
    }
    if tiles > 1 && tuning.stages > 4 {
        let mut pairs = source("ansv_pairs", include_str!("pairs.wgsl"), "pairs_solve");
        for (side, _) in &sides {
            pairs = pairs.include(&text::for_side(include_str!("pair.wgsl"), *side));
        }
        let pairs = device.kernel(
            &pairs
                .replace(
                    "PAIR_SIDES",
                    &calls(&|side| {
                        let number = u32::from(side == "right");
                        format!(
                            "if (task & 1u) == {number}u {{ {side}_pair(task >> 1u, heavy[2u * i + 1u], thread); }}\n"
                        )
                    }),
                )
                .reads("heavy_count", "u32")
                .reads("heavy", "u32"),
        )?;
        commands.dispatch(&pairs, u64::from(tuning.workers).min(2 * tiles), &bindings, &params)?;
    }
    drop(bindings);
    Ok(Scratch(hierarchy, heavy_count, heavy))
}

/// Leaves of a tree with four children a node that holds all threads.
fn leaves(threads: u32) -> u32 {
    1 << (2 * threads.ilog2().div_ceil(2))
}
