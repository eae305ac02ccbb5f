// Numbers are inorder, so a subtree is what lies between the neighbours. The larger one is the upper one.
fn node_between(l: u32, r: u32, i: u32) -> Node {
    // NO_ELEMENT on the left is -1.
    let last = min(r, params.count);
    return Node(label_of(l + 2u, last), ~(last - l), i);
}

fn node_of(i: u32) -> Node { return node_between(left_at(i), right_at(i), i); }

fn above_of(i: u32) -> Node {
    let l = left_at(i);
    let r = right_at(i);
    // The parent's one neighbour is the other neighbour of i: see `parent_of`.
    if r != NO_ELEMENT && left_at(r) == l { return node_between(l, right_at(r), r); }
    if l != NO_ELEMENT { return node_between(left_at(l), r, l); }
    return Node(0u, 0u, NO_ELEMENT);
}
