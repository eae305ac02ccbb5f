// The first `b` symbols of every suffix, of `c` bits each, as a number of 64 bits.

// The number of the symbol at a position; 0 behind the text's end, which is at `a`.
fn symbol(position: u32) -> u32 {
    if position >= params.a { return 0u; }
    return numbers_at(text_byte(position));
}

fn each(i: u32) {
    var key = vec2(0u);
    for (var k = 0u; k < params.b; k++) {
        key = vec2(key.x << params.c, (key.y << params.c) | (key.x >> (32u - params.c)));
        key.x |= symbol(i + k);
    }
    keys_put(i, key);
    positions_put(i, i);
}
