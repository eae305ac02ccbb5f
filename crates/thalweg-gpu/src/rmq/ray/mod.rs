//! Rays against triangles, after RTXRMQ (Meneses et al. 2024) and the top level of GPU-RMQ (Kreis et al. 2026): what a card's
//! ray tracing hardware is worth for range minima.
//!
//! Element `i` is a triangle over all points (l, r) with l <= i <= r, at the height of its value; a query is a ray from (l, r)
//! upwards, and the first triangle it meets is the minimum. The papers' heights are rounded values, so they answer for some
//! floats, and for ties arbitrarily. Here the height is the *rank* of the element among all, equal ones from left to right, from a
//! stable sort: the first triangle is the leftmost minimum, for every type and order, and heights and corners are exact in
//! `f32` up to 2^22 triangles. Longer arrays have [layers of minima](super::hierarchy) below, and rays for the top one.
//!
//! What hardware makes of a ray that passes an edge is its own affair: a hit outside the range, or none, is answered by a plain
//! tree over the ranks, four children a node, in index order. Where a device traces no rays the same tree answers
//! everything.
//!
//! Build: layers, a sort of the top one, the driver's tree. Extra memory: layers, and for every entry of the top one 10 bytes,
//! 36 while the scene is built, and what the driver takes.

use thalweg_arrays::rmq::{HierarchyOptions, Load, RayOptions};
use thalweg_core::{Error, Result};

use super::batch::Batch;
use super::hierarchy::Hierarchy;
use crate::array::{DeviceArray, Keys};
use crate::coding::KeyCode;
use crate::kernel::Source;
use crate::memory::{Buffer, Use};
use crate::primitives::elementwise::Elementwise;
use crate::primitives::sort::positions_in_order;
use crate::recorder::{Recorder, Timing};
use crate::scene::Scene;

/// Threads of a workgroup that answers queries. Not measured.
const THREADS: u32 = 64;
/// Elements of a chunk of the layers below. Not measured.
const CHUNK: u32 = 8;
/// Triangles at most: coordinates are multiples of a half, and exact up to here.
const MOST: usize = 1 << 22;
/// Levels of the tree that the kernel's parameters have room for; 4^11 are 2^22 entries.
const MOST_LEVELS: usize = 12;

#[derive(Debug)]
pub(super) struct Ray {
    coding: KeyCode,
    /// The top layer is the array itself where that is short enough.
    layers: Hierarchy,
    /// Entries of the top layer, by their ranks.
    order: DeviceArray<u32>,
    /// The entries' ranks, and the least of every four, of those again, and so on.
    tree: Buffer,
    /// First vector of every level in `tree`.
    levels: Vec<u32>,
    scene: Option<Scene>,
}

impl Ray {
    pub(super) fn new(values: &Keys, coding: KeyCode, options: RayOptions, flags: &Buffer) -> Result<(Self, Timing)> {
        let device = values.device();
        let limits = device.limits();
        let chunk = CHUNK as usize;
        let most = options.triangles.unwrap_or(MOST);
        if !(2 * chunk..=MOST).contains(&most) {
            let reason = format!("{most} is not from {} to {MOST}", 2 * chunk);
            return Err(Error::BadOption { option: "triangles", reason });
        }
        let most = most.min((limits.binding_bytes / Scene::TRIANGLE / 2) as usize).max(2 * chunk);
        let below = HierarchyOptions {
            chunk: Some(chunk),
            threshold: Some(most / chunk),
            group: Some(1),
            load: Some(Load::Vector),
            assignment: None,
        };
        let (layers, timing) = Hierarchy::new(values, coding, below, flags)?;
        let ((order, tree, levels, scene), top_timing) = device.timed(|| {
            let order: DeviceArray<u32> = match layers.top(device) {
                None => positions_in_order(values, coding)?,
                Some(top) => positions_in_order(&top?, KeyCode::plain(coding.words))?,
            };
            let (tree, levels) = tree_of(&order)?;
            let scene = if limits.ray_queries { Some(scene_of(&order)?) } else { None };
            Ok((order, tree, levels, scene))
        })?;
        let timing = Timing { device: timing.device + top_timing.device };
        Ok((Self { coding, layers, order, tree, levels, scene }, timing))
    }

    /// Whether rays are traced.
    pub(super) fn traces(&self) -> bool {
        self.scene.is_some()
    }

    /// Whether the build has looked at all keys.
    pub(super) fn inspected(&self) -> bool {
        self.layers.inspected()
    }

    /// Bytes that are known: those of the driver's tree are not.
    pub(super) fn bytes(&self) -> u64 {
        self.layers.bytes() + 4 * self.order.count() + self.tree.bytes()
    }

    pub(super) fn dispatch(&self, values: &Keys, commands: &mut Recorder<'_>, batch: &Batch<'_>) -> Result<()> {
        let (starts, upper, positions) = self.layers.parts();
        let mut source = Source::new("rmq ray", include_str!("query.wgsl"), "query")
            .constant("THREADS", THREADS)
            .constant("CHUNK", CHUNK)
            .constant("CHUNK_BITS", CHUNK.ilog2())
            .constant("TOP", starts.len() as u32)
            .constant("MOST_LEVELS", MOST_LEVELS as u32)
            .include(include_str!("walk.wgsl"))
            .reads("upper", "Pack")
            .reads("positions", "u32")
            .reads("tree", "vec4<u32>")
            .reads("order", "u32");
        source = match &self.scene {
            Some(_) => source.traces().include(include_str!("trace.wgsl")),
            None => source.include(include_str!("no_trace.wgsl")),
        };
        let mut params = vec![0];
        params.extend(starts);
        params.resize(16, 0);
        params.extend(&self.levels);
        let workgroups = u64::from(batch.count).div_ceil(THREADS.into());
        let mut own = vec![upper.all(), positions.all(), self.tree.all()];
        own.extend(self.order.bindings());
        if let Some(scene) = &self.scene {
            commands.enter(scene);
        }
        batch.dispatch(values, self.coding, source, own, workgroups, &params, commands)
    }
}

/// The ranks of entries and the least of every four of them, of those again, down to one; and where every level begins.
fn tree_of(order: &DeviceArray<u32>) -> Result<(Buffer, Vec<u32>)> {
    let (device, len) = (order.device(), order.count());
    let mut lens = vec![len];
    let mut starts = vec![0u64];
    while let Some(below) = lens.last().copied().filter(|&len| len > 4) {
        starts.push(starts[starts.len() - 1] + below.div_ceil(4));
        lens.push(below.div_ceil(4));
    }
    assert!(starts.len() <= MOST_LEVELS, "four children a node");
    let vectors = starts[starts.len() - 1] + lens[lens.len() - 1].div_ceil(4);
    let tree = device.words(4 * vectors, "tree of ranks")?;
    let mut commands = device.record();
    Elementwise::statement(device, len, "ranks", "tree_put(order_at(i), i);")
        .reads("order", "u32", order)
        .declare(|source| source.writes("tree", "u32"), [tree.all()].into_iter())
        .dispatch(&mut commands, &[])?;
    for level in 1..lens.len() {
        Elementwise::new(device, lens[level], "least ranks", include_str!("least_of_four.wgsl"))
            .declare(|source| source.writes("tree", "u32"), [tree.all()].into_iter())
            .dispatch(
                &mut commands,
                &[4 * starts[level] as u32, 4 * starts[level - 1] as u32, lens[level - 1] as u32],
            )?;
    }
    commands.submit()?;
    Ok((tree, starts.into_iter().map(|start| start as u32).collect()))
}

/// The entries as triangles, at the heights of their ranks.
fn scene_of(order: &DeviceArray<u32>) -> Result<Scene> {
    let (device, len) = (order.device(), order.count());
    let corners = device.buffer(Use::Corners, Scene::TRIANGLE * len, "triangles")?;
    let mut commands = device.record();
    Elementwise::new(device, len, "triangles", include_str!("triangles.wgsl"))
        .reads("order", "u32", order)
        .declare(|source| source.writes("corners", "f32"), [corners.all()].into_iter())
        .dispatch(&mut commands, &[])?;
    let scene = commands.build_scene(&corners, len as u32)?;
    commands.keep(corners);
    commands.submit()?;
    Ok(scene)
}
