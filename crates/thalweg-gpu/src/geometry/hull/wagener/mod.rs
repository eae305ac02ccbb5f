//! Wagener's hull on the device, for integers of at most 32 bits.
//!
//! The points are sorted by x, then y. Every point is a hood of its own, and pairs of hoods beside each other are joined by
//! their common tangent until one is left (Wagener 1985; the lower side here, the upper one is the same with the plane
//! turned over). Up to [`BLOCK`] points that happens in a workgroup's memory (`blocks.wgsl`): each point of a left hood looks
//! for its tangent to the right one by bisection, and one of them finds that it is common. What is left of all blocks is
//! packed together and goes through blocks again, as long as that halves it, which it does for all but few inputs.
//! What remains, points that are nearly all on the hull, is joined pair by pair in the device's memory (`common.wgsl`,
//! `join.wgsl`), where a workgroup tries as many points of the left hood as it has threads, in ever shorter stretches.
//!
//! The predicate is exact in products of 64 bits, as x increases along hoods (`turn.wgsl`). Work O(n log n) beside the sort.
//! Points in the middle of edges are dropped on the way, so all boundary points cannot be told.

use thalweg_core::{Error, Positions, Result};
use thalweg_geometry::hull::{Engine, Hull};

use super::points::Points;
use crate::array::DeviceArray;
use crate::device::Device;
use crate::kernel::Source;
use crate::primitives::elementwise::Elementwise;
use crate::primitives::sort::sort_with_positions;
use crate::primitives::{compact, survivors};

/// Points of a block. Not measured against others.
const BLOCK: u32 = 512;
/// Threads of a workgroup for a pair of large hoods. Not measured against others.
const THREADS: u32 = 256;

/// The corners of the hull.
pub(super) fn hull(points: &Points<'_>, boundary: bool) -> Result<Hull> {
    if points.coding().is_float() || points.coding().bytes() > 4 {
        return Err(wide());
    }
    if boundary {
        return Err(refused("tell corners only; the CPU tells all points on the boundary, and slabs does everywhere"));
    }
    let positions = if points.len() == 0 { Vec::new() } else { corners(points)? };
    Ok(Hull { positions: Positions::U32(positions), engine: Engine::Wagener })
}

/// The error for coordinates that are no integers of 32 bits.
pub(super) fn wide() -> Error {
    refused("take integers of at most 32 bits; the CPU takes all coordinates, and slabs does everywhere")
}

fn refused(why: &str) -> Error {
    Error::NotOnDevice { problem: "hull", engine: Engine::Wagener.name(), reason: format!("GPUs {why}") }
}

/// Of at least one point.
fn corners(points: &Points<'_>) -> Result<Vec<u32>> {
    let sorted = Sorted::of(points)?;
    let [mut lower, mut upper] = [sorted.side(false)?, sorted.side(true)?];
    // The sides share their ends, unless these are vertical edges.
    if upper.last() == lower.last() {
        upper.pop();
    }
    if upper.first() == lower.first() && !upper.is_empty() {
        upper.remove(0);
    }
    lower.extend(upper.into_iter().rev());
    Ok(lower)
}

/// Points in order of x, then y, then their position in the input.
#[derive(Debug)]
struct Sorted<'d> {
    device: &'d Device,
    /// x in the high word, y in the low one, both as unsigned numbers.
    keys: DeviceArray<u64>,
    positions: DeviceArray<u32>,
}

impl<'d> Sorted<'d> {
    fn of(points: &Points<'d>) -> Result<Self> {
        let (device, flip) = (points.device(), points.coding().flip());
        let keys = DeviceArray::<u64>::new(device, points.len())?;
        let mut commands = device.record();
        let body =
            format!("let x = points_at(2u * i) ^ {flip}u; keys_put(i, vec2(points_at(2u * i + 1u) ^ {flip}u, x));");
        Elementwise::statement(device, points.len(), "hull keys", &body)
            .reads("points", "u32", points.keys())
            .writes("keys", "vec2<u32>", &keys)
            .dispatch(&mut commands, &[])?;
        commands.submit()?;
        let (keys, positions) = sort_with_positions(&keys)?;
        Ok(Self { device, keys, positions })
    }

    /// The corners of a side, by their positions in the input, from left to right.
    fn side(&self, upper: bool) -> Result<Vec<u32>> {
        let flags = DeviceArray::<u32>::new(self.device, self.keys.count())?;
        let mut commands = self.device.record();
        Elementwise::new(self.device, self.keys.count(), "hull ends", include_str!("ends.wgsl"))
            .flag("UPPER", upper)
            .reads("keys", "vec2<u32>", &self.keys)
            .writes("flags", "u32", &flags)
            .dispatch(&mut commands, &[])?;
        commands.submit()?;
        let mut places = survivors(&flags)?;
        loop {
            let before = places.count();
            let flags = DeviceArray::<u32>::new(self.device, before)?;
            self.run_blocks(upper, &places, Blocks::Flags(&flags))?;
            places = compact(&places, &flags)?;
            if before <= BLOCK.into() {
                return self.input_positions(&places);
            }
            if 2 * places.count() > before {
                return self.input_positions(&self.joined(upper, &places)?);
            }
        }
    }

    /// The hoods of all blocks.
    fn run_blocks(&self, upper: bool, places: &DeviceArray<u32>, out: Blocks<'_>) -> Result<()> {
        let (device, count) = (self.device, places.count());
        let (out, sizes) = match out {
            Blocks::Flags(flags) => (flags, None),
            Blocks::Hoods(hoods, sizes) => (hoods, Some(sizes)),
        };
        let mut source = source("hull blocks", include_str!("blocks.wgsl"), "hoods_of_blocks", upper)
            .constant("THREADS", BLOCK / 2)
            .flag("FLAGS", sizes.is_none())
            .reads_sharded("keys", "vec2<u32>", self.keys.sharding())
            .reads_sharded("places", "u32", places.sharding())
            .writes_sharded("out", "u32", out.sharding());
        let mut buffers: Vec<_> = self.keys.bindings().chain(places.bindings()).chain(out.bindings()).collect();
        match sizes {
            Some(sizes) => {
                source = source.writes_sharded("sizes_out", "u32", sizes.sharding());
                buffers.extend(sizes.bindings());
            }
            None => source = source.include("fn sizes_out_put(i: u32, value: u32) {}\n"),
        }
        let mut commands = device.record();
        commands.dispatch(&*device.kernel(&source)?, count.div_ceil(BLOCK.into()), &buffers, &[count as u32])?;
        commands.submit().map(|_| ())
    }

    /// The one hood of all points at these places, joined pair by pair.
    fn joined(&self, upper: bool, places: &DeviceArray<u32>) -> Result<DeviceArray<u32>> {
        let (device, count) = (self.device, places.count());
        let mut hoods = count.div_ceil(BLOCK.into());
        let mut slots = u64::from(BLOCK);
        let mut from = (DeviceArray::<u32>::new(device, count)?, DeviceArray::<u32>::new(device, hoods)?);
        let mut to = (DeviceArray::<u32>::new(device, count)?, DeviceArray::<u32>::new(device, hoods)?);
        let touches = DeviceArray::<u32>::new(device, 2 * hoods)?;
        self.run_blocks(upper, places, Blocks::Hoods(&from.0, &from.1))?;
        let mut commands = device.record();
        while hoods > 1 {
            let pairs = hoods.div_ceil(2);
            let source = source("hull tangents", include_str!("common.wgsl"), "common_tangents", upper)
                .constant("THREADS", THREADS)
                .reads_sharded("keys", "vec2<u32>", self.keys.sharding())
                .reads_sharded("places", "u32", from.0.sharding())
                .reads_sharded("sizes", "u32", from.1.sharding())
                .writes_sharded("touches", "vec2<u32>", touches.sharding().map(|(shift, shards)| (shift - 1, shards)));
            let buffers: Vec<_> = self
                .keys
                .bindings()
                .chain(from.0.bindings())
                .chain(from.1.bindings())
                .chain(touches.bindings())
                .collect();
            let params = [count as u32, slots as u32, hoods as u32];
            commands.dispatch(&*device.kernel(&source)?, pairs, &buffers, &params)?;
            Elementwise::new(device, count, "hull join", include_str!("join.wgsl"))
                .reads("places", "u32", &from.0)
                .reads("sizes", "u32", &from.1)
                .reads_pairs("touches", &touches)
                .writes("places_out", "u32", &to.0)
                .writes("sizes_out", "u32", &to.1)
                .dispatch(&mut commands, &[slots as u32, hoods as u32])?;
            std::mem::swap(&mut from, &mut to);
            (hoods, slots) = (pairs, 2 * slots);
        }
        commands.submit()?;
        let (mut places, sizes) = from;
        places.truncate(crate::list::element_of(&sizes, 0)?.into());
        Ok(places)
    }

    /// Where the points at these places come from.
    fn input_positions(&self, places: &DeviceArray<u32>) -> Result<Vec<u32>> {
        let side = DeviceArray::<u32>::new(self.device, places.count())?;
        let mut commands = self.device.record();
        Elementwise::new(self.device, places.count(), "hull positions", include_str!("first_equal.wgsl"))
            .reads("keys", "vec2<u32>", &self.keys)
            .reads("positions", "u32", &self.positions)
            .reads("places", "u32", places)
            .writes("side", "u32", &side)
            .dispatch(&mut commands, &[])?;
        commands.submit()?;
        side.to_vec()
    }
}

/// Where the hoods of blocks go.
#[derive(Clone, Copy, Debug)]
enum Blocks<'a> {
    /// A flag for every point: 1 if it is left.
    Flags(&'a DeviceArray<u32>),
    /// What is left, in the first slots of every block, and how many that are.
    Hoods(&'a DeviceArray<u32>, &'a DeviceArray<u32>),
}

/// A kernel with the predicate and the search for tangents.
fn source(name: &'static str, text: &'static str, entry: &'static str, upper: bool) -> Source {
    Source::new(name, text, entry)
        .flag("UPPER", upper)
        .include(include_str!("turn.wgsl"))
        .include(include_str!("tangent.wgsl"))
}
