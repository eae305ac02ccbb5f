// The answer is a key, fetched by its position from an array that is read in packs. A pack's number fits 32 bits, and PACK
// is at least 2, so the shift is at most 31.
fn answer(i: u32, rank: Key, position: vec2<u32>) {
    let pack = position.x / PACK | position.y << (32u - firstTrailingBit(PACK));
    out[i] = pack_key(values_at(pack), position.x % PACK);
}
