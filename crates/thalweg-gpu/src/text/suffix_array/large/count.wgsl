// How many suffixes of a block are in large groups, and whether one begins there. The length is `a`.
fn each(block: u32) {
    let start = block * BLOCK;
    let end = min(start + BLOCK, params.a);
    var count = 0u;
    if coming_in(block, params.count, params.a) { count += min(first_of(block, params.count, params.a), end) - start; }
    let begins = going_out(block, params.count, params.a);
    if begins { count += end - last_at(block); }
    members_put(block, count);
    begins_put(block, select(0u, 1u, begins));
    if count > 0u { atomicAdd(&found[1], count); }
    if begins { atomicAdd(&found[2], 1u); }
}
