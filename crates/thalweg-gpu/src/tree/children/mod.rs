//! Children of all nodes, in compressed rows: a stable sort of the nodes by their parents.
//!
//! Work O(n) a digit of the sort; memory: 16 bytes a node while it runs.

use thalweg_core::Result;

use super::parents::check_parents;
use crate::array::DeviceArray;
use crate::primitives::elementwise::Elementwise;
use crate::primitives::sort::sort_numbers;
use crate::primitives::{Op, inclusive_scan};

/// The children of every node, in increasing order.
///
/// Those of node `p` are the [`nodes`](Children::nodes) from its [offset](Children::offsets) on, up to the next one. The
/// roots come behind all of them.
///
/// ```no_run
/// use thalweg_gpu::{Choice, Device, tree::Children};
/// let device = Device::open(&Choice::Auto)?;
/// let children = Children::new(&device.upload(&[2u32, 0, 2, 2, 4])?)?;
/// assert_eq!(children.offsets().to_vec()?, [0, 1, 1, 3, 3, 3]);
/// assert_eq!(children.nodes().to_vec()?, [1, 0, 3, 2, 4]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Children {
    offsets: DeviceArray<u32>,
    nodes: DeviceArray<u32>,
}

impl Children {
    /// Sorts the nodes by their parents. A root is its own parent or has none.
    ///
    /// Work O(n) a digit of a radix sort; memory: 16 bytes a node while it runs.
    ///
    /// # Errors
    /// [`Error::Link`](thalweg_core::Error::Link) of the first node whose parent does not exist. Cycles are not looked for.
    pub fn new(parents: &DeviceArray<u32>) -> Result<Self> {
        check_parents(parents)?;
        Self::of_checked(parents)
    }

    /// The same of parents that are known to be nodes.
    pub(super) fn of_checked(parents: &DeviceArray<u32>) -> Result<Self> {
        let Rows { mut offsets, nodes, .. } = rows(parents)?;
        offsets.truncate(parents.count() + 1);
        Ok(Self { offsets, nodes })
    }

    /// Where every node's children begin in [`Children::nodes`]; the last entry is where the roots begin.
    pub fn offsets(&self) -> &DeviceArray<u32> {
        &self.offsets
    }

    /// All nodes: the children of node 0, of node 1, and so on, and the roots.
    pub fn nodes(&self) -> &DeviceArray<u32> {
        &self.nodes
    }
}

/// All nodes by their parents. The roots are the children of a node `n` that is not there.
#[derive(Debug)]
pub(super) struct Rows {
    /// Where every node's children begin, those of `n` among them, and where all of them end.
    pub(super) offsets: DeviceArray<u32>,
    pub(super) nodes: DeviceArray<u32>,
    /// The parents of `nodes`.
    pub(super) parents: DeviceArray<u32>,
}

pub(super) fn rows(parents: &DeviceArray<u32>) -> Result<Rows> {
    let (device, len) = (parents.device(), parents.count());
    let keys = DeviceArray::<u32>::new(device, len)?;
    let mut commands = device.record();
    Elementwise::new(device, len, "parents of all", include_str!("parents.wgsl"))
        .reads("parents", "u32", parents)
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
    Ok(Rows { offsets, nodes, parents: sorted })
}
