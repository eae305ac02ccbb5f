// Which nodes are kept: of every row the first `b`, and two more, as the nodes at the ends of its range may be among them; and
// these. The last one that is kept for its rank bounds what is looked for. `a` is the height of the nodes.
fn each(i: u32) {
    let candidate = order_at(i);
    let row = rows_at(i);
    let place = i - starts_at(row);
    let node = nodes_at(candidate);
    let q = query_of(queries_at(row));
    let is_end = node == node_over(q.left, params.a) || node == node_over(q.right, params.a);
    flags_put(candidate, select(0u, 1u, is_end || place < params.b + 2u));
    if place == params.b + 1u && !is_end { bounds_put(row, keys_at(candidate)); }
}
