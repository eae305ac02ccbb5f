//! Fork: every parent gets its children.
//!
//! BSGP's `thread.fork` (Hou et al. 2008) scans the child counts and fills in the parents by doubling: log2(m) rounds, m
//! being the largest family. Here every child looks its parent up in the scanned counts: one round.

use thalweg_core::{Error, Result};

use super::combine::{Combining, Op, count32};
use super::reduce::{self, read_value};
use super::scan::Job;
use super::sizes;
use crate::array::DeviceArray;
use crate::kernel::Source;

/// A generation: where everybody's children are, and whose child everybody is.
#[derive(Clone, Debug)]
pub struct Fork {
    /// Where each parent's children begin; one entry more than there are parents, the last is the number of children.
    pub offsets: DeviceArray<u32>,
    /// The parent of every child.
    pub parents: DeviceArray<u32>,
    /// Which child of its parent every child is, from 0.
    pub ranks: DeviceArray<u32>,
}

/// The children of `counts.len()` parents, of whom parent `p` has `counts[p]`.
///
/// More than 2³² - 1 children are an error.
///
/// Work O(n + m log p) for n parents and m children, p being the number of parents whose children a workgroup places;
/// extra memory: the result.
///
/// ```no_run
/// # let device = thalweg_gpu::Device::open(&thalweg_gpu::Choice::Auto)?;
/// let family = thalweg_gpu::primitives::fork(&device.upload(&[2u32, 0, 3])?)?;
/// assert_eq!(family.offsets.to_vec()?, [0, 2, 2, 5]);
/// assert_eq!(family.parents.to_vec()?, [0, 0, 2, 2, 2]);
/// assert_eq!(family.ranks.to_vec()?, [0, 1, 0, 1, 2]);
/// # Ok::<(), thalweg_core::Error>(())
/// ```
pub fn fork(counts: &DeviceArray<u32>) -> Result<Fork> {
    let device = counts.device();
    let parents = count32(counts.count(), "fork")?;
    let offsets = DeviceArray::new(device, counts.count() + 1)?;
    let (start, _, last) = offsets.pieces().last().expect("at least one shard");
    let end = 4 * (counts.count() - start);
    let mut commands = device.record();
    if counts.is_empty() {
        commands.clear(last, 4);
        commands.submit()?;
        return Ok(Fork { offsets, parents: DeviceArray::new(device, 0)?, ranks: DeviceArray::new(device, 0)? });
    }
    // The total may not fit 32 bits.
    let (wide, sum) = (Combining::widened_sum(), Combining::values(Op::Sum, 2));
    let all = reduce::record(&mut commands, device, &wide, &sum, &counts.packs(), sizes::reduce(device))?;
    let job = Job::of_counts(device, counts.count());
    let total = job.record(&mut commands, &Combining::values(Op::Sum, 1), &counts.packs(), &offsets.packs())?;
    commands.copy((&total, 0), (last, end), 4);
    commands.submit()?;
    let children = read_value(device, &all, 2)?;
    let Ok(children32) = u32::try_from(children) else {
        return Err(Error::device_limit(format!("fork: {children} children are more than 32-bit positions reach")));
    };
    let family =
        Fork { offsets, parents: DeviceArray::new(device, children)?, ranks: DeviceArray::new(device, children)? };
    let (threads, items) = sizes::fork(device);
    let tiles = children.div_ceil(u64::from(threads * items));
    let source = Source::new("fork", include_str!("fork.wgsl"), "fork")
        .constant("THREADS", threads)
        .constant("ITEMS", items)
        .reads_sharded("offsets", "u32", family.offsets.sharding())
        .writes_sharded("parents_of", "u32", family.parents.sharding())
        .writes_sharded("ranks", "u32", family.ranks.sharding());
    let buffers: Vec<_> =
        family.offsets.bindings().chain(family.parents.bindings()).chain(family.ranks.bindings()).collect();
    let mut commands = device.record();
    commands.dispatch(&*device.kernel(&source)?, tiles, &buffers, &[parents, children32, tiles as u32])?;
    commands.submit()?;
    Ok(family)
}
