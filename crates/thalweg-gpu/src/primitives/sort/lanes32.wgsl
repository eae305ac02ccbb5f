// Sets of threads of a subgroup of at most 32.
alias Lanes = u32;
fn same_digit(digit: u32, width: u32) -> Lanes {
    var peers = 0xffffffffu >> (32u - width);
    @unroll for (var b = 0u; b < DIGIT_BITS; b++) {
        let bit = (digit >> b) & 1u;
        // Those with a 1, or, for a 0, the others.
        peers &= subgroupBallot(bit == 1u).x ^ (bit - 1u);
    }
    return peers;
}
fn lanes_before(lanes: Lanes, lane: u32) -> u32 { return countOneBits(lanes & ((1u << lane) - 1u)); }
fn lanes_count(lanes: Lanes) -> u32 { return countOneBits(lanes); }
fn lanes_first(lanes: Lanes) -> u32 { return countTrailingZeros(lanes); }
