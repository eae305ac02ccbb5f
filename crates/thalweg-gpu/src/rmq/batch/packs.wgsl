// What is done with all PACK keys of a pack at once, or with their ranks. What is said of slots that keys of two words do
// not have is cut off by `pack_of`.
alias Pack = vec4<u32>;
const PACK = 4u / KEY_WORDS;
const ALL_WORST = vec4(0xffffffffu, 0xffffffffu, 0xffffffffu, 0xffffffffu);

// A rank and the slot of the pack that holds it, the first on ties.
struct Slot { rank: Key, slot: u32 }

fn pack_ranks(v: Pack) -> Pack {
    return pack_of(
        key_rank(pack_key(v, 0u)), key_rank(pack_key(v, 1u)), key_rank(pack_key(v, 2u)), key_rank(pack_key(v, 3u)),
    );
}

// Whether the ranks tell the bits: no NaN, no negative zero.
fn pack_faithful(v: Pack) -> bool {
    let two = key_faithful(pack_key(v, 0u)) & key_faithful(pack_key(v, 1u));
    if PACK == 2u { return two; }
    return two & key_faithful(pack_key(v, 2u)) & key_faithful(pack_key(v, 3u));
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

fn pack_least(v: Pack) -> Key {
    let two = key_min(pack_key(v, 0u), pack_key(v, 1u));
    if PACK == 2u { return two; }
    return key_min(two, key_min(pack_key(v, 2u), pack_key(v, 3u)));
}

// The better of a slot and the next one.
fn first_of_two(v: Pack, slot: u32) -> Slot {
    let a = pack_key(v, slot);
    let b = pack_key(v, slot + 1u);
    return Slot(key_min(a, b), select(slot, slot + 1u, key_less(b, a)));
}

fn pack_first_least(v: Pack) -> Slot {
    let first = first_of_two(v, 0u);
    if PACK == 2u { return first; }
    let second = first_of_two(v, 2u);
    if key_less(second.rank, first.rank) { return second; }
    return first;
}

// Whether two neighbours break an ascending (1, ties allowed) or a strictly descending order (2), which one of them does.
fn neighbours_break(a: Key, b: Key) -> u32 { return select(2u, 1u, key_less(b, a)); }

// The same for the neighbours in a pack, and for it and the key that follows it.
fn pack_breaks(v: Pack) -> u32 {
    let two = neighbours_break(pack_key(v, 0u), pack_key(v, 1u));
    if PACK == 2u { return two; }
    return two | neighbours_break(pack_key(v, 1u), pack_key(v, 2u)) | neighbours_break(pack_key(v, 2u), pack_key(v, 3u));
}
fn pack_breaks_before(v: Pack, next: Key) -> u32 { return pack_breaks(v) | neighbours_break(pack_key(v, PACK - 1u), next); }
