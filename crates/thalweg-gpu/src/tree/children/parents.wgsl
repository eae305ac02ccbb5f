// The parent of every node; of a root the number behind all nodes.
fn each(i: u32) {
    let up = parents_at(i);
    keys_put(i, select(up, params.count, up == NO_ELEMENT || up == i));
}
