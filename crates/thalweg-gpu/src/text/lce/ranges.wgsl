// The ranks of a pair as a range of the LCP array; `a` is the first pair's place, `b` its row, `c` the text's length. A pair
// beyond the text asks for the first suffix instead; its row is kept. Of the same suffix twice the range is of no use, but
// it must be one.
fn each(i: u32) {
    var pair = pairs_at(params.a + i);
    if max(pair.x, pair.y) >= params.c {
        atomicMax(&bad_row[0], ~(params.b + i));
        pair = vec2(0u);
    }
    var range = vec2(ranks_at(pair.x), ranks_at(pair.y));
    if range.x > range.y { range = range.yx; }
    ranges[i] = select(range + vec2(1u, 0u), range, range.x == range.y);
}
