// Flags from a comparison of the elements with a bound.
fn load_flags(i: u32) -> vec4<u32> { return vec4(0u); }
fn row_flags(row: vec4<u32>, quad: Quad) -> vec4<u32> {
    return vec4(passes(quad.a), passes(quad.b), passes(quad.c), passes(quad.d));
}
