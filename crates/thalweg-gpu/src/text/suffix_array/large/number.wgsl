// The numbers of the large groups of suffixes, in another order. `a` blocks, `b` places.
fn each(i: u32) {
    let place = places_at(order_at(i));
    let block = place / BLOCK;
    var begun: u32;
    if place < first_of(block, params.a, params.b) { begun = begins_at(block - 1u); } else { begun = begins_at(block); }
    keys_put(i, begun - 1u);
}
