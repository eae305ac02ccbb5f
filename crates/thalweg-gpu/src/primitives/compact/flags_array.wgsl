// Flags from an array.
alias Row = vec4<u32>;
fn load_flags(i: u32) -> Row { return flags_at(i); }
fn row_flags(row: Row, quad: Quad) -> u32 { return marks_of(vec4<u32>(row != vec4(0u))); }
