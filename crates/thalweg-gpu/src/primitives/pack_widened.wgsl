// Four one-word numbers whose totals have two words.
const PACK = 4u;
fn pack_values(p: vec4<u32>) -> vec4<u32> { return p; }
fn pack_total(p: vec4<u32>) -> Value {
    return combine(combine(vec2(p.x, 0u), vec2(p.y, 0u)), combine(vec2(p.z, 0u), vec2(p.w, 0u)));
}
fn pack_cut(p: vec4<u32>, count: u32) -> vec4<u32> {
    return select(vec4(0u), p, vec4(count) > vec4(0u, 1u, 2u, 3u));
}
const NO_VALUES = vec4<u32>(0u, 0u, 0u, 0u);
