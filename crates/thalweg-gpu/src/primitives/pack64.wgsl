// Two two-word values, as memory is read and written.
const PACK = 2u;
fn pack_values(p: vec4<u32>) -> vec4<u32> { return vec4(value_of(p.xy), value_of(p.zw)); }
fn pack_bits(p: vec4<u32>) -> vec4<u32> { return vec4(bits_of(p.xy), bits_of(p.zw)); }
fn pack_total(p: vec4<u32>) -> Value { return combine(p.xy, p.zw); }
// Element k combines the elements 0 to k.
fn pack_scan(p: vec4<u32>) -> vec4<u32> { return vec4(p.xy, combine(p.xy, p.zw)); }
fn pack_last(p: vec4<u32>) -> Value { return p.zw; }
// From the totals up to every element to those before it.
fn pack_shift(p: vec4<u32>) -> vec4<u32> { return vec4(IDENTITY, p.xy); }
fn pack_after(before: Value, p: vec4<u32>) -> vec4<u32> { return vec4(combine(before, p.xy), combine(before, p.zw)); }
// The first `count` values; the others become the identity.
fn pack_cut(p: vec4<u32>, count: u32) -> vec4<u32> {
    return vec4(select(IDENTITY, p.xy, count > 0u), select(IDENTITY, p.zw, count > 1u));
}
const NO_VALUES = vec4<u32>(IDENTITY, IDENTITY);
