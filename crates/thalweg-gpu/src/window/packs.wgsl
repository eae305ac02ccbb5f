// Arrays as packs, of PACK keys each: those that are read, and those that are written.
const PACK = 4u / KEY_WORDS;
fn values_at(i: u32) -> Key { return pack_key(packs_at(i / PACK), i % PACK); }
fn pack_with(pack: vec4<u32>, slot: u32, key: Key) -> vec4<u32> {
    return select(pack, pack_of(key, key, key, key), SLOTS == vec4(slot));
}

// Writes the answers of four neighbours, from window `d` on, a multiple of four.
fn four_answers_put(d: u32, ranks: array<Key, 4>, places: vec4<u32>) {
    if POSITIONS { positions_put((positions_from() + d) / 4u, places + origin()); }
    if VALUES {
        let a = bits_found(0u, d, ranks[0], places.x);
        let b = bits_found(0u, d + 1u, ranks[1], places.y);
        let c = bits_found(0u, d + 2u, ranks[2], places.z);
        let e = bits_found(0u, d + 3u, ranks[3], places.w);
        let pack = (found_from() + d) / PACK;
        found_put(pack, pack_of(a, b, c, e));
        if KEY_WORDS == 2u { found_put(pack + 1u, pack_of(c, e, c, e)); }
    }
}
