// The nodes over a range in a layer where there are at most two: `a` is their height, in bits above the first layer.
fn each(i: u32) {
    let q = query_of(queries_at(i));
    let node = node_over(q.left, params.a);
    let both = node != node_over(q.right, params.a);
    rows_put(i, i);
    nodes_put(i, node);
    masks_put(i, select(1u, 3u, both));
    counts_put(i, select(1u, 2u, both));
}
