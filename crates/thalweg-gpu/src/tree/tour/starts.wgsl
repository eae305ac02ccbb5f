// The places of the roots in preorder; 0 at all others.
fn each(i: u32) {
    let place = preorder_at(i);
    starts_put(place, select(0u, place, depths_at(i) == 0u));
}
