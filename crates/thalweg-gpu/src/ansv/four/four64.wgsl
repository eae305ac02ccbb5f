// Four keys of 64 bits: their low words and their high words.
struct Four { low: vec4<u32>, high: vec4<u32> }

fn four_pack(a: Key, b: Key, c: Key, d: Key) -> Four {
    return Four(vec4(a.x, b.x, c.x, d.x), vec4(a.y, b.y, c.y, d.y));
}
// From the words of four keys, as they lie in memory.
fn four_of_words(a: vec4<u32>, b: vec4<u32>) -> Four { return Four(vec4(a.x, a.z, b.x, b.z), vec4(a.y, a.w, b.y, b.w)); }
fn four_get(four: Four, k: u32) -> Key { return vec2(four.low[k], four.high[k]); }
fn four_select(if_false: Four, if_true: Four, which: vec4<bool>) -> Four {
    return Four(select(if_false.low, if_true.low, which), select(if_false.high, if_true.high, which));
}

// Which of the four count as neighbours of `key`.
fn four_before(four: Four, key: Key) -> vec4<bool> {
    let low = vec4(key.x);
    let high = vec4(key.y);
    if STRICT { return (four.high < high) | ((four.high == high) & (four.low < low)); }
    return (four.high < high) | ((four.high == high) & (four.low <= low));
}
