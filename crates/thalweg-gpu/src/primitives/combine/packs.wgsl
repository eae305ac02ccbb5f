// Values as memory is read and written: the PACK keys of a pack. What is said of slots that keys of two words do not have
// is cut off by `pack_of`.
const PACK = 4u / KEY_WORDS;
fn no_values() -> vec4<u32> { return pack_of(IDENTITY, IDENTITY, IDENTITY, IDENTITY); }
fn pack_values(p: vec4<u32>) -> vec4<u32> {
    return pack_of(
        value_of(pack_key(p, 0u)), value_of(pack_key(p, 1u)), value_of(pack_key(p, 2u)), value_of(pack_key(p, 3u)),
    );
}
fn pack_bits(p: vec4<u32>) -> vec4<u32> {
    return pack_of(
        bits_of(pack_key(p, 0u)), bits_of(pack_key(p, 1u)), bits_of(pack_key(p, 2u)), bits_of(pack_key(p, 3u)),
    );
}
fn pack_total(p: vec4<u32>) -> Value {
    let two = combine(pack_key(p, 0u), pack_key(p, 1u));
    if PACK == 2u { return two; }
    return combine(two, combine(pack_key(p, 2u), pack_key(p, 3u)));
}
// Element k combines the elements 0 to k.
fn pack_scan(p: vec4<u32>) -> vec4<u32> {
    let two = combine(pack_key(p, 0u), pack_key(p, 1u));
    let three = combine(two, pack_key(p, 2u));
    return pack_of(pack_key(p, 0u), two, three, combine(three, pack_key(p, 3u)));
}
fn pack_last(p: vec4<u32>) -> Value { return pack_key(p, PACK - 1u); }
// From the totals up to every element to those before it.
fn pack_shift(p: vec4<u32>) -> vec4<u32> {
    return pack_of(IDENTITY, pack_key(p, 0u), pack_key(p, 1u), pack_key(p, 2u));
}
fn pack_after(before: Value, p: vec4<u32>) -> vec4<u32> {
    return pack_of(
        combine(before, pack_key(p, 0u)), combine(before, pack_key(p, 1u)),
        combine(before, pack_key(p, 2u)), combine(before, pack_key(p, 3u)),
    );
}
// The first `count` values; the others become the identity.
fn pack_cut(p: vec4<u32>, count: u32) -> vec4<u32> {
    return pack_of(
        key_select(IDENTITY, pack_key(p, 0u), count > 0u), key_select(IDENTITY, pack_key(p, 1u), count > 1u),
        key_select(IDENTITY, pack_key(p, 2u), count > 2u), key_select(IDENTITY, pack_key(p, 3u), count > 3u),
    );
}
