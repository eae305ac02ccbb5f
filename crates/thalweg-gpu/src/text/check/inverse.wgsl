// The rank of every suffix; ranks that lead out of the text are noted, and of them the first.
fn each(i: u32) {
    let position = sa_at(i);
    if position < params.count { ranks_put(position, i); } else { atomicMax(&bad[0], ~i); }
}
