// Flags from an array.
fn load_flags(i: u32) -> vec4<u32> { return flags_at(i); }
fn row_flags(row: vec4<u32>, quad: Quad) -> vec4<u32> { return vec4<u32>(row != vec4(0u)); }
