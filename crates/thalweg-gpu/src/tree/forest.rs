//! Forests as arrays of parents, and what every engine needs of them.

use thalweg_core::{Error, Result};

use crate::array::DeviceArray;
use crate::device::Device;
use crate::list;
use crate::primitives::elementwise::Elementwise;
use crate::transfer::read_word;

/// A forest, given by the parent of every node.
///
/// ```no_run
/// use thalweg_gpu::{Choice, Device, tree::Forest};
/// let device = Device::open(&Choice::Auto)?;
/// // 2 is the root of 0, 3 and 4, 0 that of 1; 5 is alone.
/// let forest = Forest::from_parents(device.upload(&[2, 0, 2, 2, 2, u32::MAX])?)?;
/// assert_eq!(forest.depths()?.depths.to_vec()?, [1, 2, 0, 1, 1, 0]);
/// assert_eq!(forest.tour()?.preorder.to_vec()?, [1, 2, 0, 3, 4, 5]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Forest {
    parents: DeviceArray<u32>,
    pub(super) list: list::Builder,
}

impl Forest {
    /// The forest of these parents. A parent that is no node is an error that names the first node that has one. A
    /// cycle is found by what is computed from the parents, and is an error then that names the first node on one.
    pub fn from_parents(parents: DeviceArray<u32>) -> Result<Self> {
        let len = parents.len();
        if len > list::MOST - 1 {
            return Err(Error::device_limit(format!("forest of {len} nodes: more than {}", list::MOST - 1)));
        }
        if let Some((element, to)) = first_bad(&parents, len, true)? {
            return Err(Error::Link { what: "node", element: element as usize, to: to.into(), len: len as usize });
        }
        Ok(Self { parents, list: list::Builder::new() })
    }

    /// How many nodes there are.
    pub fn len(&self) -> u64 {
        self.parents.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// The device that holds it.
    pub fn device(&self) -> &Device {
        self.parents.device()
    }

    /// The parent of every node, as given.
    pub fn parents(&self) -> &DeviceArray<u32> {
        &self.parents
    }

    /// For measurements and tests: how Euler tours are ranked.
    #[doc(hidden)]
    pub fn list_builder(mut self, list: list::Builder) -> Self {
        self.list = list;
        self
    }

    /// The error for parents with a cycle: names the first node on one. By walking on the host, as there is no result
    /// to compute any more.
    pub(super) fn cycle(&self) -> Result<Error> {
        let parents = self.parents.to_vec()?;
        let mut seen_by = vec![u32::MAX; parents.len()];
        let mut first = parents.len();
        for start in 0..parents.len() {
            let mut at = start;
            while seen_by[at] == u32::MAX {
                seen_by[at] = start as u32;
                match parents[at] as usize {
                    up if parents[at] != u32::MAX && up != at => at = up,
                    _ => break,
                }
            }
            // A way that meets itself, and not at a root, is a cycle from there on.
            if seen_by[at] == start as u32 && parents[at] != u32::MAX && parents[at] as usize != at {
                let mut on = at;
                loop {
                    first = first.min(on);
                    on = parents[on] as usize;
                    if on == at {
                        break;
                    }
                }
            }
        }
        Ok(Error::Cycle { what: "node", element: first.min(parents.len().saturating_sub(1)) })
    }
}

/// The first entry that is no node, and what it is. With `or_none`, `u32::MAX` is allowed.
pub(super) fn first_bad(nodes: &DeviceArray<u32>, len: u64, or_none: bool) -> Result<Option<(u32, u32)>> {
    let device = nodes.device();
    let bad = device.words(1, "entries that are no nodes")?;
    let mut commands = device.record();
    commands.clear(&bad, 4);
    Elementwise::new(device, nodes.len(), "check nodes", include_str!("check.wgsl"))
        .flag("OR_NONE", or_none)
        .reads("nodes", "u32", nodes)
        .declare(|source| source.atomics("bad"), [bad.all()].into_iter())
        .dispatch(&mut commands, &[len as u32])?;
    commands.submit()?;
    match read_word(device, &bad, 0)? {
        0 => Ok(None),
        bad => Ok(Some((!bad, list::element_of(nodes, (!bad).into())?))),
    }
}
