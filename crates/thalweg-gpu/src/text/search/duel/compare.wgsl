// A chunk of the pattern, of length `a`, at a survivor; `b` chunks each.
fn each(i: u32) {
    let survivor = i / params.b;
    let first = CHUNK * (i % params.b);
    let place = survivors_at(survivor);
    for (var at = first; at < min(first + CHUNK, params.a); at += 4u) {
        if ((text_word(place + at) ^ pattern_at(at / 4u)) & bits_of(params.a - at)) != 0u {
            // All who find a difference write the same.
            alive_store(survivor, 0u);
            return;
        }
    }
}
