// How many of the ranks `start..start + len`, which ascend, come before `rank`: those that are less, or, for
// `and_equal`, not greater. It is known to be `low` at least and `high` at most.
fn before(start: u32, low: u32, high: u32, rank: Key, and_equal: bool) -> u32 {
    var l = low;
    var h = high;
    while l < h {
        let middle = l + (h - l) / 2u;
        let other = rank_at(start + middle);
        if key_less(other, rank) || (and_equal && key_equal(other, rank)) { l = middle + 1u; } else { h = middle; }
    }
    return l;
}

// The neighbour of the sorted segment that an element belongs to, in an array of `count`. Segments are `segment` long,
// the last may be shorter.
struct Neighbour { start: u32, length: u32, own: u32, pair: u32, is_left: bool }
fn neighbour_of(i: u32, segment: u32, count: u32) -> Neighbour {
    let own = i - i % segment;
    if ((own / segment) & 1u) == 0u {
        // Whatever is left behind its own segment. No sum exceeds `count`.
        let length = min(count - own, segment);
        return Neighbour(own + length, min(count - own - length, segment), own, own, true);
    }
    return Neighbour(own - segment, segment, own, own - segment, false);
}
