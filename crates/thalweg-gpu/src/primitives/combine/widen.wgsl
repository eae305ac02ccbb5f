// Four one-word numbers whose totals have two words.
const PACK = 4u;
fn pack_values(p: vec4<u32>) -> vec4<u32> { return p; }
fn pack_total(p: vec4<u32>) -> Value {
    return combine(combine(vec2(p.x, 0u), vec2(p.y, 0u)), combine(vec2(p.z, 0u), vec2(p.w, 0u)));
}
