// The PACK keys of a pack, each 1 if it passes.
const PACK = 4u / KEY_WORDS;
fn pack_values(p: vec4<u32>) -> vec4<u32> {
    let two = vec2(passes(pack_key(p, 0u)), passes(pack_key(p, 1u)));
    if PACK == 2u { return vec4(two, 0u, 0u); }
    return vec4(two, passes(pack_key(p, 2u)), passes(pack_key(p, 3u)));
}
fn pack_total(p: vec4<u32>) -> Value { return p.x + p.y + p.z + p.w; }
