// Whether a suffix of a window is the only one of its position, and the rank of the suffix behind its first symbol, from 1; 0
// if there is none.
fn each(i: u32) {
    let position = sa_at(i);
    if position - params.a >= params.b { return; }
    // Of several ranks with one position, only one was kept.
    if ranks_at(position) != i { atomicMax(&bad[1], ~i); }
    var rank = 0u;
    if position + 1u < params.count { rank = ranks_at(position + 1u) + 1u; }
    behind_put(i, rank);
}
