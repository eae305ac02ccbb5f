//! `euler_rmq`: the lowest common ancestor as a minimum over a range of the Euler tour, by any engine for range minima.
//!
//! Of two nodes, the tour between their entries meets their common ancestor, and nothing above it. Only entries are
//! needed of the tour, in preorder, each with its parent's place: behind the entry of the first node, up to that of
//! the second, the least parent is the common ancestor. So the array is half as long as the tour, and its minimum,
//! not the minimum's position, is the answer. Bender and Farach-Colton 2000.
//!
//! Work and memory: those of the range-minimum index, and 8 bytes a node.

use thalweg_core::{Coding, Order, Result};
use thalweg_trees::tree::lca::EulerRmqOptions;

use super::batch::Batch;
use crate::array::DeviceArray;
use crate::memory::Buffer;
use crate::primitives::elementwise::Elementwise;
use crate::recorder::Recorder;
use crate::rmq::Index;
use crate::tree::tour::EulerTour;

#[derive(Debug)]
pub(super) struct EulerRmq {
    preorder: DeviceArray<u32>,
    /// The nodes in preorder.
    order: DeviceArray<u32>,
    /// Of the place of every node's parent, plus 1; 0 for roots.
    minima: Index,
}

impl EulerRmq {
    pub(super) fn new(tour: &EulerTour, options: EulerRmqOptions) -> Result<Self> {
        let (device, len) = (tour.device(), tour.count());
        let above = DeviceArray::<u32>::new(device, len)?;
        let mut commands = device.record();
        Elementwise::new(device, len, "places of parents", include_str!("parents.wgsl"))
            .reads("parents", "u32", tour.parents())
            .reads("preorder", "u32", tour.preorder())
            .writes("above", "u32", &above)
            .dispatch(&mut commands, &[])?;
        commands.submit()?;
        let coding = Coding::of::<u32>(Order::Min);
        let minima = Index::over(above.keys().clone(), coding, options.rmq.unwrap_or_default())?;
        Ok(Self { preorder: tour.preorder().clone(), order: tour.order()?, minima })
    }

    pub(super) fn bytes(&self) -> usize {
        self.minima.device_bytes() + 12 * self.minima.len()
    }

    pub(super) fn record(&self, commands: &mut Recorder<'_>, batch: &Batch<'_>) -> Result<()> {
        let device = self.preorder.device();
        let count = u64::from(batch.count);
        let [ranges, least] = [device.words(2 * count, "ranges")?, device.words(count, "minima")?];
        let source = batch
            .source("euler_rmq ranges", include_str!("ranges.wgsl"))
            .reads_sharded("preorder", "u32", self.preorder.sharding())
            .writes("ranges", "vec2<u32>");
        let arrays: Vec<_> = self.preorder.bindings().chain([ranges.all()]).collect();
        batch.dispatch(commands, device, source, arrays)?;
        self.minima.record_values(commands, &ranges, &least, batch.bad_row, batch.count)?;
        let source = batch
            .source("euler_rmq nodes", include_str!("nodes.wgsl"))
            .reads("least", "u32")
            .reads_sharded("order", "u32", self.order.sharding())
            .writes_sharded("out", "u32", batch.out_sharding);
        let arrays: Vec<_> =
            [least.all()].into_iter().chain(self.order.bindings()).chain(batch.out.iter().cloned()).collect();
        batch.dispatch(commands, device, source, arrays)?;
        keep(commands, [ranges, least]);
        Ok(())
    }
}

fn keep(commands: &mut Recorder<'_>, buffers: [Buffer; 2]) {
    buffers.into_iter().for_each(|buffer| commands.keep(buffer));
}
