// The link behind every node's exit: to the entry of its next sibling, or to the exit of its parent. One thread a child,
// by parents.
fn each(i: u32) {
    let up = keys_at(i);
    var link = select(2u * up + 1u, NO_ELEMENT, up == params.count);
    if i + 1u < params.count && keys_at(i + 1u) == up { link = 2u * nodes_at(i + 1u); }
    links_put(2u * nodes_at(i) + 1u, link);
}
