// Packs: what one vector load brings, 16 bytes. Keys of 32 bits: four.
alias Pack = vec4<u32>;
const PACK = 4u;
const SLOTS = vec4(0u, 1u, 2u, 3u);
const ALL_WORST = vec4(WORST, WORST, WORST, WORST);

// A rank and the slot of the pack that holds it, the first on ties.
struct Slot { rank: Key, slot: u32 }

fn pack_ranks(v: Pack) -> Pack {
    if !FLOAT { return v ^ vec4(FLIP_LOW); }
    return vec4(key_rank(v.x), key_rank(v.y), key_rank(v.z), key_rank(v.w));
}

// Whether the ranks tell the bits: no NaN, no negative zero.
fn pack_faithful(v: Pack) -> bool {
    return all(((v & vec4(0x7fffffffu)) <= vec4(0x7f800000u)) & (v != vec4(0x80000000u)));
}

fn pack_key(v: Pack, slot: u32) -> Key {
    return select(select(v.x, v.y, slot == 1u), select(v.z, v.w, slot == 3u), slot >= 2u);
}

// The slots first..end; the others become the worst rank.
fn pack_within(v: Pack, first: u32, end: u32) -> Pack {
    return select(ALL_WORST, v, (SLOTS >= vec4(first)) & (SLOTS < vec4(end)));
}

// The slots that lie in a run of `len` slots, of which slot 0 has number `number`; negative numbers wrap around, and are
// larger than any length then.
fn pack_of_run(v: Pack, number: u32, len: u32) -> Pack {
    return select(ALL_WORST, v, (SLOTS + vec4(number)) < vec4(len));
}

fn pack_min(a: Pack, b: Pack) -> Pack { return min(a, b); }
fn pack_least(v: Pack) -> Key { return min(min(v.x, v.y), min(v.z, v.w)); }

fn pack_first_least(v: Pack) -> Slot {
    let right_of_first = v.y < v.x;
    let first = Slot(min(v.x, v.y), select(0u, 1u, right_of_first));
    let second = Slot(min(v.z, v.w), select(2u, 3u, v.w < v.z));
    if second.rank < first.rank { return second; }
    return first;
}

// Whether the pack, and the key that follows it, break an ascending (1, ties allowed) or a strictly descending order (2).
fn pack_breaks(v: Pack) -> u32 {
    return select(0u, 1u, v.y < v.x || v.z < v.y || v.w < v.z) | select(0u, 2u, v.y >= v.x || v.z >= v.y || v.w >= v.z);
}
fn pack_breaks_before(v: Pack, next: Key) -> u32 { return pack_breaks(v) | select(2u, 1u, next < v.w); }
