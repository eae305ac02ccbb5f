// What is compared. Integers, and floats whose places are known besides: the library's ranks.
fn rank_of(bits: Key, at: u32) -> Key { return key_rank(bits); }
fn bits_of(rank: Key) -> Key { return key_unrank(rank); }
fn seen_from(rank: Key, at: u32) -> Key { return rank; }

// Both ways by half as many instructions, but not of keys and ranks that are `odd`, of which most arrays have few.
fn plain_rank(bits: Key) -> Key { return key_told_rank(bits); }
fn is_odd(bits: Key) -> bool { return key_odd(bits); }
fn plain_bits(rank: Key) -> Key { return key_unrank(rank); }
fn is_odd_rank(rank: Key) -> bool { return key_ambiguous(rank); }
