// From the entries before a node's entry and exit to the numbers of its subtree, counted from 2: the first and the last.
fn each(i: u32) {
    let entered = of_element(2u * i, params.a);
    let left = of_element(2u * i + 1u, params.a);
    range_put(i, vec2(entered + 2u, left + 1u));
}
