//! Small groups: sorted in workgroup memory, by several steps of ranks at a time.
//!
//! Those whose ranks agree one step further on are compared by the ranks two steps on, and so on, before anybody's rank
//! changes: that costs a read for each of them, and no pass over memory.

use thalweg_core::Result;

use super::Round;
use super::groups::{Groups, Sizes};
use crate::kernel::Source;
use crate::recorder::Recorder;

/// Records the sorting of all groups that are small.
pub(super) fn record(commands: &mut Recorder<'_>, groups: &Groups, round: &Round<'_>) -> Result<()> {
    let Sizes { threads, items } = groups.sizes;
    let Round { sa, ranks, ahead, steps } = *round;
    let device = sa.device();
    let source = Source::new("small groups", include_str!("sort.wgsl"), "small_groups")
        .constant("THREADS", threads)
        .constant("ITEMS", items)
        .include(include_str!("../second.wgsl"))
        .reads_sharded("heads", "u32", groups.heads.sharding())
        .reads_sharded("ranks", "u32", ranks.sharding())
        .writes_sharded("sa", "u32", sa.sharding())
        .atomics_sharded("fresh", groups.fresh.sharding());
    let arrays = [&groups.heads, ranks, sa, &groups.fresh];
    let bindings: Vec<_> = arrays.into_iter().flat_map(|array| array.bindings()).collect();
    let params = [sa.count() as u32, groups.blocks() as u32, groups.heads.count() as u32, ahead, steps];
    commands.dispatch(&*device.kernel(&source)?, groups.blocks(), &bindings, &params)
}
