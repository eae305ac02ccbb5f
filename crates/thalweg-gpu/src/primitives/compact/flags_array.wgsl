// Flags from an array.
alias Row = vec4<u32>;
fn load_flags(i: u32) -> Row { return flags_at(i); }
fn row_flags(row: Row, quad: Quad) -> u32 { return marks_of(vec4<u32>(row != vec4(0u))); }
// Tiles are counted one by one.
fn before_in_group(tile: u32) -> u32 { return 0u; }
