// Lengths and sources, from pairs of both.
fn each(i: u32) {
    let pair = pairs_at(i);
    lengths_put(i, pair.x);
    sources_put(i, pair.y);
}
