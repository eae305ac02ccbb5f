// From minima to answers, but for pairs of the same position twice.
fn each(i: u32) {
    let pair = pairs_at(params.a + i);
    out_put(params.a + i, select(minima[i], params.c - pair.x, pair.x == pair.y));
}
