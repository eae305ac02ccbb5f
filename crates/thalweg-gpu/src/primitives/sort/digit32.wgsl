// The digit of a one-word key, from bit `shift` of its rank on.
fn rank_digit(rank: Key, shift: u32) -> u32 { return (rank >> shift) & (DIGITS - 1u); }
fn key_low(key: Key) -> u32 { return key; }
fn key_high(key: Key) -> u32 { return 0u; }
fn key_join(low: u32, high: u32) -> Key { return low; }
