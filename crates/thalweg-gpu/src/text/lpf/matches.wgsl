// One thread a rank: the match with either neighbour, if there is one; the longer one counts. It is written to the place
// of its position in the text, with its source where that is asked for: see `put`.
fn each(i: u32) {
    let position = sa_at(i);
    if position >= params.count {
        // The largest complement is that of the first rank.
        atomicMax(&bad[0], ~i);
        return;
    }
    let left = left_at(i);
    let right = right_at(i);
    var below = 0u;
    var above = 0u;
    if left != NONE { below = least_between(left + 1u, i); }
    if right != NONE { above = least_between(i + 1u, right); }
    put(position, below, above, left, right);
}
