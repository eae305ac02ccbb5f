// The second half of what the first round compares, by position.
fn each(i: u32) { keys_put(i, packed(i + SYMBOLS)); }
