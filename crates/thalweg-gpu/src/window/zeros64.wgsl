// As zeros32.wgsl: zeros have a high word of their own, and their place and their sign in the low one.
const ZERO = 0x80000000u;

fn rank_of(bits: Key, at: u32) -> Key {
    let magnitude = bits.y & 0x7fffffffu;
    let zero = vec2(2u * at | bits.y >> 31u, ZERO ^ FLIP_HIGH);
    let is_nan = (magnitude > 0x7ff00000u) | ((magnitude == 0x7ff00000u) & (bits.x != 0u));
    return select(select(plain_rank(bits), zero, (magnitude | bits.x) == 0u), WORST, is_nan);
}

fn is_zero(rank: Key) -> bool { return rank.y == (ZERO ^ FLIP_HIGH); }

fn bits_of(rank: Key) -> Key { return select(plain_bits(rank), vec2(0u, rank.x << 31u), is_zero(rank)); }

fn seen_from(rank: Key, at: u32) -> Key {
    return select(rank, vec2(2u * at | rank.x & 1u, rank.y), is_zero(rank));
}

// As in ranks.wgsl. Odd are zeros, some numbers next to them, infinities and NaNs.
fn plain_rank(bits: Key) -> Key {
    let number = select(vec2(bits.x, (bits.y ^ ZERO) + 1u), ~bits, (bits.y >> 31u) != 0u);
    return number ^ vec2(FLIP_LOW, FLIP_HIGH);
}
fn is_odd(bits: Key) -> bool { return 2u * bits.y - 1u >= 0xffdfffffu; }
fn plain_bits(rank: Key) -> Key {
    let plain = rank ^ vec2(FLIP_LOW, FLIP_HIGH);
    return select(~plain, vec2(plain.x, (plain.y - 1u) ^ ZERO), plain.y >= ZERO);
}
fn is_odd_rank(rank: Key) -> bool { return is_zero(rank) | (rank.y == WORST.y); }
