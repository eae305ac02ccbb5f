// What is above every path: its upper end knows the node above it, and that one's label. Above roots there may be one that is
// nobody, with the range of all numbers.
fn each(i: u32) {
    let label = label_of(range_of(i));
    let node = parent_of(i);
    var range = vec2(1u, params.a);
    if node != NO_ELEMENT { range = range_of(node); }
    var upper = label_of(range);
    if !NODE_ABOVE_ALL && node == NO_ELEMENT { upper = 0u; }
    if label != upper {
        above_put(label, vec2(node, range.x));
        keep_up(label, upper);
    }
    // Nobody is above its path, on which there may be roots.
    if NODE_ABOVE_ALL && i == 0u {
        let topmost = label_of(vec2(1u, params.a));
        above_put(topmost, vec2(NO_ELEMENT, 0u));
        keep_up(topmost, 0u);
    }
}
