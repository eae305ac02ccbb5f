// Numbers are preorder, after the number 1 of a node above all roots, which is nobody: NO_ELEMENT.
fn node_of(i: u32) -> Node {
    let pre = preorder_at(i);
    return Node(label_of(pre + 2u, pre + 1u + sizes_at(i)), pre + 1u, i);
}

fn above_of(i: u32) -> Node {
    let up = parents_at(i);
    if up == NO_ELEMENT || up == i { return Node(label_of(1u, params.count + 1u), 0u, NO_ELEMENT); }
    return node_of(up);
}
