// What is done with four keys, whatever their width.
const NONE = 0xffffffffu;

fn before(a: Key, b: Key) -> bool {
    if STRICT { return key_less(a, b); }
    return !key_less(b, a);
}
fn four_min(four: Four) -> Key {
    let first = key_min(four_get(four, 0u), four_get(four, 1u));
    return key_min(first, key_min(four_get(four, 2u), four_get(four, 3u)));
}
fn four_rank(four: Four) -> Four {
    return four_pack(
        key_rank(four_get(four, 0u)), key_rank(four_get(four, 1u)),
        key_rank(four_get(four, 2u)), key_rank(four_get(four, 3u)),
    );
}
fn four_worst() -> Four { return four_pack(WORST, WORST, WORST, WORST); }
// The numbers of the last and the first that is true; 4 if none is.
fn last_of(four: vec4<bool>) -> u32 {
    return select(select(select(select(4u, 0u, four.x), 1u, four.y), 2u, four.z), 3u, four.w);
}
fn first_of(four: vec4<bool>) -> u32 {
    return select(select(select(select(4u, 3u, four.w), 2u, four.z), 1u, four.y), 0u, four.x);
}
fn mask_of(four: vec4<bool>) -> u32 {
    return select(0u, 1u, four.x) | select(0u, 2u, four.y) | select(0u, 4u, four.z) | select(0u, 8u, four.w);
}
// The lowest `count` bits, at most 31 of them.
fn low_bits(count: u32) -> u32 { return (1u << count) - 1u; }
