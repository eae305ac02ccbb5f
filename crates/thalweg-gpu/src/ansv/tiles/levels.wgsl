// The hierarchy's lowest levels, minima of 16 and of 256 elements, from the minima of the runs: the tile is here, and
// a kernel of its own would read the array once more.
fn levels_make(tile: u32, thread: u32) {
    if thread < TILE / 16u {
        let i = tile * (TILE / 16u) + thread;
        let first = thread * (16u / ITEMS);
        var least = tree_key(first);
        for (var k = 1u; k < 16u / ITEMS; k++) { least = key_min(least, tree_key(first + k)); }
        if i < params.levels[1].y { levels_put(params.levels[1].x + i, least); }
    }
    // From the other end, so that no subgroup does both.
    let back = THREADS - 1u - thread;
    if back < TILE / 256u {
        let i = tile * (TILE / 256u) + back;
        let first = back * (64u / ITEMS);
        var least = four_min(tree[first]);
        for (var k = 1u; k < 64u / ITEMS; k++) { least = key_min(least, four_min(tree[first + k])); }
        if i < params.levels[2].y { levels_put(params.levels[2].x + i, least); }
    }
}
