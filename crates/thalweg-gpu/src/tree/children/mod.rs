//! Children of all nodes, in compressed rows: a stable sort of the nodes by their parents.
//!
//! Work O(n) a digit of the sort; memory: 16 bytes a node while it runs.

use thalweg_core::Result;

use super::forest::Forest;
use crate::array::DeviceArray;
use crate::primitives::elementwise::Elementwise;
use crate::primitives::sort::sort_numbers;
use crate::primitives::{Op, inclusive_scan};

/// The children of every node, in increasing order.
///
/// Those of node `p` are `nodes[offsets[p]..offsets[p + 1]]`. The roots come behind all of them, as the children of a
/// node `n` that is not there: there are n + 2 offsets.
#[derive(Clone, Debug)]
pub struct Children {
    /// Where every node's children begin.
    pub offsets: DeviceArray<u32>,
    /// All nodes, by their parents.
    pub nodes: DeviceArray<u32>,
}

impl Forest {
    /// The children of every node, in increasing order, and the roots. Cycles are not noticed.
    ///
    /// Work O(n) a digit of a radix sort; memory: 16 bytes a node while it runs.
    pub fn children(&self) -> Result<Children> {
        Ok(run(self)?.0)
    }
}

/// Children, and the parents in their order; `n` for roots.
pub(super) fn run(forest: &Forest) -> Result<(Children, DeviceArray<u32>)> {
    let (device, len) = (forest.device(), forest.len());
    let keys = DeviceArray::<u32>::new(device, len)?;
    let mut commands = device.record();
    Elementwise::new(device, len, "parents of all", include_str!("parents.wgsl"))
        .reads("parents", "u32", forest.parents())
        .writes("keys", "u32", &keys)
        .dispatch(&mut commands, &[])?;
    commands.submit()?;
    let (sorted, nodes) = sort_numbers(&keys, len + 1)?;
    // The last child of every parent knows where the children end; those without children have what is before them.
    let ends = DeviceArray::<u32>::new(device, len + 2)?;
    let mut commands = device.record();
    Elementwise::statement(device, len + 2, "zeros", "ends_put(i, 0u);")
        .writes("ends", "u32", &ends)
        .dispatch(&mut commands, &[])?;
    Elementwise::new(device, len, "ends of children", include_str!("ends.wgsl"))
        .reads("keys", "u32", &sorted)
        .writes("ends", "u32", &ends)
        .dispatch(&mut commands, &[])?;
    commands.submit()?;
    let offsets = inclusive_scan(&ends, Op::Max)?;
    Ok((Children { offsets, nodes }, sorted))
}
