// The places of a thread, from its bits, where they belong.
fn each(i: u32) {
    var bits = bits_at(i);
    var at = before_at(i);
    while bits != 0u {
        places_put(at, 32u * i + firstTrailingBit(bits));
        bits &= bits - 1u;
        at++;
    }
}
