// What an element is chosen by.
fn each(i: u32) { keys_put(i, key_rank(ranked_at(nodes_at(i)))); }
