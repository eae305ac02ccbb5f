// As zeros32.wgsl: zeros have a high word of their own, and their place and their sign in the low one.
const ZERO = 0x80000000u;

fn rank_of(bits: Key, at: u32) -> Key {
    let magnitude = bits.y & 0x7fffffffu;
    let sign = bits.y >> 31u;
    let number = select(vec2(bits.x, (bits.y ^ ZERO) + 1u), ~bits, sign != 0u) ^ vec2(FLIP_LOW, FLIP_HIGH);
    let zero = vec2(2u * at | sign, ZERO ^ FLIP_HIGH);
    let is_nan = (magnitude > 0x7ff00000u) | ((magnitude == 0x7ff00000u) & (bits.x != 0u));
    return select(select(number, zero, (magnitude | bits.x) == 0u), WORST, is_nan);
}

fn is_zero(rank: Key) -> bool { return rank.y == (ZERO ^ FLIP_HIGH); }

fn bits_of(rank: Key) -> Key {
    let plain = rank ^ vec2(FLIP_LOW, FLIP_HIGH);
    let number = select(~plain, vec2(plain.x, (plain.y - 1u) ^ ZERO), plain.y >= ZERO);
    return select(number, vec2(0u, rank.x << 31u), is_zero(rank));
}

fn seen_from(rank: Key, at: u32) -> Key {
    return select(rank, vec2(2u * at | rank.x & 1u, rank.y), is_zero(rank));
}
