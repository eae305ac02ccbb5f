// The phrases of 32 positions, as they are kept: source and length, or the literal's byte and 0. The text's length is `a`.
fn each(i: u32) {
    var bits = begins_at(i);
    var place = counts_at(i) - countOneBits(bits);
    while bits != 0u {
        let position = 32u * i + firstTrailingBit(bits);
        bits &= bits - 1u;
        let found = matches_at(position);
        let length = min(found.x, params.a - position);
        phrases_put(place, select(vec2(found.y, length), vec2(text_byte(position), 0u), length == 0u));
        place++;
    }
}
