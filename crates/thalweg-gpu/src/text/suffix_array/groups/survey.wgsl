// First and last head of a block of BLOCK places, and how many there are in all. Of `a` words of bits, those behind place
// `b` do not count.
fn each(block: u32) {
    var first = params.b;
    var last = 0u;
    var count = 0u;
    let start = block * (BLOCK / 32u);
    for (var word = start; word < min(start + BLOCK / 32u, params.a); word++) {
        var bits = heads_at(word) | fresh_at(word);
        // The last word's places: 1 to 32.
        if word + 1u == params.a { bits &= 0xffffffffu >> (31u - ((params.b - 1u) & 31u)); }
        if bits != 0u {
            first = min(first, 32u * word + firstTrailingBit(bits));
            last = 32u * word + firstLeadingBit(bits);
            count += countOneBits(bits);
        }
    }
    last_put(block, last);
    // The other way round: a scan from the front to the back makes it the first of all behind.
    first_put(params.count - 1u - block, first);
    atomicAdd(&found[0], count);
}
