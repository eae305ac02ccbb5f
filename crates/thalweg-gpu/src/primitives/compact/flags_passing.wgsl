// Flags from a comparison of the elements with a bound.
alias Row = u32;
fn load_flags(i: u32) -> Row { return 0u; }
fn row_flags(row: Row, quad: Quad) -> u32 {
    return marks_of(vec4(passes(quad.a), passes(quad.b), passes(quad.c), passes(quad.d)));
}
// Tiles are counted one by one.
fn before_in_group(tile: u32) -> u32 { return 0u; }
