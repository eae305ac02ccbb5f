// Which way a path of three points turns, exactly. Points are (y, x), the low and the high word of their sort key, as
// unsigned numbers, and x increases from each to the next; for the upper side all y are complemented, which turns the plane
// over.
//
// Differences of x are positive, and those of y have a sign and a size of 32 bits: so products of 64 bits are enough.
alias Point = vec2<u32>;

fn point_of(key: vec2<u32>) -> Point { return vec2(select(key.x, ~key.x, UPPER), key.y); }

fn product(a: u32, b: u32) -> vec2<u32> {
    let low = (a & 0xffffu) * (b & 0xffffu);
    let cross = (a & 0xffffu) * (b >> 16u) + (low >> 16u);
    let middle = (a >> 16u) * (b & 0xffffu) + (cross & 0xffffu);
    return vec2((middle << 16u) | (low & 0xffffu), (a >> 16u) * (b >> 16u) + (cross >> 16u) + (middle >> 16u));
}

fn compare(a: vec2<u32>, b: vec2<u32>) -> i32 {
    if a.y != b.y { return select(-1, 1, a.y > b.y); }
    return select(select(-1, 1, a.x > b.x), 0, a.x == b.x);
}

// 1 to the left, -1 to the right, 0 straight on.
fn turn(a: Point, b: Point, c: Point) -> i32 {
    let first_rises = b.x >= a.x;
    let second_rises = c.x >= b.x;
    if first_rises != second_rises { return select(-1, 1, second_rises); }
    // The slopes of the two steps, over a common denominator.
    let first = product(c.y - b.y, max(a.x, b.x) - min(a.x, b.x));
    let second = product(b.y - a.y, max(b.x, c.x) - min(b.x, c.x));
    return select(compare(first, second), compare(second, first), first_rises);
}
