//! `inlabel`: the labels of a forest, from its subtrees' ranges in preorder, and their answers. See [`crate::inlabel`].

use thalweg_core::Result;

use super::batch::Batch;
use crate::array::DeviceArray;
use crate::device::Device;
use crate::inlabel::Inlabel;
use crate::primitives::elementwise::Elementwise;
use crate::recorder::Recorder;
use crate::tree::tour::{EulerTour, Ranges, ranges};

/// The labels of a forest. Numbers are preorder, after the number 1 of a node above all roots.
pub(super) fn of_parents(parents: &DeviceArray<u32>) -> Result<Inlabel> {
    if parents.is_empty() {
        return Inlabel::new(parents.device(), 0, 1);
    }
    let Ranges { pairs, spare } = ranges(parents)?;
    let index = Inlabel { records: pairs, above: spare };
    let mut commands = parents.device().record();
    index.record_in_place(&mut commands, parents.count() + 1, |kernel| with_parents(kernel, parents))?;
    commands.submit()?;
    Ok(index)
}

/// The same from a tour that is there already.
pub(super) fn of_tour(tour: &EulerTour) -> Result<Inlabel> {
    let index = Inlabel::new(tour.device(), tour.count(), tour.count() + 1)?;
    let mut commands = tour.device().record();
    index.record(&mut commands, tour.count() + 1, |kernel| {
        with_parents(kernel, tour.parents())
            .include(include_str!("tour.wgsl"))
            .reads("preorder", "u32", tour.preorder())
            .reads("sizes", "u32", tour.sizes())
    })?;
    commands.submit()?;
    Ok(index)
}

/// Declares `parent_of(i)`.
fn with_parents<'a>(kernel: Elementwise<'a>, parents: &'a DeviceArray<u32>) -> Elementwise<'a> {
    kernel.include(include_str!("parent.wgsl")).reads("parents", "u32", parents)
}

/// Records the answers to a batch.
pub(super) fn record(commands: &mut Recorder<'_>, device: &Device, labels: &Inlabel, batch: &Batch<'_>) -> Result<()> {
    let source = batch.source("inlabel query", include_str!("query.wgsl"));
    let source = labels.declare(source).writes_sharded("out", "u32", batch.out_sharding);
    let own = labels.bindings().chain(batch.out.iter().cloned()).collect();
    batch.dispatch(commands, device, source, own)
}
