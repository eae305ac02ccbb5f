// The record of every node. Labels on a way up have ever higher lowest bits, so there are at most 31 of them.
fn each(i: u32) {
    let range = range_of(i);
    var bits = 0u;
    for (var label = label_of(range); label != 0u; label = up_at(label)) { bits |= lowest_bit(label); }
    records_put(i, vec2(range.x, bits));
}
