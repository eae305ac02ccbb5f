// Flags as bits: see `count.wgsl`. The four of pack `i`, below others.
alias Row = u32;
fn load_flags(i: u32) -> Row { return bits_at(i / 8u) >> (4u * (i & 7u)); }
fn before_in_group(tile: u32) -> u32 { return in_group_at(tile); }
fn row_flags(row: Row, quad: Quad) -> u32 { return row & 15u; }
