// The length alone.
fn put(position: u32, below: u32, above: u32, left: u32, right: u32) { found_put(position, max(below, above)); }
