// The digit of a one-word key, from bit `shift` of its rank on.
fn rank_digit(rank: Key, shift: u32) -> u32 { return (rank >> shift) & (DIGITS - 1u); }
