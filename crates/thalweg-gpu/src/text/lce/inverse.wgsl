// The rank of every suffix, by position. The largest complement is that of the first bad rank.
fn each(i: u32) {
    let position = sa_at(i);
    if position < params.count { ranks_put(position, i); } else { atomicMax(&bad[0], ~i); }
}
