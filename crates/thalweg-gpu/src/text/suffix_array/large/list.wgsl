// The suffixes of large groups, in order: their places, and the ranks further on. `a` blocks, `b` symbols further on.
fn each(i: u32) {
    let group = large_group(i, params.a, params.count);
    if !group.is_large { return; }
    let block = i / BLOCK;
    var at: u32;
    if group.comes_in {
        // A block before has it, too.
        at = members_at(block - 1u) + (i - block * BLOCK);
    } else {
        at = members_at(block) - (min((block + 1u) * BLOCK, params.count) - i);
    }
    places_put(at, i);
    keys_put(at, second_rank(sa_at(i), params.b, params.count));
}
