//! Common prefixes at the boundaries that a round finds.
//!
//! Where a group breaks after h symbols, the suffixes on both sides agree for h symbols and then as far as the suffixes h
//! further on do. Those broke apart in an earlier round, so that is a minimum over the boundaries known by then between
//! their ranks; unknown ones are no less than h and stand as infinity. Every boundary is made once: n range minima in all,
//! over levels of minima that are made anew in every round.

use thalweg_core::Result;

use super::Round;
use super::groups::Groups;
use crate::array::DeviceArray;
use crate::primitives::elementwise::Elementwise;
use crate::recorder::Recorder;
use crate::text::ITEMS;
use crate::text::range_minima::Minima;

/// Records what neighbours have in common at fresh heads.
pub(super) fn record(
    commands: &mut Recorder<'_>,
    groups: &Groups,
    round: &Round<'_>,
    lcp: &DeviceArray<u32>,
) -> Result<()> {
    let Round { sa, ranks, ahead, steps } = *round;
    let (device, len) = (sa.device(), sa.count());
    // To a place of their own first: range minima go on meanwhile.
    let prefixes = DeviceArray::<u32>::new(device, len)?;
    let minima = Minima::record(commands, lcp)?;
    minima.dispatch(
        commands,
        ("broken groups", include_str!("broken.wgsl")),
        len,
        [ahead, steps, 0],
        |source| {
            source
                .include(include_str!("../second.wgsl"))
                .reads_sharded("fresh", "u32", groups.fresh.sharding())
                .reads_sharded("sa", "u32", sa.sharding())
                .reads_sharded("ranks", "u32", ranks.sharding())
                .writes_sharded("prefixes", "u32", prefixes.sharding())
        },
        [&groups.fresh, sa, ranks, &prefixes].into_iter().flat_map(|array| array.bindings()).collect(),
    )?;
    minima.keep_in(commands);
    Elementwise::new(device, len, "place lcp", include_str!("place.wgsl"))
        .items(ITEMS)
        .reads("fresh", "u32", &groups.fresh)
        .reads("prefixes", "u32", &prefixes)
        .writes("lcp", "u32", lcp)
        .dispatch(commands, &[])?;
    prefixes.keep_in(commands);
    Ok(())
}
