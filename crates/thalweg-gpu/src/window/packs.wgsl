// Arrays as packs, of PACK keys each: those that are read, and those that are written.
const PACK = 4u / KEY_WORDS;
fn values_at(i: u32) -> Key { return pack_key(packs_at(i / PACK), i % PACK); }
fn pack_with(pack: vec4<u32>, slot: u32, key: Key) -> vec4<u32> {
    return select(pack, pack_of(key, key, key, key), SLOTS == vec4(slot));
}

// Writes the answers of four neighbours, from window `d` on, a multiple of four.
fn four_answers_put(d: u32, ranks: array<Key, ANSWERS>, places: vec4<u32>) {
    if POSITIONS { positions_put((positions_from() + d) / 4u, places + origin()); }
    if VALUES {
        var odd = false;
        var bits: array<Key, ANSWERS>;
        @unroll for (var k = 0u; k < ANSWERS; k++) {
            odd = odd | is_odd_rank(ranks[k]);
            bits[k] = plain_bits(ranks[k]);
        }
        if odd {
            @unroll for (var k = 0u; k < ANSWERS; k++) { bits[k] = bits_found(0u, d + k, ranks[k], places[k]); }
        }
        let pack = (found_from() + d) / PACK;
        found_put(pack, pack_of(bits[0], bits[1], bits[2], bits[3]));
        if KEY_WORDS == 2u { found_put(pack + 1u, pack_of(bits[2], bits[3], bits[2], bits[3])); }
    }
}
