//! A map on the device: which neighbours of every cell are free, and costs.

use thalweg_core::{Error, Result};
use thalweg_graph::path::{Grid, Moves};

use super::units::Units;
use crate::array::DeviceArray;
use crate::device::Device;
use crate::kernel::Source;
use crate::memory::{Binding, Buffer};
use crate::primitives::elementwise::Elementwise;

/// Cells at most: entries of queues hold a cell and a direction in 32 bits.
const MOST_CELLS: usize = 1 << 28;

/// The least and the largest cost of a free cell, if kernels can count the lengths of the map's ways.
pub(super) fn checked_costs(grid: &Grid, moves: Moves) -> Result<[u32; 2]> {
    let (rows, cols, units) = (grid.rows(), grid.cols(), Units::of(moves));
    let refused = |reason: String| Error::NotOnDevice { problem: "path", engine: "buckets", reason };
    if grid.len() > MOST_CELLS {
        return Err(refused(format!("GPUs take maps of {MOST_CELLS} cells; the CPU takes {rows} x {cols}")));
    }
    let costs = grid.costs().unwrap_or(&[1]).iter().filter(|&&cost| cost > 0);
    let [least, largest] = costs.fold([u32::MAX, 0], |[least, most], &cost| [least.min(cost), most.max(cost)]);
    let least = least.min(largest.max(1));
    let step = u64::from(units.straight.max(units.diagonal));
    // The bound on what is left of a way, and two steps, must be lengths themselves.
    let longest = (rows + cols) as u64 * u64::from(least) * step;
    if longest.max(2 * u64::from(largest) * step) > units.most.into() {
        return Err(refused(format!(
            "GPUs have 32 bits for lengths, too few for costs from {least} to {largest} on {rows} x {cols} cells; the CPU \
             has 64"
        )));
    }
    Ok([least, largest.max(1)])
}

#[derive(Debug)]
pub(super) struct Map {
    pub(super) device: Device,
    pub(super) rows: u32,
    pub(super) cols: u32,
    pub(super) moves: Moves,
    pub(super) units: Units,
    /// The least and the largest cost of a free cell.
    pub(super) least: u32,
    pub(super) largest: u32,
    /// Four cells a word: which of a cell's eight neighbours are free.
    pub(super) around: Buffer,
    pub(super) costs: Option<DeviceArray<u32>>,
}

impl Map {
    pub(super) fn new(device: &Device, grid: &Grid, moves: Moves) -> Result<Self> {
        let (rows, cols, units) = (grid.rows(), grid.cols(), Units::of(moves));
        let [least, largest] = checked_costs(grid, moves)?;
        let around = device.words(grid.len().div_ceil(4) as u64, "neighbours")?;
        let free = device.upload(grid.free_words())?;
        let mut commands = device.record();
        Elementwise::new(device, grid.len().div_ceil(4) as u64, "neighbours", include_str!("around.wgsl"))
            .reads("free", "vec2<u32>", &free)
            .declare(|source| source.writes("around", "u32"), [around.all()].into_iter())
            .dispatch(&mut commands, &[rows as u32, cols as u32, cols.div_ceil(64) as u32])?;
        commands.submit()?;
        let costs = grid.costs().map(|costs| device.upload(costs)).transpose()?;
        let (rows, cols) = (rows as u32, cols as u32);
        Ok(Self { device: device.clone(), rows, cols, moves, units, least, largest, around, costs })
    }

    pub(super) fn cells(&self) -> u32 {
        self.rows * self.cols
    }

    /// A kernel that knows the map: first of its bindings are those of [`Map::bindings`].
    pub(super) fn source(&self, source: Source) -> Source {
        let source = source
            .constant("STRAIGHT", self.units.straight)
            .constant("DIAGONAL", self.units.diagonal)
            .constant("MOST", self.units.most)
            .flag("FOUR", self.moves == Moves::Four)
            .include(include_str!("grid.wgsl"))
            .reads("around", "u32");
        // What the step in a direction costs that ends in a cell.
        let step = "select(STRAIGHT, DIAGONAL, (way & 1u) != 0u)";
        match &self.costs {
            Some(costs) => source
                .reads_sharded("costs", "u32", costs.sharding())
                .include(&format!("fn step_to(cell: u32, way: u32) -> u32 {{ return costs_at(cell) * {step}; }}\n")),
            None => source.include(&format!("fn step_to(cell: u32, way: u32) -> u32 {{ return {step}; }}\n")),
        }
    }

    pub(super) fn bindings(&self) -> impl Iterator<Item = Binding<'_>> {
        std::iter::once(self.around.all()).chain(self.costs.iter().flat_map(DeviceArray::bindings))
    }
}
