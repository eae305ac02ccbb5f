// Arrays as packs, of PACK keys each: those that are read, and those that are written.
const PACK = 4u / KEY_WORDS;
fn values_at(i: u32) -> Key { return pack_key(packs_at(i / PACK), i % PACK); }
fn pack_with(pack: vec4<u32>, slot: u32, key: Key) -> vec4<u32> {
    return select(pack, pack_of(key, key, key, key), SLOTS == vec4(slot));
}

// The answers of four neighbours, from window `d` on, a multiple of four, as they are written.
struct Four { d: u32, values: vec4<u32>, more_values: vec4<u32>, places: vec4<u32> }
fn four_of(d: u32, ranks: array<Key, ANSWERS>, places: vec4<u32>) -> Four {
    var four: Four;
    four.d = d;
    four.places = places + origin();
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
        four.values = pack_of(bits[0], bits[1], bits[2], bits[3]);
        if KEY_WORDS == 2u { four.more_values = pack_of(bits[2], bits[3], bits[2], bits[3]); }
    }
    return four;
}

// Of keys of one word.
fn four_select(if_false: Four, if_true: Four, condition: bool) -> Four {
    var four: Four;
    four.d = select(if_false.d, if_true.d, condition);
    four.values = select(if_false.values, if_true.values, condition);
    four.places = select(if_false.places, if_true.places, condition);
    return four;
}

// What the other of two threads side by side has, of keys of one word.
fn four_from_pair(mine: Four) -> Four {
    var four: Four;
    four.d = subgroupShuffleXor(mine.d, 1u);
    if VALUES { four.values = subgroupShuffleXor(mine.values, 1u); }
    if POSITIONS { four.places = subgroupShuffleXor(mine.places, 1u); }
    return four;
}

fn four_put(four: Four) {
    // What is behind the last window, of the last four, is nobody's.
    if four.d >= params.dense { return; }
    if POSITIONS { positions_put((positions_from() + four.d) / 4u, four.places); }
    if VALUES {
        let pack = (found_from() + four.d) / PACK;
        found_put(pack, four.values);
        if KEY_WORDS == 2u { found_put(pack + 1u, four.more_values); }
    }
}
