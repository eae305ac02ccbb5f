// What the kernels know of the map.

// Steps clockwise from the row before: two bits each, one more than the step. They wrap around.
fn row_step(way: u32) -> u32 { return ((0x1a90u >> (2u * way)) & 3u) - 1u; }
fn column_step(way: u32) -> u32 { return ((0x1a9u >> (2u * way)) & 3u) - 1u; }
