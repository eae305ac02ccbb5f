// From the least parent's place to the node.
fn answer(i: u32, q: vec2<u32>) {
    let place = least_at(i);
    var node = q.x;
    if q.x != q.y {
        node = NO_NODE;
        if place != 0u { node = order_at(place - 1u); }
    }
    out_put(i, node);
}
