// Which of a node's 16 entries count as neighbours of `key`, as bits. `16 * node` is less than the level's length.
fn node_hits(level: u32, node: u32, key: Key) -> u32 {
    var hits = 0u;
    if level == 0u {
        // The last node's end may lie beyond the array, but not beyond its buffer, a multiple of 256 bytes.
        for (var q = 0u; q < 4u; q++) { hits |= mask_of(four_before(values_four(4u * node + q), key)) << (4u * q); }
    } else {
        let first = params.levels[level].x / 4u + 4u * node;
        for (var q = 0u; q < 4u; q++) { hits |= mask_of(four_before(levels_four(first + q), key)) << (4u * q); }
    }
    return hits & low_bits(min(16u, params.levels[level].y - 16u * node));
}
