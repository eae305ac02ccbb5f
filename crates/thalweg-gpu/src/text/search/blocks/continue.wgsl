// Whether the bytes from `a` to `b` of the pattern, of length `c`, are at a place.
fn each(i: u32) {
    let place = places_at(i);
    var flag = 1u;
    for (var at = params.a; at < params.b; at += 4u) {
        if ((text_word(place + at) ^ pattern_at(at / 4u)) & bits_of(params.c - at)) != 0u {
            flag = 0u;
            break;
        }
    }
    flags_put(i, flag);
}
