// Where changed elements are. Line numbers, and numbers of packs, fit 32 bits.
fn line_of(position: vec2<u32>) -> u32 {
    if !WIDE { return position.x / LINE; }
    return position.x / LINE | position.y << (32u - LINE_BITS);
}

fn pack_over(position: vec2<u32>) -> u32 { return position.x / PACK | position.y << (32u - firstTrailingBit(PACK)); }
fn word_in_pack(position: vec2<u32>) -> u32 { return position.x % PACK * KEY_WORDS; }
