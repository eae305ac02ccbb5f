//! Witnesses and duels: Vishkin (1985), *Optimal parallel pattern matching in strings*; JáJá (1992), chapter 7.
//!
//! If the pattern cannot occur at two places whose distance is d, a *witness* says why: a position w where the pattern and
//! the pattern moved by d differ. Of two such places, the text's symbol at the witness rules one out, or both: a *duel*.
//!
//! Every distance below the pattern's period p has a witness. So the places are cut into blocks of b, the largest power of two
//! that is not above p, in each of which duels leave one survivor: first among 32 places a thread, then among 16 survivors
//! a thread, round by round. Only there the pattern is compared, 64 bytes of it a thread.
//!
//! - **Non-periodic** patterns, whose period is more than half of their length m: n/b survivors, O(m) each, are O(n).
//! - **Periodic** ones, u^k v with |u| = p and v a prefix of u, k at least 2: the duels look for u u v. Its occurrences are at
//!   least p apart, so the pattern is where k - 1 of them follow each other at distances of p: the (k-2)th after this one in
//!   the list is at a distance of (k-2) p. One comparison for each.
//!
//! Witnesses come from the Z function of the pattern, on the host: O(m). The text: O(n) work, O(log m) rounds. Memory: 4 bytes
//! a survivor, three times, and the pattern with its witnesses.

use thalweg_core::Result;
use thalweg_text::search::agreements;

use super::pattern::{LAST_BITS, Pattern};
use crate::array::DeviceArray;
use crate::primitives::compact;
use crate::primitives::elementwise::Elementwise;
use crate::text::device_text::Text;

/// Places among which a thread duels first, and survivors among which it does later. Not measured.
const FIRST: u64 = 32;
const LATER: u64 = 16;
/// Bytes of the pattern that a thread compares at a survivor. Not measured.
const CHUNK: u32 = 64;

/// The pattern is not empty and not longer than the text.
pub(super) fn find(text: &Text, pattern: &[u8]) -> Result<DeviceArray<u32>> {
    let m = pattern.len();
    // A distance without a witness is a period.
    let witnesses = agreements(pattern);
    let period = (1..m).find(|&distance| distance + witnesses[distance] == m).unwrap_or(m);
    let witnesses: Vec<u32> = witnesses[..period].iter().map(|&w| w as u32).collect();
    if 2 * period > m {
        return occurrences(text, pattern, &witnesses);
    }
    let list = occurrences(text, &pattern[..2 * period + m % period], &witnesses)?;
    let more = (m / period - 2) as u64;
    if list.count() <= more {
        return DeviceArray::new(text.device(), 0);
    }
    let flags = DeviceArray::<u32>::new(text.device(), list.count())?;
    let mut commands = text.device().record();
    Elementwise::new(text.device(), list.count(), "search periods", include_str!("follows.wgsl"))
        .reads("list", "u32", &list)
        .writes("alive", "u32", &flags)
        .dispatch(&mut commands, &[more as u32, more as u32 * period as u32])?;
    commands.submit()?;
    compact(&list, &flags)
}

/// The occurrences of a pattern that has a witness for every distance below the length of `witnesses`.
fn occurrences(text: &Text, pattern: &[u8], witnesses: &[u32]) -> Result<DeviceArray<u32>> {
    let (device, m) = (text.device(), pattern.len() as u64);
    let possible = text.count() - m + 1;
    let block = 1u64 << witnesses.len().ilog2();
    let (pattern, witnesses) = (Pattern::upload(device, pattern)?, device.upload(witnesses)?);
    let mut commands = device.record();
    let duel = |count: u64, name: &'static str, body: &str| {
        text.kernel(count, name, body).include(include_str!("duel.wgsl")).reads("pattern", "u32", &pattern.words).reads(
            "witnesses",
            "u32",
            &witnesses,
        )
    };
    // Places that a survivor stands for.
    let mut covered = block.min(FIRST);
    let mut count = possible.div_ceil(covered);
    let mut survivors = DeviceArray::<u32>::new(device, count)?;
    let mut alive = DeviceArray::<u32>::new(device, count)?;
    duel(count, "search duels", include_str!("among_places.wgsl"))
        .writes("survivors", "u32", &survivors)
        .writes("alive", "u32", &alive)
        .dispatch(&mut commands, &[possible as u32, covered as u32])?;
    while covered < block {
        let group = LATER.min(block / covered);
        let before = count;
        covered *= group;
        count = count.div_ceil(group);
        let left = DeviceArray::<u32>::new(device, count)?;
        alive.truncate(count);
        duel(count, "search duels", include_str!("among_survivors.wgsl"))
            .reads("before", "u32", &survivors)
            .writes("survivors", "u32", &left)
            .writes("alive", "u32", &alive)
            .dispatch(&mut commands, &[before as u32, group as u32])?;
        survivors = left;
    }
    let chunks = m.div_ceil(CHUNK.into());
    // At most 6n/64 and n of short patterns.
    text.kernel(count * chunks, "search compare", include_str!("compare.wgsl"))
        .include(LAST_BITS)
        .reads("pattern", "u32", &pattern.words)
        .reads("survivors", "u32", &survivors)
        .declare(|source| source.constant("CHUNK", CHUNK).atomics_sharded("alive", alive.sharding()), alive.bindings())
        .dispatch(&mut commands, &[m as u32, chunks as u32])?;
    commands.submit()?;
    compact(&survivors, &alive)
}
