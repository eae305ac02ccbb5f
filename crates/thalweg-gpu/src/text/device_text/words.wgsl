// Four bytes of a text from any byte on, and a single one.
fn text_word(byte: u32) -> u32 {
    let word = byte / 4u;
    let shift = 8u * (byte & 3u);
    if shift == 0u { return text_at(word); }
    return text_at(word) >> shift | text_at(word + 1u) << (32u - shift);
}
fn text_byte(byte: u32) -> u32 { return text_at(byte / 4u) >> (8u * (byte & 3u)) & 0xffu; }
