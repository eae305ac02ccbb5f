// Opens a node: which of its 32 children lie, at least in part, in the row's range, and have a minimum that is not above
// the threshold. `a` is the node's height, in bits above the first layer, and `b` the pack where its layer of children
// begins.
//
// Bounds: a pack is read only if a child in it is not behind that of the right bound, which exists.
fn not_above(v: Pack, most: Key) -> u32 {
    var bits = 0u;
    for (var slot = 0u; slot < PACK; slot++) { bits |= select(1u << slot, 0u, key_less(most, pack_key(v, slot))); }
    return bits;
}

fn each(i: u32) {
    let row = rows_at(i);
    let node = nodes_at(i);
    let q = query_of(queries_at(row));
    let first = select(0u, slot_under(q.left, params.a), node == node_over(q.left, params.a));
    let last = select(31u, slot_under(q.right, params.a), node == node_over(q.right, params.a));
    var most = thresholds_at(select(row, 0u, ONE_THRESHOLD));
    if !RANKED { most = key_rank(most); }
    var mask = 0u;
    @unroll for (var k = 0u; k < NODE_PACKS; k++) {
        if (k + 1u) * PACK > first && k * PACK <= last {
            mask |= not_above(children_of(params.b + node * NODE_PACKS + k), most) << (k * PACK);
        }
    }
    mask &= (0xffffffffu << first) & (0xffffffffu >> (31u - last));
    masks_put(i, mask);
    counts_put(i, countOneBits(mask));
}
