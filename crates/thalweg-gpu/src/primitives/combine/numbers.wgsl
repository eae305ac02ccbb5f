// Packs of up to four small numbers, one a word, which are only summed up.
fn no_values() -> vec4<u32> { return vec4(0u); }
// The first `count` numbers; the others become 0.
fn pack_cut(p: vec4<u32>, count: u32) -> vec4<u32> {
    return select(vec4(0u), p, vec4(count) > vec4(0u, 1u, 2u, 3u));
}
