// Four one-word values, as memory is read and written.
const PACK = 4u;
fn pack_values(p: vec4<u32>) -> vec4<u32> {
    return vec4(value_of(p.x), value_of(p.y), value_of(p.z), value_of(p.w));
}
fn pack_bits(p: vec4<u32>) -> vec4<u32> { return vec4(bits_of(p.x), bits_of(p.y), bits_of(p.z), bits_of(p.w)); }
fn pack_total(p: vec4<u32>) -> Value { return combine(combine(p.x, p.y), combine(p.z, p.w)); }
// Element k combines the elements 0 to k.
fn pack_scan(p: vec4<u32>) -> vec4<u32> {
    let xy = combine(p.x, p.y);
    let xyz = combine(xy, p.z);
    return vec4(p.x, xy, xyz, combine(xyz, p.w));
}
fn pack_last(p: vec4<u32>) -> Value { return p.w; }
// From the totals up to every element to those before it.
fn pack_shift(p: vec4<u32>) -> vec4<u32> { return vec4(IDENTITY, p.xyz); }
fn pack_after(before: Value, p: vec4<u32>) -> vec4<u32> {
    return vec4(combine(before, p.x), combine(before, p.y), combine(before, p.z), combine(before, p.w));
}
// The first `count` values; the others become the identity.
fn pack_cut(p: vec4<u32>, count: u32) -> vec4<u32> {
    return vec4(
        select(IDENTITY, p.x, count > 0u), select(IDENTITY, p.y, count > 1u),
        select(IDENTITY, p.z, count > 2u), select(IDENTITY, p.w, count > 3u),
    );
}
const NO_VALUES = vec4<u32>(IDENTITY, IDENTITY, IDENTITY, IDENTITY);
