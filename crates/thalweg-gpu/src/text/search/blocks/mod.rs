//! Every thread compares at 32 positions of its own and sets a bit for each that is a place; the bits are counted, the counts
//! summed up, and every thread writes its places where they belong. So they come in increasing order.
//!
//! A position costs one comparison of four bytes, and only where these agree more of the pattern is read, four bytes at a
//! time. Patterns of more than [`HEAD`] bytes are compared in rounds, in which only the places stay that have agreed so far: no
//! thread loops for long, which devices do not like. O(n) where mismatches come early, O(n m) at worst, for texts like
//! aaaa. Memory: a word for bits and one for counts and their sums every 32 positions, and the result, twice in rounds.

use thalweg_core::Result;

use super::pattern::{LAST_BITS, Pattern};
use crate::array::DeviceArray;
use crate::primitives::elementwise::Elementwise;
use crate::primitives::{Op, compact, exclusive_scan};
use crate::text::device_text::Text;

/// Bytes of the pattern that are compared at once, and in every round after that. Not measured.
const HEAD: usize = 64;
const ROUND: usize = 1 << 15;

/// The pattern is not empty and not longer than the text.
pub(super) fn find(text: &Text, pattern: &[u8]) -> Result<DeviceArray<u32>> {
    let device = text.device();
    let m = pattern.len();
    let possible = text.count() - m as u64 + 1;
    let groups = possible.div_ceil(32);
    let pattern = Pattern::upload(device, pattern)?;
    let [bits, counts] = [DeviceArray::<u32>::new(device, groups)?, DeviceArray::<u32>::new(device, groups)?];
    let mut commands = device.record();
    text.kernel(groups, "search blocks", include_str!("compare.wgsl"))
        .include(LAST_BITS)
        .reads("pattern", "u32", &pattern.words)
        .writes("bits", "u32", &bits)
        .writes("counts", "u32", &counts)
        .dispatch(&mut commands, &[possible as u32, m.min(HEAD) as u32])?;
    commands.submit()?;
    let (before, total) = exclusive_scan(&counts, Op::Sum)?;
    let mut places = DeviceArray::<u32>::new(device, total.into())?;
    let mut commands = device.record();
    Elementwise::new(device, if total == 0 { 0 } else { groups }, "search places", include_str!("list.wgsl"))
        .reads("bits", "u32", &bits)
        .reads("before", "u32", &before)
        .writes("places", "u32", &places)
        .dispatch(&mut commands, &[])?;
    commands.submit()?;
    for start in (HEAD..m).step_by(ROUND) {
        if places.is_empty() {
            break;
        }
        let flags = DeviceArray::<u32>::new(device, places.count())?;
        let mut commands = device.record();
        text.kernel(places.count(), "search rounds", include_str!("continue.wgsl"))
            .include(LAST_BITS)
            .reads("pattern", "u32", &pattern.words)
            .reads("places", "u32", &places)
            .writes("flags", "u32", &flags)
            .dispatch(&mut commands, &[start as u32, m.min(start + ROUND) as u32, m as u32])?;
        commands.submit()?;
        places = compact(&places, &flags)?;
    }
    Ok(places)
}
