// Heights of segments at whole x, exactly: a whole number and a fraction below one, y + rest / run.
struct Height { y: u32, rest: u32, run: u32 }

fn product(a: u32, b: u32) -> vec2<u32> {
    let low = (a & 0xffffu) * (b & 0xffffu);
    let cross = (a & 0xffffu) * (b >> 16u) + (low >> 16u);
    let middle = (a >> 16u) * (b & 0xffffu) + (cross & 0xffffu);
    return vec2((middle << 16u) | (low & 0xffffu), (a >> 16u) * (b >> 16u) + (cross >> 16u) + (middle >> 16u));
}

fn less_wide(a: vec2<u32>, b: vec2<u32>) -> bool { return a.y < b.y || (a.y == b.y && a.x < b.x); }

// One digit of 16 bits of a quotient: (high, low) / divisor, where `high` is less than the divisor, whose highest bit is set.
// Estimated by the divisor's upper half, and too large by two at most (Knuth, 4.3.1).
fn quotient_digit(high: u32, low: u32, divisor: u32) -> u32 {
    let top = divisor >> 16u;
    let bottom = divisor & 0xffffu;
    var digit = high / top;
    var rest = high - digit * top;
    while digit >= 0x10000u || digit * bottom > ((rest << 16u) | low) {
        digit -= 1u;
        rest += top;
        if rest >= 0x10000u { break; }
    }
    return digit;
}

// Quotient and remainder of a product by a number that is larger than the product's high word, so the quotient fits.
fn quotient(number: vec2<u32>, divisor: u32) -> vec2<u32> {
    let shift = countLeadingZeros(divisor);
    let d = divisor << shift;
    // Shifts by 32 are none.
    let high = (number.y << shift) | select(number.x >> (32u - shift), 0u, shift == 0u);
    let low = number.x << shift;
    // All of these wrap around, and fit in the end.
    let first = quotient_digit(high, low >> 16u, d);
    let middle = ((high << 16u) | (low >> 16u)) - first * d;
    let second = quotient_digit(middle, low & 0xffffu, d);
    let rest = ((middle << 16u) | (low & 0xffffu)) - second * d;
    return vec2((first << 16u) + second, rest >> shift);
}

// The height from how far the segment has gone up or down since its left end.
fn height_of(s: Segment, gone: vec2<u32>, run: u32) -> Height {
    if s.right.y >= s.left.y { return Height(s.left.y + gone.x, gone.y, run); }
    if gone.y == 0u { return Height(s.left.y - gone.x, 0u, run); }
    return Height(s.left.y - gone.x - 1u, run - gone.y, run);
}

// How much a segment rises or falls.
fn rise_of(s: Segment) -> u32 { return max(s.left.y, s.right.y) - min(s.left.y, s.right.y); }
// And over how much. For a single x it is one, and the rise is none.
fn run_of(s: Segment) -> u32 { return max(s.right.x - s.left.x, 1u); }

// The whole rise, and what is left over, from the left end to `x`, which the segment covers.
fn gone_at(s: Segment, x: u32) -> vec2<u32> {
    let rise = rise_of(s);
    if rise == 0u { return vec2(0u); }
    // At its right end the quotient is the rise, which fits, though the product's high word may equal the run.
    if x == s.right.x { return vec2(rise, 0u); }
    return quotient(product(rise, x - s.left.x), run_of(s));
}

fn height_at(s: Segment, x: u32) -> Height { return height_of(s, gone_at(s, x), run_of(s)); }

// Whether segment `i` of height `a` is to be preferred to segment `j` of height `b`: lower, or as low and earlier.
fn is_better(a: Height, i: u32, b: Height, j: u32) -> bool {
    if a.y != b.y { return a.y < b.y; }
    if a.rest == 0u && b.rest == 0u { return i < j; }
    let one = product(a.rest, b.run);
    let two = product(b.rest, a.run);
    if all(one == two) { return i < j; }
    return less_wide(one, two);
}
