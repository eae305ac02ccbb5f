// What an end's elements are compared with the core by: their bits. Few are worth a rank of two words.
fn compared(bits: Key, at: u32) -> Key { return bits; }
fn rank_from(compared: Key, at: u32) -> Key { return rank_of(compared, at); }

// Whether an element can be as good as the core's best, or better, and is no NaN: by its high word alone. A zero's, or what is above zeros,
// may have been moved by one.
fn may_beat(compared: Key, core: Key) -> bool {
    let high = compared.y;
    if !FLOAT { return (high ^ FLIP_HIGH) <= core.y; }
    let ordered = high ^ (u32(i32(high) >> 31u) | 0x80000000u) ^ FLIP_HIGH;
    return (ordered <= min(core.y, 0xfffffffeu) + 1u) & ((high & 0x7fffffffu) <= 0x7ff00000u);
}
