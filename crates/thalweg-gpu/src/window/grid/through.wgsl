// Positions in what was found along the rows become positions in the array.
fn each(i: u32) { positions_put(i, along_at(positions_at(i))); }
