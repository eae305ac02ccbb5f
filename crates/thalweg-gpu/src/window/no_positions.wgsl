fn positions_put(i: u32, value: u32) {}
