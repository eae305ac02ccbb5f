// What is above every path: its upper end knows the node above it. Above roots there may be one that is nobody, with the range
// of all numbers. And every node's range, where its record will be, if it is not there already.
fn each(i: u32) {
    let range = range_of(i);
    keep_range(i, range);
    let node = parent_of(i);
    var upper = vec2(1u, params.a);
    if node != NO_ELEMENT { upper = range_of(node); }
    let label = label_of(range);
    if label != label_of(upper) || (!NODE_ABOVE_ALL && node == NO_ELEMENT) { above_put(label, vec2(node, upper.x)); }
    // Nobody is above its path, on which there may be roots.
    if NODE_ABOVE_ALL && i == 0u { above_put(label_of(vec2(1u, params.a)), vec2(NO_ELEMENT, 0u)); }
}
