// Rows of windows have 1, 3, 6, 12, ... elements. A range is two windows of the last row that is not longer than it.
fn window_width(row: u32) -> u32 { return (3u << row) >> 1u; }
// The number of the highest bit of 0 is -1.
fn window_row(length: u32) -> u32 { return firstLeadingBit(length / 3u) + 1u; }
