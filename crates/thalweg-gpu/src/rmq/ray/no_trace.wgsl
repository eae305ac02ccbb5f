// The entry that holds the least rank of entries l..=r, on a device that traces no rays.
fn least_entry(l: u32, r: u32) -> u32 { return order[walk(l, r)]; }
