// Threads read single entries. The functions that the kernel names for packs are never called.
fn value_pack(p: u32) -> Pack { return ALL_WORST; }
fn value_key(i: u32) -> Key { return values_at(i); }
fn upper_pack(p: u32) -> Pack { return ALL_WORST; }
fn upper_key(i: u32) -> Key { return upper[i]; }
