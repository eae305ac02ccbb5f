// Two two-word keys, each 1 if it passes.
const PACK = 2u;
fn pack_values(p: vec4<u32>) -> vec4<u32> { return vec4(passes(p.xy), passes(p.zw), 0u, 0u); }
fn pack_total(p: vec4<u32>) -> Value { return p.x + p.y; }
fn pack_cut(p: vec4<u32>, count: u32) -> vec4<u32> {
    return select(vec4(0u), p, vec4(count) > vec4(0u, 1u, 2u, 3u));
}
const NO_VALUES = vec4<u32>(0u, 0u, 0u, 0u);
