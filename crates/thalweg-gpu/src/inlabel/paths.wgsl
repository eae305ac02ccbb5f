// What is above every path: its upper end knows the node above it, and that one's label.
fn each(i: u32) {
    let own = node_of(i);
    let other = above_of(i);
    if own.label != other.label {
        above_put(own.label, vec2(other.node, other.order));
        up_put(own.label, other.label);
    }
    // The node above all, where it is one of its own, has the range of all numbers.
    if NODE_ABOVE_ALL && i == 0u { up_put(label_of(1u, params.a), 0u); }
}
