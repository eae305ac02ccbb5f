// First and last place in preorder of the subtrees asked about: of all nodes, or of these.
fn each(i: u32) {
    var node = i;
    if LISTED { node = nodes_at(i); }
    let first = preorder_at(node);
    ranges_put(i, vec2(first, first + sizes_at(node) - 1u));
}
