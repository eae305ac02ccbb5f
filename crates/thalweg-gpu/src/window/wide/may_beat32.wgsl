// What an end's elements are compared with the core by: their ranks.
fn compared(bits: Key, at: u32) -> Key { return rank_of(bits, at); }
fn rank_from(compared: Key, at: u32) -> Key { return compared; }

// Whether an element can be as good as the core's best, or better.
fn may_beat(compared: Key, core: Key) -> bool { return !key_less(core, compared); }
