// The common tangent of two hoods beside each other, found from one end: `hood_at(i)` are their points, and hoods bend to
// the left.
const LOW = 0u;
const EQUAL = 1u;
const HIGH = 2u;

// Where the tangent from a point on the left touches the hood of `count` points from `start` on: the last place, if there
// are two. All others are above it, so the points go down, seen from `p`, and then up. `count` > 0.
fn touch(p: Point, start: u32, count: u32) -> u32 {
    var low = 0u;
    var high = count - 1u;
    while low < high {
        let middle = (low + high) / 2u;
        // Below `count - 1`.
        if turn(p, hood_at(start + middle), hood_at(start + middle + 1u)) <= 0 { low = middle + 1u; } else { high = middle; }
    }
    return start + low;
}

// Whether the tangent from point `i` of the hood of `count` points from `start` on, which touches the other hood in `q`, is
// the common one, or touches too far to the left (LOW) or to the right (HIGH). If two points are on the common tangent, it
// is the first.
fn judge(i: u32, start: u32, count: u32, q: Point) -> u32 {
    let p = hood_at(i);
    if i + 1u < start + count && turn(p, hood_at(i + 1u), q) > 0 { return LOW; }
    if i > start && turn(hood_at(i - 1u), p, q) <= 0 { return HIGH; }
    return EQUAL;
}
