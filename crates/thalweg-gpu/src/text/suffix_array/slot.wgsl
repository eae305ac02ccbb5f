// Where a suffix is in the suffix array: suffixes that are all there are in their places already.
fn slot_of(i: u32) -> u32 {
    if LISTED { return slots_at(i); }
    return i;
}
