// What follows from a node's place in preorder, its subtree's size and its depth: see `derive`.
fn each(i: u32) { derive(i, preorder_at(i), sizes_at(i), depths_at(i)); }
