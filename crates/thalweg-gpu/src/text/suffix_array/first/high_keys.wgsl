// The first half of what the first round compares, in the order of the second.
fn each(i: u32) { keys_put(i, packed(order_at(i))); }
