// The length, and where the longer match is.
fn put(position: u32, below: u32, above: u32, left: u32, right: u32) {
    var source = NONE;
    if max(below, above) > 0u { source = sa_at(select(left, right, above > below)); }
    found_put(position, vec2(max(below, above), source));
}
