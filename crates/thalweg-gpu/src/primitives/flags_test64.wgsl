// Flags from a comparison of the elements with a bound.
fn load_flags(i: u32) -> vec4<u32> { return vec4(0u); }
fn passes(element: Key) -> u32 {
    let rank = key_rank(element);
    let bound = vec2(params.bound_low, params.bound_high);
    return select(0u, 1u, key_less(rank, bound) || (AND_EQUAL && key_equal(rank, bound)));
}
fn row_flags(row: vec4<u32>, quad: Quad) -> vec4<u32> {
    return vec4(passes(quad.a), passes(quad.b), passes(quad.c), passes(quad.d));
}
