// From the entries before a node's entry and exit to its place in preorder and the size of its subtree.
fn each(i: u32) {
    let entered = of_element(2u * i, params.a);
    let left = of_element(2u * i + 1u, params.a);
    preorder_put(i, entered);
    sizes_put(i, left - entered);
}
