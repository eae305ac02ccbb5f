// The numbers of a subtree, from its root's place in preorder.
fn range_of(i: u32) -> vec2<u32> {
    let place = preorder_at(i);
    return vec2(place + 2u, place + 1u + sizes_at(i));
}
