// The values at positions.
fn each(i: u32) { found_put(i, values_at(positions_at(i))); }
