// Four keys of 8, 16 or 32 bits.
alias Four = vec4<u32>;

fn four_pack(a: Key, b: Key, c: Key, d: Key) -> Four { return vec4(a, b, c, d); }
// From the words of four keys, as they lie in memory: one vector of four, and one that does not count.
fn four_of_words(a: vec4<u32>, b: vec4<u32>) -> Four { return a; }
fn four_get(four: Four, k: u32) -> Key { return four[k]; }
fn four_select(if_false: Four, if_true: Four, which: vec4<bool>) -> Four { return select(if_false, if_true, which); }

// Which of the four count as neighbours of `key`.
fn four_before(four: Four, key: Key) -> vec4<bool> {
    if STRICT { return four < vec4(key); }
    return four <= vec4(key);
}
