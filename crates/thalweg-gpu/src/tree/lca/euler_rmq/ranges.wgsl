// The range of places whose least parent is the answer.
fn answer(i: u32, q: vec2<u32>) {
    var range = vec2(preorder_at(q.x), preorder_at(q.y));
    if range.x > range.y { range = range.yx; }
    // Of one node there is nothing to find, but a range must not be empty.
    ranges_put(i, select(range + vec2(1u, 0u), range, range.x == range.y));
}
