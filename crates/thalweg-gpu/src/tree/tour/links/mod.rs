//! The tour as a list: the links behind all entries and exits, and where it begins.

use thalweg_core::Result;

use crate::array::DeviceArray;
use crate::primitives::elementwise::Elementwise;
use crate::tree::children::{Rows, rows};

/// Neighbours in memory with one parent that become its children at once, at most: a parent of all nodes is then asked for
/// fewer times, one after the other.
const RUN: u32 = 64;

/// The links, two a node, and the first element.
#[derive(Debug)]
pub(super) struct Links {
    pub(super) links: DeviceArray<u32>,
    pub(super) head: DeviceArray<u32>,
}

impl Links {
    fn new(parents: &DeviceArray<u32>) -> Result<Self> {
        let device = parents.device();
        Ok(Self { links: DeviceArray::new(device, 2 * parents.count())?, head: DeviceArray::new(device, 1)? })
    }

    /// With children and roots in increasing order: the nodes are sorted by their parents.
    pub(super) fn in_order(parents: &DeviceArray<u32>) -> Result<Self> {
        let (device, len) = (parents.device(), parents.count());
        // These first: what they worked with serves again.
        let Rows { offsets, nodes, parents: keys } = rows(parents)?;
        let this = Self::new(parents)?;
        let mut commands = device.record();
        Elementwise::new(device, len, "entries", include_str!("entries.wgsl"))
            .reads("offsets", "u32", &offsets)
            .reads("nodes", "u32", &nodes)
            .writes("links", "u32", &this.links)
            .writes("head", "u32", &this.head)
            .dispatch(&mut commands, &[])?;
        Elementwise::new(device, len, "exits", include_str!("exits.wgsl"))
            .reads("keys", "u32", &keys)
            .reads("nodes", "u32", &nodes)
            .writes("links", "u32", &this.links)
            .dispatch(&mut commands, &[])?;
        commands.submit()?;
        Ok(this)
    }

    /// With children and roots as they come, in another order every time: without a sort, and with a word a node where it
    /// takes five.
    pub(super) fn in_any_order(parents: &DeviceArray<u32>) -> Result<Self> {
        let (device, len) = (parents.device(), parents.count());
        let this = Self::new(parents)?;
        // The child of every node that came last, counted from 1; the roots are the children of a node behind all others.
        let first = DeviceArray::<u32>::new(device, len + 1)?;
        let mut commands = device.record();
        Elementwise::statement(device, len + 1, "zeros", "first_put(i, 0u);")
            .writes("first", "u32", &first)
            .dispatch(&mut commands, &[])?;
        Elementwise::new(device, len, "siblings", include_str!("siblings.wgsl"))
            .constant("RUN", RUN)
            .reads("parents", "u32", parents)
            .writes("links", "u32", &this.links)
            .declare(|source| source.atomics_sharded("first", first.sharding()), first.bindings())
            .dispatch(&mut commands, &[])?;
        Elementwise::new(device, len, "first children", include_str!("first_children.wgsl"))
            .reads("first", "u32", &first)
            .writes("links", "u32", &this.links)
            .writes("head", "u32", &this.head)
            .dispatch(&mut commands, &[])?;
        first.keep_in(&mut commands);
        commands.submit()?;
        Ok(this)
    }
}
