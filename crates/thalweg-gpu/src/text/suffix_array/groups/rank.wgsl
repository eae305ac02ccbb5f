// Where the group of a place begins now, fresh heads counted. Beyond the block the scan of last heads knows it.
fn head_of(place: u32) -> u32 {
    let block = place / BLOCK;
    let start = block * (BLOCK / 32u);
    var word = place / 32u;
    var bits = (heads_at(word) | fresh_at(word)) & (0xffffffffu >> (31u - (place & 31u)));
    while bits == 0u && word > start {
        word--;
        bits = heads_at(word) | fresh_at(word);
    }
    if bits != 0u { return 32u * word + firstLeadingBit(bits); }
    // Place 0 is a head: there is a block before.
    return last_at(block - 1u);
}

// Whose group begins with a fresh head gets another rank; with an old one it is the one that it had. Of a window's ranks.
fn each(i: u32) {
    let head = head_of(i);
    if ALL || (heads_at(head / 32u) >> (head & 31u) & 1u) == 0u {
        let position = sa_at(i);
        if position - params.a < params.b { ranks_put(position, head); }
    }
}
