// A tile of the list.
fn opened(i: u32) -> Known {
    let words = opened_tiles_at(i);
    return Known(words.x >> 2u, words.x & 3u, Best(opened_keys_at(i), words.y), words.z, words.w);
}
