// Keys of 64 bits: two words, the low one first, so that no device needs 64-bit integers.
alias Key = vec2<u32>;
const WORST: Key = vec2<u32>(0xffffffffu, 0xffffffffu);
// 32-bit words of a key.
const KEY_WORDS = 2u;

fn key_low(key: Key) -> u32 { return key.x; }
fn key_high(key: Key) -> u32 { return key.y; }
fn key_join(low: u32, high: u32) -> Key { return vec2(low, high); }

// Without a branch: a join of minima has thousands of these.
fn key_less(a: Key, b: Key) -> bool { return (a.y < b.y) | ((a.y == b.y) & (a.x < b.x)); }
fn key_min(a: Key, b: Key) -> Key { return select(a, b, key_less(b, a)); }
fn key_max(a: Key, b: Key) -> Key { return select(a, b, key_less(a, b)); }
fn key_equal(a: Key, b: Key) -> bool { return (a.x == b.x) & (a.y == b.y); }
fn key_select(if_false: Key, if_true: Key, condition: bool) -> Key { return select(if_false, if_true, condition); }
fn key_shuffle(v: Key, lane: u32) -> Key { return vec2(subgroupShuffle(v.x, lane), subgroupShuffle(v.y, lane)); }
fn key_shuffle_xor(v: Key, mask: u32) -> Key { return vec2(subgroupShuffleXor(v.x, mask), subgroupShuffleXor(v.y, mask)); }
fn key_shuffle_up(v: Key, delta: u32) -> Key { return vec2(subgroupShuffleUp(v.x, delta), subgroupShuffleUp(v.y, delta)); }
fn key_shuffle_down(v: Key, delta: u32) -> Key { return vec2(subgroupShuffleDown(v.x, delta), subgroupShuffleDown(v.y, delta)); }

// Sums and differences of unsigned numbers, which wrap around.
fn key_add(a: Key, b: Key) -> Key {
    let low = a.x + b.x;
    return vec2(low, a.y + b.y + select(0u, 1u, low < a.x));
}
fn key_subtract(a: Key, b: Key) -> Key { return vec2(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x)); }

// Packs: what one vector load brings, 16 bytes. Here two keys, in slots 0 and 1, of two words each; what is written
// for four is cut off.
const SLOTS = vec4(0u, 0u, 1u, 1u);
fn pack_key(pack: vec4<u32>, slot: u32) -> Key { return select(pack.xy, pack.zw, slot == 1u); }
fn pack_of(a: Key, b: Key, c: Key, d: Key) -> vec4<u32> { return vec4(a, b); }

// The rank of the key with these bits: the better key has the smaller rank. NaN is the worst, -0.0 equals 0.0.
fn key_rank(bits: Key) -> Key {
    let flip = vec2(FLIP_LOW, FLIP_HIGH);
    if !FLOAT { return bits ^ flip; }
    // Without a branch, as for 32 bits.
    let magnitude = bits.y & 0x7fffffffu;
    let is_nan = (magnitude > 0x7ff00000u) | ((magnitude == 0x7ff00000u) & (bits.x != 0u));
    let sign = u32(i32(bits.y) >> 31u);
    let mask = vec2(sign, sign | 0x80000000u);
    let is_zero = (magnitude | bits.x) == 0u;
    return select((bits ^ select(mask, vec2(0u, bits.y ^ 0x80000000u), is_zero)) ^ flip, WORST, is_nan);
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

// Whether the rank tells these bits: no NaN, no negative zero. For floats.
fn key_faithful(bits: Key) -> bool {
    let magnitude = bits.y & 0x7fffffffu;
    let is_nan = (magnitude > 0x7ff00000u) | ((magnitude == 0x7ff00000u) & (bits.x != 0u));
    return !is_nan & !((bits.y == 0x80000000u) & (bits.x == 0u));
}

// Whether that may not be so, by fewer instructions: of infinities, too, and of some numbers next to zero.
fn key_odd(bits: Key) -> bool { return FLOAT && (((bits.y << 1u) >= 0xffe00000u) | (bits.y == 0x80000000u)); }

// The rank of a key for which that is so. For all types.
fn key_told_rank(bits: Key) -> Key {
    let flip = vec2(FLIP_LOW, FLIP_HIGH);
    if !FLOAT { return bits ^ flip; }
    let sign = u32(i32(bits.y) >> 31u);
    return bits ^ vec2(sign, sign | 0x80000000u) ^ flip;
}
