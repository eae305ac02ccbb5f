// One thread for 32 positions from `32 i` on; `a` is how many places there can be, `b` how much is compared.

// Whether the pattern goes on at a place as it has begun there.
fn rest_occurs(place: u32) -> bool {
    for (var at = 4u; at < params.b; at += 4u) {
        if ((text_word(place + at) ^ pattern_at(at / 4u)) & bits_of(params.b - at)) != 0u { return false; }
    }
    return true;
}

fn each(i: u32) {
    let first = 32u * i;
    let head = pattern_at(0u);
    let mask = bits_of(params.b);
    var bits = 0u;
    var word = text_at(8u * i);
    for (var w = 0u; w < 8u; w++) {
        // The words reach three beyond the last place at most; behind those there are none in this word.
        if first + 4u * w >= params.a { break; }
        let next = text_at(8u * i + w + 1u);
        var window = word;
        for (var k = 0u; k < 4u; k++) {
            let place = first + 4u * w + k;
            if place < params.a && ((window ^ head) & mask) == 0u && rest_occurs(place) { bits |= 1u << (4u * w + k); }
            // Shifts by 32 are none.
            window = word >> ((8u * k + 8u) & 31u) | next << (24u - 8u * k);
        }
        word = next;
    }
    bits_put(i, bits);
    counts_put(i, countOneBits(bits));
}
