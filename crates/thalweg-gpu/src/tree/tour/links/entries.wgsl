// The link behind every node's entry: to the entry of its first child, or to its own exit. And where the tour begins.
fn each(i: u32) {
    let first = offsets_at(i);
    var link = 2u * i + 1u;
    if first < offsets_at(i + 1u) { link = 2u * nodes_at(first); }
    links_put(2u * i, link);
    if i == 0u {
        // Without a root, all are on cycles.
        let root = offsets_at(params.count);
        link = NO_ELEMENT;
        if root < params.count { link = 2u * nodes_at(root); }
        head_put(0u, link);
    }
}
