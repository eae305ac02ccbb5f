// The record of every node. Labels on a way up have ever higher lowest bits, so there are at most 31 of them.
fn each(i: u32) {
    let own = node_of(i);
    var bits = 0u;
    for (var label = own.label; label != 0u; label = up_at(label)) { bits |= lowest_bit(label); }
    records_put(i, vec4(own.label, bits, own.order, 0u));
}
