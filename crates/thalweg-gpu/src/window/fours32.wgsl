// Vectors of four words, of FOUR keys.
const FOUR = 4u;
fn key_of_four(four: vec4<u32>, k: u32) -> Key { return four[k]; }
fn four_with(four: vec4<u32>, k: u32, key: Key) -> vec4<u32> {
    return select(four, vec4(key), vec4(0u, 1u, 2u, 3u) == vec4(k));
}
fn four_keys_put(i: u32, a: Key, b: Key, c: Key, d: Key) { found_put(i, vec4(a, b, c, d)); }
