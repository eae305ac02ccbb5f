// What a node is chosen by: its minimum, or the worst rank if it is at an end of its range, as that may be of an element outside.
// `a` is its height, in bits above the first layer, and `b` where its layer begins.
fn each(i: u32) {
    let node = nodes_at(i);
    let q = query_of(queries_at(rows_at(i)));
    let is_end = node == node_over(q.left, params.a) || node == node_over(q.right, params.a);
    keys_put(i, key_select(ranked_at(params.b + node), WORST, is_end));
}
