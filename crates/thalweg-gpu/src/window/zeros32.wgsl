// What is compared, of floats whose places nobody keeps. The two zeros are equal, and of equal elements the first is the answer: so a
// zero's rank tells its place `at` among those it is compared with, which ascends, and its sign. What is above the zeros is moved up: of
// 2^32 patterns of bits 2^24 are NaN and have one rank.
const ZERO = 0x80000000u;
const ZEROS = 0x100000u;

fn rank_of(bits: Key, at: u32) -> Key {
    let magnitude = bits & 0x7fffffffu;
    let zero = (ZERO ^ FLIP_LOW) & ~(ZEROS - 1u) | 2u * at | bits >> 31u;
    return select(select(plain_rank(bits), zero, magnitude == 0u), WORST, magnitude > 0x7f800000u);
}

fn is_zero(rank: Key) -> bool { return (rank ^ FLIP_LOW) - ZERO < ZEROS; }

// The bits of an element, but of a NaN.
fn bits_of(rank: Key) -> Key { return select(plain_bits(rank), rank << 31u, is_zero(rank)); }

// The same element's rank at another place.
fn seen_from(rank: Key, at: u32) -> Key {
    return select(rank, rank & ~(ZEROS - 1u) | 2u * at | rank & 1u, is_zero(rank));
}

// As in ranks.wgsl. Odd are zeros and NaNs.
fn plain_rank(bits: Key) -> Key { return select((bits ^ ZERO) + ZEROS, ~bits, (bits >> 31u) != 0u) ^ FLIP_LOW; }
fn is_odd(bits: Key) -> bool { return 2u * bits - 2u >= 0xff000000u; }
fn plain_bits(rank: Key) -> Key {
    let plain = rank ^ FLIP_LOW;
    return select(~plain, (plain - ZEROS) ^ ZERO, plain >= ZERO);
}
fn is_odd_rank(rank: Key) -> bool { return is_zero(rank) | (rank == WORST); }
