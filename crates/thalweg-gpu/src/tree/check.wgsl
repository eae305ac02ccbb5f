// Notes the first entry that is no node: the largest complement is that of the first entry.
fn each(i: u32) {
    let node = nodes_at(i);
    if !(OR_NONE && node == NO_ELEMENT) && node >= params.a { atomicMax(&bad[0], ~i); }
}
