// Packs: what one vector load brings, 16 bytes. Keys of 64 bits: two.
alias Pack = vec4<u32>;
const PACK = 2u;
const ALL_WORST = vec4(0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu);

// A rank and the slot of the pack that holds it, the first on ties.
struct Slot { rank: Key, slot: u32 }

fn pack_ranks(v: Pack) -> Pack { return vec4(key_rank(v.xy), key_rank(v.zw)); }

// Whether the ranks tell the bits: no NaN, no negative zero.
fn faithful(bits: Key) -> bool {
    let magnitude = bits.y & 0x7fffffffu;
    let is_nan = magnitude > 0x7ff00000u || (magnitude == 0x7ff00000u && bits.x != 0u);
    return !is_nan && !(bits.y == 0x80000000u && bits.x == 0u);
}
fn pack_faithful(v: Pack) -> bool { return faithful(v.xy) && faithful(v.zw); }

fn pack_key(v: Pack, slot: u32) -> Key { return select(v.xy, v.zw, slot == 1u); }

// The slots first..end; the others become the worst rank.
fn pack_within(v: Pack, first: u32, end: u32) -> Pack {
    return vec4(select(WORST, v.xy, first == 0u && end > 0u), select(WORST, v.zw, first <= 1u && end > 1u));
}

// The slots that lie in a run of `len` slots, of which slot 0 has number `number`; negative numbers wrap around, and are
// larger than any length then.
fn pack_of_run(v: Pack, number: u32, len: u32) -> Pack {
    return vec4(select(WORST, v.xy, number < len), select(WORST, v.zw, number + 1u < len));
}

fn pack_min(a: Pack, b: Pack) -> Pack { return vec4(key_min(a.xy, b.xy), key_min(a.zw, b.zw)); }
fn pack_least(v: Pack) -> Key { return key_min(v.xy, v.zw); }

fn pack_first_least(v: Pack) -> Slot {
    if key_less(v.zw, v.xy) { return Slot(v.zw, 1u); }
    return Slot(v.xy, 0u);
}

// Whether the pack, and the key that follows it, break an ascending (1, ties allowed) or a strictly descending order (2).
fn pack_breaks(v: Pack) -> u32 { return select(2u, 1u, key_less(v.zw, v.xy)); }
fn pack_breaks_before(v: Pack, next: Key) -> u32 { return pack_breaks(v) | select(2u, 1u, key_less(next, v.zw)); }
