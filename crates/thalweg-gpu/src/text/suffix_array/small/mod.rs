//! Small groups: sorted in workgroup memory, by several steps of ranks at a time.
//!
//! Those whose ranks agree one step further on are compared by the ranks two steps on, and so on, before anybody's rank
//! changes: that costs a read for each of them, and no pass over memory.
//!
//! Where the ranks span several buffers, they are first gathered piece by piece, for one step: see
//! [`DeviceArray::windows`].

use thalweg_core::Result;

use super::Round;
use super::groups::{Groups, Sizes};
use crate::array::DeviceArray;
use crate::kernel::Source;
use crate::primitives::elementwise::Elementwise;
use crate::recorder::Recorder;
use crate::text::ITEMS;

/// Steps of a round at most, if more than one may be had.
pub(super) fn most_steps(ranks: &DeviceArray<u32>, most: u64) -> u64 {
    if ranks.sharding().is_some() { 1 } else { most }
}

/// Records the sorting of all groups that are small.
pub(super) fn record(commands: &mut Recorder<'_>, groups: &Groups, round: &Round<'_>) -> Result<()> {
    let Sizes { threads, items } = groups.sizes;
    let Round { sa, ranks, ahead, steps } = *round;
    let device = sa.device();
    let gathered = ranks.sharding().is_some().then(|| gather(commands, groups, round)).transpose()?;
    let mut source = Source::new("small groups", include_str!("sort.wgsl"), "small_groups")
        .constant("THREADS", threads)
        .constant("ITEMS", items)
        .reads_sharded("heads", "u32", groups.heads.sharding());
    source = match &gathered {
        Some(gathered) => {
            source.include(include_str!("ahead_gathered.wgsl")).reads_sharded("ahead", "u32", gathered.sharding())
        }
        None => source
            .include(include_str!("../second.wgsl"))
            .include(include_str!("ahead_looked_up.wgsl"))
            .reads_sharded("ranks", "u32", ranks.sharding()),
    };
    source = source.writes_sharded("sa", "u32", sa.sharding()).atomics_sharded("fresh", groups.fresh.sharding());
    let arrays = [&groups.heads, gathered.as_ref().unwrap_or(ranks), sa, &groups.fresh];
    let bindings: Vec<_> = arrays.into_iter().flat_map(|array| array.bindings()).collect();
    let params = [sa.count() as u32, groups.blocks() as u32, groups.heads.count() as u32, ahead, steps];
    commands.dispatch(&*device.kernel(&source)?, groups.blocks(), &bindings, &params)?;
    gathered.into_iter().for_each(|gathered| gathered.keep_in(commands));
    Ok(())
}

/// Records what every suffix is compared by, one step further on.
fn gather(commands: &mut Recorder<'_>, groups: &Groups, round: &Round<'_>) -> Result<DeviceArray<u32>> {
    let Round { sa, ranks, ahead, .. } = *round;
    let gathered = DeviceArray::<u32>::new(sa.device(), sa.count())?;
    for [start, len] in ranks.windows() {
        Elementwise::new(sa.device(), sa.count(), "ranks ahead", include_str!("gather.wgsl"))
            .items(ITEMS)
            .include(include_str!("../second.wgsl"))
            .reads("heads", "u32", &groups.heads)
            .reads("sa", "u32", sa)
            .reads("ranks", "u32", ranks)
            .writes("ahead", "u32", &gathered)
            .dispatch(commands, &[start, len, ahead])?;
    }
    Ok(gathered)
}
