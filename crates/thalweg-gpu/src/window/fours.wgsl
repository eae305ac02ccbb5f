fn values_at(i: u32) -> Key { return key_of_four(fours_at(i / FOUR), i % FOUR); }

// Writes the answers of four neighbours, from window `d` on, a multiple of four.
fn four_answers_put(d: u32, ranks: array<Key, 4>, places: vec4<u32>) {
    if POSITIONS { positions_put(d / 4u, places); }
    if VALUES {
        four_keys_put(
            d / 4u,
            bits_found(0u, d, ranks[0], places.x),
            bits_found(0u, d + 1u, ranks[1], places.y),
            bits_found(0u, d + 2u, ranks[2], places.z),
            bits_found(0u, d + 3u, ranks[3], places.w),
        );
    }
}
