// What was found are nodes, which go on with their rows.
fn note(i: u32, begin: u32, count: u32) {}
fn put(place: u32, i: u32, node: u32, bit: u32) {
    next_rows_put(place, rows_at(i));
    next_nodes_put(place, (node << params.up) + bit);
}
