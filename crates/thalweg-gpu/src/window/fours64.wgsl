// As fours32.wgsl.
const FOUR = 2u;
fn key_of_four(four: vec4<u32>, k: u32) -> Key { return select(four.xy, four.zw, k == 1u); }
fn four_with(four: vec4<u32>, k: u32, key: Key) -> vec4<u32> {
    return select(vec4(key, four.zw), vec4(four.xy, key), k == 1u);
}
fn four_keys_put(i: u32, a: Key, b: Key, c: Key, d: Key) {
    found_put(2u * i, vec4(a, b));
    found_put(2u * i + 1u, vec4(c, d));
}
