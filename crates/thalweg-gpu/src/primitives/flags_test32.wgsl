// Flags from a comparison of the elements with a bound.
fn load_flags(i: u32) -> vec4<u32> { return vec4(0u); }
fn passes(element: Key) -> u32 {
    let rank = key_rank(element);
    return select(0u, 1u, rank < params.bound_low || (AND_EQUAL && rank == params.bound_low));
}
fn row_flags(row: vec4<u32>, quad: Quad) -> vec4<u32> {
    return vec4(passes(quad.a), passes(quad.b), passes(quad.c), passes(quad.d));
}
