// From the entries and exits before a node's own to its place in preorder, the size of its subtree and its depth.
fn each(i: u32) {
    let entered = of_element(2u * i, params.a);
    let left = of_element(2u * i + 1u, params.a);
    preorder_put(i, entered.x);
    sizes_put(i, left.x - entered.x);
    depths_put(i, entered.x - entered.y);
}
