// Threads read packs. The functions that the kernel names for single entries are never called.
fn value_pack(p: u32) -> Pack { return values_at(p); }
fn value_key(i: u32) -> Key { return WORST; }
fn upper_pack(p: u32) -> Pack { return upper[p]; }
fn upper_key(i: u32) -> Key { return WORST; }
