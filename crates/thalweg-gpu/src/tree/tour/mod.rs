//! Euler tours: from the children's lists to a list of entries and exits, which is ranked.
//!
//! Node v is entered by element 2v of the list and left by element 2v + 1. An entry is followed by that of the first
//! child, or by the node's own exit; an exit by the entry of the next sibling, or by the exit of the parent. The
//! roots are siblings, so there is one list for the whole forest. Entries and exits are counted apart, in one walk:
//! the entries before a node's own are its place in preorder, the exits before its own its place in postorder, and
//! their difference is its depth. Tarjan and Vishkin 1985.
//!
//! Work O(n); memory: 70 bytes a node while it runs, most of it for the ranking.
//!
//! *Measured* on an H200, random tree of 2^26 nodes: 22.6 ms, of which the sort by parents 2.8, the links 4.6, the
//! walk 12.3, the last pass 1.4.

use thalweg_core::{Error, Result};

use super::children;
use super::forest::Forest;
use crate::array::DeviceArray;
use crate::device::Device;
use crate::list::{Builder, Direction, Form, Heads, Input, STATUS, Status};
use crate::primitives::elementwise::Elementwise;
use crate::primitives::{Op, inclusive_scan};

/// The order of an Euler tour: what is known of every node from it.
#[derive(Clone, Debug)]
pub struct Tour {
    /// Every node's place in preorder: nodes before their children, children and roots in increasing order.
    pub preorder: DeviceArray<u32>,
    /// Nodes of every node's subtree, itself included. They follow it in preorder.
    pub sizes: DeviceArray<u32>,
    /// Every node's distance to its root.
    pub levels: DeviceArray<u32>,
}

impl Tour {
    pub(super) fn len(&self) -> u64 {
        self.preorder.len()
    }

    pub(super) fn device(&self) -> &Device {
        self.preorder.device()
    }

    /// An array that follows from a node's place `pre`, subtree `size` and `depth`: `put` writes the part of node `i`.
    fn derived(&self, put: &'static str) -> Result<DeviceArray<u32>> {
        let out = DeviceArray::new(self.device(), self.len())?;
        let mut commands = self.device().record();
        Elementwise::new(self.device(), self.len(), "tour", include_str!("derived.wgsl"))
            .include(&format!("fn derive(i: u32, pre: u32, size: u32, depth: u32) {{ {put} }}\n"))
            .reads("preorder", "u32", &self.preorder)
            .reads("sizes", "u32", &self.sizes)
            .reads("depths", "u32", &self.levels)
            .writes("out", "u32", &out)
            .dispatch(&mut commands, &[])?;
        commands.submit()?;
        Ok(out)
    }

    /// Every node's place in postorder: nodes behind their children.
    pub fn postorder(&self) -> Result<DeviceArray<u32>> {
        self.derived("out_put(i, pre + size - 1u - depth);")
    }

    /// Where every node is entered: a place among the 2n entries and exits.
    pub fn enter(&self) -> Result<DeviceArray<u32>> {
        self.derived("out_put(i, 2u * pre - depth);")
    }

    /// Where every node is left.
    pub fn exit(&self) -> Result<DeviceArray<u32>> {
        self.derived("out_put(i, 2u * (pre + size) - depth - 1u);")
    }

    /// The nodes in preorder.
    pub fn order(&self) -> Result<DeviceArray<u32>> {
        self.derived("out_put(pre, i);")
    }

    /// The root of every node's tree: the last node of depth 0 before a node in preorder, or the node itself.
    pub(super) fn roots(&self, forest: &Forest) -> Result<DeviceArray<u32>> {
        let (device, len) = (forest.device(), forest.len());
        // The places of the roots in preorder, and then the last root up to every place.
        let starts = DeviceArray::<u32>::new(device, len)?;
        let mut commands = device.record();
        Elementwise::new(device, len, "starts", include_str!("starts.wgsl"))
            .reads("preorder", "u32", &self.preorder)
            .reads("depths", "u32", &self.levels)
            .writes("starts", "u32", &starts)
            .dispatch(&mut commands, &[])?;
        commands.submit()?;
        let starts = inclusive_scan(&starts, Op::Max)?;
        let order = self.order()?;
        let roots = DeviceArray::<u32>::new(device, len)?;
        let mut commands = device.record();
        Elementwise::statement(device, len, "roots", "roots_put(i, order_at(starts_at(preorder_at(i))));")
            .reads("preorder", "u32", &self.preorder)
            .reads("starts", "u32", &starts)
            .reads("order", "u32", &order)
            .writes("roots", "u32", &roots)
            .dispatch(&mut commands, &[])?;
        commands.submit()?;
        Ok(roots)
    }
}

/// Nodes at most: their entries and exits are ranked.
pub(super) const MOST: u64 = crate::list::MOST / 2;

impl Forest {
    /// The Euler tour: preorder, sizes and depths, and what follows from them. At most 2^30 nodes.
    ///
    /// Work O(n) and that of [`Forest::children`]; memory: 70 bytes a node while it runs.
    pub fn tour(&self) -> Result<Tour> {
        run(self, self.list)
    }
}

/// The tour of a forest.
fn run(forest: &Forest, list: Builder) -> Result<Tour> {
    let (device, len) = (forest.device(), forest.len());
    if len > MOST {
        return Err(Error::device_limit(format!("Euler tour of {len} nodes: more than {MOST}")));
    }
    let array = || DeviceArray::<u32>::new(device, len);
    let tour = Tour { preorder: array()?, sizes: array()?, levels: array()? };
    if len == 0 {
        return Ok(tour);
    }
    let (children, parents) = children::run(forest)?;
    let links = DeviceArray::<u32>::new(device, 2 * len)?;
    let head = DeviceArray::<u32>::new(device, 1)?;
    let status = device.words(STATUS, "status of lists")?;
    let mut commands = device.record();
    commands.clear(&status, 4 * STATUS);
    Elementwise::new(device, len, "entries", include_str!("entries.wgsl"))
        .reads("offsets", "u32", &children.offsets)
        .reads("nodes", "u32", &children.nodes)
        .writes("links", "u32", &links)
        .writes("head", "u32", &head)
        .dispatch(&mut commands, &[])?;
    Elementwise::new(device, len, "exits", include_str!("exits.wgsl"))
        .reads("keys", "u32", &parents)
        .reads("nodes", "u32", &children.nodes)
        .writes("links", "u32", &links)
        .dispatch(&mut commands, &[])?;
    let lists = list.lists(device, Form::Two, Direction::FromHead, &status, 2 * len);
    let marked = lists.record(&mut commands, Input::Tour(&links), Heads::Listed(&head), 2 * len as u32)?;
    Elementwise::new(device, len, "tour", include_str!("counts.wgsl"))
        .declare(|source| marked.declare(source.include(Form::Two.text())), marked.bindings())
        .writes("preorder", "u32", &tour.preorder)
        .writes("sizes", "u32", &tour.sizes)
        .writes("depths", "u32", &tour.levels)
        .dispatch(&mut commands, &[marked.sublists()])?;
    let visits = marked.visits();
    marked.keep_in(&mut commands);
    commands.submit()?;
    let state = Status::read(device, &status)?;
    // The entries and exits of nodes on cycles, and below, are on no list from a root.
    if state.cycle || state.visited != visits {
        return Err(forest.cycle()?);
    }
    Ok(tour)
}
