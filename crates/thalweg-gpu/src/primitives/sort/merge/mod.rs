//! BSGP's merge sort (Hou et al. 2008, supplementary material 1): every element finds its place by a search.
//!
//! Neighbouring sorted segments of length m become one of length 2m: an element's place in it is its offset in its own
//! segment plus the number of elements before it in the other one, which a binary search finds. All elements of a round
//! are placed in parallel.
//!
//! Three things differ from the listing:
//! - Ties: elements of the left segment count the *smaller* ones of the right, those of the right count the *smaller or
//!   equal* ones of the left. So no two elements get the same place, and the sort is stable.
//! - The first rounds are done in workgroup memory (as the paper's implementation does, too), where only ranks and
//!   origins move.
//! - The elements of a tile ascend, and so do their places: only two of them search the whole neighbouring segment.

use thalweg_core::Result;

use super::ping_pong::{self, Input, Payload, Sorted, record_rounds};
use crate::array::Keys;
use crate::coding::KeyCode;
use crate::kernel::Source;
use crate::primitives::combine::count32;
use crate::primitives::sizes::MergeSizes;
use crate::recorder::Recorder;

/// Records the sort.
///
/// Work O(n log n) searches; extra memory: a copy of keys and payloads besides the result.
pub(super) fn record(
    commands: &mut Recorder<'_>,
    keys: &Keys,
    payload: Payload<'_>,
    keep_keys: bool,
    coding: KeyCode,
    sizes: MergeSizes,
) -> Result<Sorted> {
    let (device, len) = (keys.device(), keys.len());
    let count = count32(len, "sort")?;
    let block = u64::from(sizes.threads * sizes.items);
    let blocks = len.div_ceil(block);
    // After round r, segments of block · 2^r are sorted.
    let rounds = 1 + blocks.max(1).next_power_of_two().ilog2();
    record_rounds(commands, keys, payload, (keep_keys, Input::Stays), rounds, |commands, round, from, to, keep_keys| {
        let (text, entry) = match round {
            0 => (include_str!("block.wgsl"), "merge_block"),
            _ => (include_str!("round.wgsl"), "merge_round"),
        };
        let source = Source::new("merge sort", text, entry)
            .constant("THREADS", sizes.threads)
            .constant("ITEMS", sizes.items)
            .keys(coding)
            .include(include_str!("search.wgsl"));
        let (source, buffers) = ping_pong::declare(source, from, to, keep_keys);
        // Segments of the last round are shorter than the array, so they fit.
        let segment = if round == 0 { 0 } else { (block << (round - 1)) as u32 };
        commands.dispatch(&*device.kernel(&source)?, blocks, &buffers, &[count, blocks as u32, segment])
    })
}
