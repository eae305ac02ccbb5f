// The place of every node's parent in preorder, plus 1, in preorder; 0 for roots.
fn each(i: u32) {
    let up = parents_at(i);
    var place = 0u;
    if up != NO_ELEMENT && up != i { place = preorder_at(up) + 1u; }
    above_put(preorder_at(i), place);
}
