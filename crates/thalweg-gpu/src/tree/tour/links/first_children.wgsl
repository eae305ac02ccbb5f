// The link behind every node's entry: to the entry of the child that comes first, or to its own exit. And where the tour
// begins.
fn each(i: u32) {
    let first = first_at(i);
    links_put(2u * i, select(2u * (first - 1u), 2u * i + 1u, first == 0u));
    if i == 0u {
        // Without a root, all are on cycles.
        let root = first_at(params.count);
        head_put(0u, select(2u * (root - 1u), NO_ELEMENT, root == 0u));
    }
}
