// A tree of segments, lowest ones first (Li Chao's, in which lines are put by compare and exchange).
//
// It is a complete binary tree over some leaves of LEAF places each: node 1 is all of them, node v has the children 2v and
// 2v + 1. A node holds the number, plus one, of a segment that covers all of its places, or 0. The segment that is lower in
// the middle of a node stays there, and the other one goes on to the half where it may still be lower, if there is one:
// lines cross once. At a leaf of several places it is `lost`. So the lowest segment at a place is at one of the nodes above
// it, or was lost at its leaf, in whatever order they have come.
//
// The kernel has `tree_load`, `tree_exchange`, `tree_leaves`, `leaf_place` and `lost`.

fn is_better_at(i: u32, j: u32, place: u32) -> bool {
    let x = params.start + place;
    return is_better(height_at(segment_of(i), x), i, height_at(segment_of(j), x), j);
}

// Puts a segment that covers all places of a node.
fn insert(node: u32, segment: u32) {
    var v = node;
    var mine = segment;
    var size = tree_leaves() >> firstLeadingBit(v);
    var leaf = v * size - tree_leaves();
    // Every round goes down, or finds that another thread was faster: as many as there are levels, and segments.
    loop {
        let held = tree_load(v);
        if held == 0u {
            if tree_exchange(v, 0u, mine + 1u) { return; }
            continue;
        }
        var winner = held - 1u;
        let first = leaf_place(leaf);
        // In the middle, at the left end, at the right end: in a loop, so that there is one copy of the arithmetic.
        var probe = 0u;
        var exchanged = true;
        for (; probe < 3u; probe++) {
            let offset = select(select(size * LEAF / 2u, 0u, probe == 1u), size * LEAF - 1u, probe == 2u);
            if !is_better_at(mine, winner, first + offset) { continue; }
            if probe > 0u { break; }
            exchanged = tree_exchange(v, held, mine + 1u);
            if !exchanged { break; }
            winner = mine;
            mine = held - 1u;
        }
        if !exchanged { continue; }
        // Nowhere.
        if probe == 3u { return; }
        if size == 1u {
            lost(leaf, mine);
            return;
        }
        size /= 2u;
        v = 2u * v + select(0u, 1u, probe == 2u);
        leaf += select(0u, size, probe == 2u);
    }
}

// Puts a segment into the nodes of some levels, of the fewest that make up a range of leaves: at most one at either end a
// level. `low` and `high` are the leaves' nodes, `high` not included; `part` of `parts` takes its share of the levels.
fn insert_range(low: u32, high: u32, segment: u32, levels: u32, part: u32, parts: u32) {
    for (var level = part; level <= levels; level += parts) {
        let first = (low + (1u << level) - 1u) >> level;
        let end = high >> level;
        for (var side = 0u; side < 2u; side++) {
            let needed = (select(first, end, side == 1u) & 1u) == 1u;
            if first < end && needed { insert(select(first, end - 1u, side == 1u), segment); }
        }
    }
}
