// Four keys of 8, 16 or 32 bits.
alias Four = vec4<u32>;

fn four_pack(a: Key, b: Key, c: Key, d: Key) -> Four { return vec4(a, b, c, d); }
fn four_get(four: Four, k: u32) -> Key { return four[k]; }
fn four_min(four: Four) -> Key { return min(min(four.x, four.y), min(four.z, four.w)); }
fn four_rank(four: Four) -> Four {
    return vec4(key_rank(four.x), key_rank(four.y), key_rank(four.z), key_rank(four.w));
}
fn four_select(if_false: Four, if_true: Four, which: vec4<bool>) -> Four { return select(if_false, if_true, which); }

// Which of the four count as neighbours of `key`.
fn four_before(four: Four, key: Key) -> vec4<bool> {
    if STRICT { return four < vec4(key); }
    return four <= vec4(key);
}
