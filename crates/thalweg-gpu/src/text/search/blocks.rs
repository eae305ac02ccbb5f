//! Every thread compares at 32 positions of its own and sets a bit for each that is a place; the bits are counted, the counts
//! summed up, and every thread writes its places where they belong. So they come in increasing order.
//!
//! A position costs one comparison of four bytes, and only where these agree more of the pattern is read, four bytes at a
//! time. Patterns of more than [`HEAD`] bytes are compared in rounds, in which only the places stay that have agreed so far: no
//! thread loops for long, which devices do not like. O(n) where mismatches come early, O(n m) at worst, for texts like
//! aaaa. Memory: a word for bits and one for counts and their sums every 32 positions, and the result, twice in rounds.

use thalweg::Result;

use super::{LAST_BITS, Pattern};
use crate::array::DeviceArray;
use crate::primitives::{Op, compact, exclusive_scan};
use crate::text::Text;
use crate::tree::NodeKernel;

/// Bytes of the pattern that are compared at once, and in every round after that. Not measured.
const HEAD: usize = 64;
const ROUND: usize = 1 << 15;

/// One thread for 32 positions from `32 i` on; `a` is how many places there can be, `b` how much is compared.
const COMPARE: &str = "let first = 32u * i;
    let head = pattern_at(0u);
    let mask = bits_of(params.b);
    var bits = 0u;
    var word = text_at(8u * i);
    for (var w = 0u; w < 8u; w++) {
        // The words reach three beyond the last place at most; behind those there are none in this word.
        if first + 4u * w >= params.a { break; }
        let next = text_at(8u * i + w + 1u);
        var window = word;
        for (var k = 0u; k < 4u; k++) {
            let place = first + 4u * w + k;
            if place < params.a && ((window ^ head) & mask) == 0u && rest_occurs(place) { bits |= 1u << (4u * w + k); }
            // Shifts by 32 are none.
            window = word >> ((8u * k + 8u) & 31u) | next << (24u - 8u * k);
        }
        word = next;
    }
    bits_put(i, bits);
    counts_put(i, countOneBits(bits));";

/// Whether the pattern goes on at a place as it has begun there.
const REST: &str = "fn rest_occurs(place: u32) -> bool {
    for (var at = 4u; at < params.b; at += 4u) {
        if ((text_word(place + at) ^ pattern_at(at / 4u)) & bits_of(params.b - at)) != 0u { return false; }
    }
    return true;
}
";

const LIST: &str = "var bits = bits_at(i);
    var at = before_at(i);
    while bits != 0u {
        places_put(at, 32u * i + firstTrailingBit(bits));
        bits &= bits - 1u;
        at++;
    }";

/// Whether the bytes from `a` to `b` of the pattern, of length `c`, are at a place.
const CONTINUE: &str = "let place = places_at(i);
    var flag = 1u;
    for (var at = params.a; at < params.b; at += 4u) {
        if ((text_word(place + at) ^ pattern_at(at / 4u)) & bits_of(params.c - at)) != 0u {
            flag = 0u;
            break;
        }
    }
    flags_put(i, flag);";

/// The pattern is not empty and not longer than the text.
pub(super) fn find(text: &Text, pattern: &[u8]) -> Result<DeviceArray<u32>> {
    let device = text.device();
    let m = pattern.len();
    let possible = text.len() - m as u64 + 1;
    let groups = possible.div_ceil(32);
    let pattern = Pattern::upload(device, pattern)?;
    let [bits, counts] = [DeviceArray::<u32>::new(device, groups)?, DeviceArray::<u32>::new(device, groups)?];
    let mut commands = device.record();
    text.kernel(groups, "search blocks", COMPARE)
        .include(LAST_BITS)
        .include(REST)
        .reads("pattern", "u32", &pattern.words)
        .writes("bits", "u32", &bits)
        .writes("counts", "u32", &counts)
        .dispatch(&mut commands, &[possible as u32, m.min(HEAD) as u32])?;
    commands.submit()?;
    let (before, total) = exclusive_scan(&counts, Op::Sum)?;
    let mut places = DeviceArray::<u32>::new(device, total.into())?;
    let mut commands = device.record();
    NodeKernel::on(device, if total == 0 { 0 } else { groups }, "search places", LIST)
        .reads("bits", "u32", &bits)
        .reads("before", "u32", &before)
        .writes("places", "u32", &places)
        .dispatch(&mut commands, &[])?;
    commands.submit()?;
    for start in (HEAD..m).step_by(ROUND) {
        if places.is_empty() {
            break;
        }
        let flags = DeviceArray::<u32>::new(device, places.len())?;
        let mut commands = device.record();
        text.kernel(places.len(), "search rounds", CONTINUE)
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
