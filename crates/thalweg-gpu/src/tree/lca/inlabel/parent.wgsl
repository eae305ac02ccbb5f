// A root is its own parent or has none.
fn parent_of(i: u32) -> u32 {
    let up = parents_at(i);
    return select(up, NO_ELEMENT, up == i);
}
