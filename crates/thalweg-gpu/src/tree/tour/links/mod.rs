//! The tour as a list: what is behind all entries and exits, and where it begins.

use thalweg_core::Result;

use crate::array::DeviceArray;
use crate::primitives::elementwise::Elementwise;
use crate::tree::children::{Rows, rows};

/// Neighbours in memory with one parent that become its children at once, at most: a parent of all nodes is then asked for
/// fewer times, one after the other.
const RUN: u32 = 64;

/// Two links a node, and, behind them, one to the first root, and room: see `step_tour.wgsl`.
fn links(parents: &DeviceArray<u32>) -> Result<DeviceArray<u32>> {
    DeviceArray::new(parents.device(), 2 * parents.count() + 4)
}

/// With children and roots in increasing order: the nodes are sorted by their parents.
pub(super) fn in_order(parents: &DeviceArray<u32>) -> Result<DeviceArray<u32>> {
    let (device, len) = (parents.device(), parents.count());
    // These first: what they worked with serves again.
    let Rows { offsets, nodes, parents: keys } = rows(parents)?;
    let links = links(parents)?;
    let mut commands = device.record();
    Elementwise::new(device, len, "entries", include_str!("entries.wgsl"))
        .reads("offsets", "u32", &offsets)
        .reads("nodes", "u32", &nodes)
        .writes("links", "u32", &links)
        .dispatch(&mut commands, &[])?;
    Elementwise::new(device, len, "exits", include_str!("exits.wgsl"))
        .reads("keys", "u32", &keys)
        .reads("nodes", "u32", &nodes)
        .writes("links", "u32", &links)
        .dispatch(&mut commands, &[])?;
    commands.submit()?;
    Ok(links)
}

/// With children and roots as they come, in another order every time: without a sort, and with no more memory.
pub(super) fn in_any_order(parents: &DeviceArray<u32>) -> Result<DeviceArray<u32>> {
    let (device, len) = (parents.device(), parents.count());
    let links = links(parents)?;
    let mut commands = device.record();
    // Nobody has a child yet. The roots are the children of a node behind all others.
    Elementwise::statement(device, len + 1, "no children yet", "links_put(2u * i, 0u);")
        .writes("links", "u32", &links)
        .dispatch(&mut commands, &[])?;
    Elementwise::new(device, len, "siblings", include_str!("siblings.wgsl"))
        .constant("RUN", RUN)
        .reads("parents", "u32", parents)
        .declare(|source| source.atomics_sharded("links", links.sharding()), links.bindings())
        .dispatch(&mut commands, &[])?;
    commands.submit()?;
    Ok(links)
}
