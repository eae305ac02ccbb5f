// Numbers are inorder, so a subtree is what lies between the neighbours. NO_ELEMENT on the left is -1.
fn range_of(i: u32) -> vec2<u32> { return vec2(left_at(i) + 2u, min(right_at(i), params.count)); }
