// The record of every node takes the place of its range. Labels on a way up have ever higher lowest bits, so there are at most 31
// of them; the way ends before where a node knows its bits already.
//
// The last number of a range becomes the bits, marked as such; the first one stays. So it does no harm where a device loads the
// words of a pair one after the other.
const KNOWN = 0x80000000u;

fn each(i: u32) {
    let own = records_load(i);
    var range = own;
    var bits = KNOWN;
    while (range.y & KNOWN) == 0u {
        let label = label_of(range);
        bits |= lowest_bit(label);
        let node = above_at(label).x;
        if node == NO_ELEMENT {
            if NODE_ABOVE_ALL { bits |= lowest_bit(label_of(vec2(1u, params.a))); }
            break;
        }
        range = records_load(node);
    }
    if (range.y & KNOWN) != 0u { bits |= range.y; }
    records_store(i, vec2(own.x, bits));
}
