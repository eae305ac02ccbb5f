// Flags from a comparison of the elements with a bound.
alias Row = u32;
fn load_flags(i: u32) -> Row { return 0u; }
fn row_flags(row: Row, quad: Quad) -> u32 {
    return marks_of(vec4(passes(quad.a), passes(quad.b), passes(quad.c), passes(quad.d)));
}
