// Four flags, each 1 if it is not zero.
const PACK = 4u;
fn pack_values(p: vec4<u32>) -> vec4<u32> { return vec4<u32>(p != vec4(0u)); }
fn pack_total(p: vec4<u32>) -> Value { return p.x + p.y + p.z + p.w; }
