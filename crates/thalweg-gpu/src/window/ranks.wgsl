// What is compared. Integers, and floats whose places are known besides: the library's ranks.
fn rank_of(bits: Key, at: u32) -> Key { return key_rank(bits); }
fn bits_of(rank: Key) -> Key { return key_unrank(rank); }
fn seen_from(rank: Key, at: u32) -> Key { return rank; }
