//! Large groups: listed, sorted by our radix sort, and put back.
//!
//! By ranks further on first, then, stable, by the groups' numbers, of which there are few: both are numbers of 32 bits, and
//! the second takes a pass or two.

use thalweg_core::Result;

use super::Round;
use super::groups::Groups;
use crate::array::DeviceArray;
use crate::device::Device;
use crate::memory::Buffer;
use crate::primitives::elementwise::Elementwise;
use crate::primitives::sort::sort_consuming;
use crate::primitives::{Op, inclusive_scan};
use crate::text::ITEMS;

/// How the large groups are spread over the blocks.
#[derive(Debug)]
pub(super) struct Blocks {
    /// For every block, suffixes of large groups in it and before.
    members: DeviceArray<u32>,
    /// For every block, large groups that begin in it or before.
    begins: DeviceArray<u32>,
}

/// The large groups, of which there are some.
#[derive(Debug)]
pub(super) struct Large {
    pub(super) blocks: Blocks,
    /// Suffixes of large groups.
    pub(super) count: u64,
    pub(super) groups: u64,
}

/// A kernel that knows the large groups.
fn kernel<'a>(
    device: &'a Device,
    groups: &'a Groups,
    count: u64,
    name: &'static str,
    text: &'static str,
) -> Elementwise<'a> {
    Elementwise::new(device, count, name, text)
        .constant("BLOCK", groups.sizes.block() as u32)
        .include(include_str!("group.wgsl"))
        .reads("last", "u32", &groups.last)
        .reads("first", "u32", &groups.first)
}

/// Looks for large groups, after a survey. How many suffixes they have, and how many groups there are, is added to the
/// second and third word of `found`.
pub(super) fn find(groups: &Groups, len: u64, found: &Buffer) -> Result<Blocks> {
    let device = groups.heads.device();
    let array = || DeviceArray::<u32>::new(device, groups.blocks());
    let (members, begins) = (array()?, array()?);
    let mut commands = device.record();
    kernel(device, groups, groups.blocks(), "large groups", include_str!("count.wgsl"))
        .writes("members", "u32", &members)
        .writes("begins", "u32", &begins)
        .declare(|source| source.atomics("found"), [found.all()].into_iter())
        .dispatch(&mut commands, &[len as u32])?;
    commands.submit()?;
    Ok(Blocks { members: inclusive_scan(&members, Op::Sum)?, begins: inclusive_scan(&begins, Op::Sum)? })
}

/// Sorts them by the ranks one step further on.
pub(super) fn sort(large: &Large, groups: &Groups, round: &Round<'_>) -> Result<()> {
    let &Large { blocks: Blocks { ref members, ref begins }, count, groups: number } = large;
    let Round { sa, ranks, ahead, .. } = *round;
    let (device, len, blocks) = (sa.device(), sa.count(), groups.blocks() as u32);
    // All as large as can be, so that they take each other's memory in every round.
    let array = || -> Result<DeviceArray<u32>> {
        let mut array = DeviceArray::new(device, len)?;
        array.truncate(count);
        Ok(array)
    };
    let (places, keys) = (array()?, array()?);
    let mut commands = device.record();
    kernel(device, groups, len, "list of large groups", include_str!("list.wgsl"))
        .items(ITEMS)
        .include(include_str!("../second.wgsl"))
        .reads("members", "u32", members)
        .reads("sa", "u32", sa)
        .reads("ranks", "u32", ranks)
        .writes("places", "u32", &places)
        .writes("keys", "u32", &keys)
        .dispatch(&mut commands, &[blocks, ahead])?;
    commands.submit()?;
    // Ranks further on are at most the length.
    let mut order = sort_consuming(keys, None, u64::BITS - len.leading_zeros(), len)?;
    if number > 1 {
        let keys = array()?;
        let mut commands = device.record();
        kernel(device, groups, count, "numbers of large groups", include_str!("number.wgsl"))
            .reads("begins", "u32", begins)
            .reads("places", "u32", &places)
            .reads("order", "u32", &order)
            .writes("keys", "u32", &keys)
            .dispatch(&mut commands, &[blocks, len as u32])?;
        commands.submit()?;
        order = sort_consuming(keys, Some(order), u64::BITS - (number - 1).leading_zeros(), len)?;
    }
    let (taken, keys) = (array()?, array()?);
    let mut commands = device.record();
    Elementwise::new(device, count, "large groups, taken", include_str!("take.wgsl"))
        .include(include_str!("../second.wgsl"))
        .reads("sa", "u32", sa)
        .reads("ranks", "u32", ranks)
        .reads("places", "u32", &places)
        .reads("order", "u32", &order)
        .writes("taken", "u32", &taken)
        .writes("keys", "u32", &keys)
        .dispatch(&mut commands, &[ahead, len as u32])?;
    Elementwise::new(device, count, "large groups, put", include_str!("put.wgsl"))
        .reads("places", "u32", &places)
        .reads("taken", "u32", &taken)
        .reads("keys", "u32", &keys)
        .reads("heads", "u32", &groups.heads)
        .writes("sa", "u32", sa)
        .declare(|source| source.atomics_sharded("fresh", groups.fresh.sharding()), groups.fresh.bindings())
        .dispatch(&mut commands, &[])?;
    commands.submit()?;
    Ok(())
}
