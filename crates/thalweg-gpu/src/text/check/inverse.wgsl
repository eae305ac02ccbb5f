// The rank of every suffix of a window; ranks that lead out of the text are noted, and of them the first.
fn each(i: u32) {
    let position = sa_at(i);
    if position - params.a < params.b { ranks_put(position, i); }
    if position >= params.count { atomicMax(&bad[0], ~i); }
}
