// The larger of two neighbours, or the only one, or none: the left one is the right one's neighbour, too, unless it
// is larger than that.
fn parent_of(i: u32) -> u32 {
    let l = left_at(i);
    let r = right_at(i);
    if r == NO_ELEMENT || left_at(r) != l { return l; }
    return r;
}
