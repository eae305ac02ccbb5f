// Keys of 8, 16 and 32 bits: one word.
alias Key = u32;
const WORST: Key = 0xffffffffu;
// 32-bit words of a key.
const KEY_WORDS = 1u;

fn key_low(key: Key) -> u32 { return key; }
fn key_high(key: Key) -> u32 { return 0u; }
fn key_join(low: u32, high: u32) -> Key { return low; }

fn key_less(a: Key, b: Key) -> bool { return a < b; }
fn key_min(a: Key, b: Key) -> Key { return min(a, b); }
fn key_max(a: Key, b: Key) -> Key { return max(a, b); }
fn key_equal(a: Key, b: Key) -> bool { return a == b; }
fn key_select(if_false: Key, if_true: Key, condition: bool) -> Key { return select(if_false, if_true, condition); }
fn key_shuffle(v: Key, lane: u32) -> Key { return subgroupShuffle(v, lane); }
fn key_shuffle_xor(v: Key, mask: u32) -> Key { return subgroupShuffleXor(v, mask); }
fn key_shuffle_up(v: Key, delta: u32) -> Key { return subgroupShuffleUp(v, delta); }
fn key_shuffle_down(v: Key, delta: u32) -> Key { return subgroupShuffleDown(v, delta); }

// Sums and differences of unsigned numbers, which wrap around.
fn key_add(a: Key, b: Key) -> Key { return a + b; }
fn key_subtract(a: Key, b: Key) -> Key { return a - b; }

// Packs: what one vector load brings, 16 bytes. Here four keys, in slots 0 to 3: a word each.
const SLOTS = vec4(0u, 1u, 2u, 3u);
fn pack_key(pack: vec4<u32>, slot: u32) -> Key {
    return select(select(pack.x, pack.y, slot == 1u), select(pack.z, pack.w, slot == 3u), slot >= 2u);
}
fn pack_of(a: Key, b: Key, c: Key, d: Key) -> vec4<u32> { return vec4(a, b, c, d); }

// The rank of the key with these bits: the better key has the smaller rank. NaN is the worst, -0.0 equals 0.0.
fn key_rank(bits: Key) -> Key {
    if !FLOAT { return bits ^ FLIP_LOW; }
    // Without a branch: what is loaded before it waits for none. -0.0 would come just before 0.0.
    let ordered = bits ^ (u32(i32(bits) >> 31u) | 0x80000000u);
    let rank = (ordered + select(0u, 1u, bits == 0x80000000u)) ^ FLIP_LOW;
    return select(rank, WORST, (bits & 0x7fffffffu) > 0x7f800000u);
}

// Whether several bit patterns have this rank (the two zeros, the NaNs), so that the rank does not tell the bits.
fn key_ambiguous(rank: Key) -> bool {
    return FLOAT && (rank == WORST || (rank ^ FLIP_LOW) == 0x80000000u);
}

// The bits of the key with this rank, where it is not ambiguous.
fn key_unrank(rank: Key) -> Key {
    let plain = rank ^ FLIP_LOW;
    if !FLOAT { return plain; }
    return select(~plain, plain ^ 0x80000000u, plain >= 0x80000000u);
}

// Whether the rank tells these bits: no NaN, no negative zero. For floats.
fn key_faithful(bits: Key) -> bool { return ((bits & 0x7fffffffu) <= 0x7f800000u) & (bits != 0x80000000u); }

// Whether that may not be so, by fewer instructions: of infinities, too.
fn key_odd(bits: Key) -> bool { return FLOAT && (((bits << 1u) >= 0xff000000u) | (bits == 0x80000000u)); }

// The rank of a key for which that is so. For all types.
fn key_told_rank(bits: Key) -> Key {
    if !FLOAT { return bits ^ FLIP_LOW; }
    return bits ^ (u32(i32(bits) >> 31u) | 0x80000000u) ^ FLIP_LOW;
}
