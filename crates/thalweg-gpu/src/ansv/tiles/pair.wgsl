// The neighbour nearest to the searchers of this side in the tile at hand, which has one.
fn side_in_tile(key: Key) -> u32 {
    var entry = side_pick(root_before(key));
    var offset = (LEAVES - 1u) / 3u - 1u;
    var size = 1u;
    while offset > 0u {
        size <<= 2u;
        offset -= size;
        entry = 4u * entry + side_pick(four_before(tree[offset + entry], key));
    }
    return entry * ITEMS + side_in_run_of(entry, key);
}

// One tile's open elements on one side, or all of its elements, where all are open. `target_tile` is the nearest tile with a neighbour of the largest of them.
fn side_pair(task: u32, target_tile: u32, thread: u32) {
    let tile = task >> 2u;
    let all_open = (task & 2u) != 0u;
    let valid = min(TILE, params.count - tile * TILE);
    let quads = tile * (TILE / 4u);
    var other = target_tile;
    for (var rounds = ROUNDS; ; rounds--) {
        // The other tile; quads of this one are handed out in the order of the array, to be read and written in one piece.
        workgroupBarrier();
        if thread == 0u { atomicStore(&next_open, 0u); }
        _ = run_load(other, thread, min(TILE, params.count - other * TILE));
        tree_build(thread);
        // The open element next to the searched side: the largest. Counted from the far end, so that zero is none.
        var next = 0u;
        for (var j = 0u; j < QUADS; j++) {
            let quad = j * THREADS + thread;
            if 4u * quad >= valid { break; }
            var known = vec4(NONE);
            if !all_open || rounds != ROUNDS { known = side_out_at(quads + quad); }
            if !any(known == vec4(NONE)) { continue; }
            var answer = known;
            let is_open = known == vec4(NONE);
            let keys = values_four(quads + quad);
            var changed = false;
            for (var c = 0u; c < 4u; c++) {
                let element = 4u * quad + c;
                if is_open[c] && element < valid {
                    let key = four_get(keys, c);
                    var found = NONE;
                    if rounds == 0u {
                        // Rounds cost about as much as this many searches: the whole costs at most twice the cheaper way.
                        found = side_find(key, side_start(other), 0u);
                        if any(root_before(key)) { found = other * TILE + side_in_tile(key); }
                    } else if any(root_before(key)) {
                        found = other * TILE + side_in_tile(key);
                    } else {
                        next = max(next, select(element + 1u, TILE - element, side_LEFT));
                    }
                    if found != NONE {
                        answer = select(answer, vec4(found), vec4(0u, 1u, 2u, 3u) == vec4(c));
                        changed = true;
                    }
                }
            }
            if changed { side_out_put(quads + quad, answer); }
        }
        if next > 0u { atomicMax(&next_open, next); }
        workgroupBarrier();
        if thread == 0u {
            let left_open = atomicLoad(&next_open);
            target_block = NONE;
            if left_open > 0u {
                let element = select(left_open - 1u, TILE - left_open, side_LEFT);
                target_block = side_find(key_at(tile * TILE + element), side_start(other), START);
            }
        }
        let block = workgroupUniformLoad(&target_block);
        if block == NONE { break; }
        other = block / BLOCKS;
    }
    workgroupBarrier();
}
