// Keys of 64 bits: two words, the low one first, so that no device needs 64-bit integers.
alias Key = vec2<u32>;
const WORST: Key = vec2<u32>(0xffffffffu, 0xffffffffu);

fn key_less(a: Key, b: Key) -> bool { return a.y < b.y || (a.y == b.y && a.x < b.x); }
fn key_min(a: Key, b: Key) -> Key { return select(a, b, key_less(b, a)); }
fn key_max(a: Key, b: Key) -> Key { return select(a, b, key_less(a, b)); }
fn key_equal(a: Key, b: Key) -> bool { return a.x == b.x && a.y == b.y; }
fn key_select(if_false: Key, if_true: Key, condition: bool) -> Key { return select(if_false, if_true, condition); }
fn key_shuffle(v: Key, lane: u32) -> Key { return vec2(subgroupShuffle(v.x, lane), subgroupShuffle(v.y, lane)); }
fn key_shuffle_xor(v: Key, mask: u32) -> Key { return vec2(subgroupShuffleXor(v.x, mask), subgroupShuffleXor(v.y, mask)); }
fn key_shuffle_up(v: Key, delta: u32) -> Key { return vec2(subgroupShuffleUp(v.x, delta), subgroupShuffleUp(v.y, delta)); }
fn key_shuffle_down(v: Key, delta: u32) -> Key { return vec2(subgroupShuffleDown(v.x, delta), subgroupShuffleDown(v.y, delta)); }

// The rank of the key with these bits: the better key has the smaller rank. NaN is the worst, -0.0 equals 0.0.
fn key_rank(bits: Key) -> Key {
    let flip = vec2(FLIP_LOW, FLIP_HIGH);
    if !FLOAT { return bits ^ flip; }
    let magnitude = bits.y & 0x7fffffffu;
    if magnitude > 0x7ff00000u || (magnitude == 0x7ff00000u && bits.x != 0u) { return WORST; }
    if bits.y == 0x80000000u && bits.x == 0u { return bits ^ flip; }
    let negative = bits.y >= 0x80000000u;
    return bits ^ select(vec2(0u, 0x80000000u), WORST, negative) ^ flip;
}

// Whether several bit patterns have this rank (the two zeros, the NaNs), so that the rank does not tell the bits.
fn key_ambiguous(rank: Key) -> bool {
    let plain = rank ^ vec2(FLIP_LOW, FLIP_HIGH);
    return FLOAT && (key_equal(rank, WORST) || (plain.x == 0u && plain.y == 0x80000000u));
}

// The bits of the key with this rank, where it is not ambiguous.
fn key_unrank(rank: Key) -> Key {
    let plain = rank ^ vec2(FLIP_LOW, FLIP_HIGH);
    if !FLOAT { return plain; }
    return select(~plain, plain ^ vec2(0u, 0x80000000u), plain.y >= 0x80000000u);
}
