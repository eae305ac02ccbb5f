// Sets of threads of a subgroup of at most 128. Where there are 32 at most, only the first word is used.
alias Lanes = vec4<u32>;
const ONE_WORD = WIDTH_MAX <= 32u;
fn low_bits(count: u32) -> u32 { return select((1u << (count & 31u)) - 1u, 0xffffffffu, count >= 32u); }
fn lanes_below(lane: u32) -> Lanes {
    if ONE_WORD { return vec4(low_bits(lane), 0u, 0u, 0u); }
    return vec4(
        low_bits(lane), low_bits(max(lane, 32u) - 32u), low_bits(max(lane, 64u) - 64u), low_bits(max(lane, 96u) - 96u),
    );
}
fn same_digit(digit: u32, width: u32) -> Lanes {
    var peers = lanes_below(width);
    @unroll for (var b = 0u; b < DIGIT_BITS; b++) {
        // Those with a 1, or, for a 0, the others. A test by a mask and a choice of masks are an instruction each: a sort takes 3%
        // less than with shifts.
        let bit = (digit & (1u << b)) != 0u;
        peers &= subgroupBallot(bit) ^ vec4(select(0xffffffffu, 0u, bit));
    }
    return peers;
}
fn lanes_count(lanes: Lanes) -> u32 {
    if ONE_WORD { return countOneBits(lanes.x); }
    let counts = countOneBits(lanes);
    return counts.x + counts.y + counts.z + counts.w;
}
fn lanes_before(lanes: Lanes, lane: u32) -> u32 {
    // Lanes are numbers below 32 then.
    if ONE_WORD { return countOneBits(lanes.x & ((1u << lane) - 1u)); }
    return lanes_count(lanes & lanes_below(lane));
}
fn lanes_first(lanes: Lanes) -> u32 {
    if ONE_WORD || lanes.x != 0u { return countTrailingZeros(lanes.x); }
    if lanes.y != 0u { return 32u + countTrailingZeros(lanes.y); }
    if lanes.z != 0u { return 64u + countTrailingZeros(lanes.z); }
    return 96u + countTrailingZeros(lanes.w);
}
