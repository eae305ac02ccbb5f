//! `inlabel`: the labels of a forest, from its Euler tour, and their answers. See [`crate::inlabel`].

use thalweg_core::Result;

use super::batch::Batch;
use crate::array::DeviceArray;
use crate::device::Device;
use crate::inlabel::Inlabel;
use crate::recorder::Recorder;
use crate::tree::tour::Ranges;

/// The labels of a forest, from its subtrees' ranges in preorder.
pub(super) fn of_ranges(parents: &DeviceArray<u32>, ranges: &Ranges) -> Result<Inlabel> {
    let (device, len) = (parents.device(), parents.count());
    let mut commands = device.record();
    let labels = Inlabel::record(&mut commands, device, len, len + 1, |kernel| {
        kernel
            .include(include_str!("tour.wgsl"))
            .reads("parents", "u32", parents)
            .reads("preorder", "u32", &ranges.preorder)
            .reads("sizes", "u32", &ranges.sizes)
    })?;
    commands.submit()?;
    Ok(labels)
}

/// Records the answers to a batch.
pub(super) fn record(commands: &mut Recorder<'_>, device: &Device, labels: &Inlabel, batch: &Batch<'_>) -> Result<()> {
    let source = batch.source("inlabel query", include_str!("query.wgsl"));
    let source = labels.declare(source).writes_sharded("out", "u32", batch.out_sharding);
    let own = labels.bindings().chain(batch.out.iter().cloned()).collect();
    batch.dispatch(commands, device, source, own)
}
