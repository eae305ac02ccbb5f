fn found_put(i: u32, value: Key) {}
