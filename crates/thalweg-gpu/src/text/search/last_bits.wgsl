// Which bits of the word with `left` bytes of a pattern count, if that is the last one.
fn bits_of(left: u32) -> u32 { return select(0xffffffffu, (1u << (8u * left)) - 1u, left < 4u); }
