// The child of a node of the tree that is nearest to the searchers of this side and counts as a neighbour of `key`. Any
// child, if none does.
fn side_child(offset: u32, entry: u32, key: Key) -> u32 {
    return 4u * entry + min(3u, side_pick(four_before(tree[offset + entry], key)));
}

// The runs of the tile at hand with the nearest neighbours of two keys. Two at once: neither waits for the other.
fn side_runs(a: Key, b: Key) -> vec2<u32> {
    var offset = (LEAVES - 1u) / 3u - 1u;
    var runs = min(vec2(3u), vec2(side_pick(root_before(a)), side_pick(root_before(b))));
    for (var size = 4u; offset > 0u; size <<= 2u) {
        offset -= size;
        runs = vec2(side_child(offset, runs.x, a), side_child(offset, runs.y, b));
    }
    return min(runs, vec2(THREADS - 1u));
}

// The neighbours of four keys in the tile at hand that are nearest to the searchers of this side. Meaningless for keys
// that have none; `all`: all have one, and are open.
fn side_in_tile(keys: Four, all: bool) -> vec4<u32> {
    let a = four_get(keys, 0u);
    let b = four_get(keys, 1u);
    let c = four_get(keys, 2u);
    let d = four_get(keys, 3u);
    let outer = side_runs(a, d);
    var inner: vec2<u32>;
    // Matches do not cross: those of the inner two are in these runs or between them.
    if all && outer.x - outer.y <= 1u {
        let near = select(outer.y, outer.x, side_LEFT);
        let least = tree_key(near);
        inner = select(vec2(outer.x + outer.y - near), vec2(near), vec2(before(least, b), before(least, c)));
    } else {
        inner = side_runs(b, c);
    }
    return ITEMS * vec4(outer.x, inner, outer.y) + vec4(
        side_in_run_of(outer.x, a), side_in_run_of(inner.x, b), side_in_run_of(inner.y, c), side_in_run_of(outer.y, d),
    );
}

// One tile's open elements on one side, or all of its elements, where all are open. `target_tile` is the nearest tile with a neighbour of the largest of them.
fn side_pair(task: u32, target_tile: u32, thread: u32) {
    let tile = task >> 2u;
    let all_open = (task & 2u) != 0u;
    let valid = min(TILE, params.count - tile * TILE);
    let quads = tile * (TILE / 4u);
    // Quads are handed out in the order of the array, to be read and written in one piece. They stay in registers.
    var keys: array<Four, QUADS>;
    var answers: array<vec4<u32>, QUADS>;
    // Bits of the elements that are open.
    var open = 0u;
    @unroll for (var q = 0u; q < QUADS; q++) {
        let quad = q * THREADS + thread;
        answers[q] = vec4(NONE);
        if 4u * quad < valid {
            if !all_open { answers[q] = side_out_at(quads + quad); }
            keys[q] = values_four(quads + quad);
            open |= (mask_of(answers[q] == vec4(NONE)) & low_bits(min(4u, valid - 4u * quad))) << (4u * q);
        }
    }
    var other = target_tile;
    for (var rounds = ROUNDS; ; rounds--) {
        workgroupBarrier();
        if thread == 0u {
            atomicStore(&next_open, 0u);
            target_block = NONE;
        }
        _ = run_load(other, thread, min(TILE, params.count - other * TILE));
        tree_build(thread);
        let least = root_min();
        @unroll for (var q = 0u; q < QUADS; q++) {
            let here = (open >> (4u * q)) & mask_of(keys_after(keys[q], least));
            if here != 0u {
                let is_here = (vec4(here) & vec4(1u, 2u, 4u, 8u)) != vec4(0u);
                answers[q] = select(answers[q], vec4(other * TILE) + side_in_tile(keys[q], here == 15u), is_here);
                side_out_put(quads + q * THREADS + thread, answers[q]);
                open &= ~(here << (4u * q));
            }
        }
        if rounds == 0u {
            // Rounds cost about as much as this many searches: the whole costs at most twice the cheaper way.
            for (; open != 0u; open &= open - 1u) {
                let bit = firstTrailingBit(open);
                let at = tile * TILE + 4u * ((bit / 4u) * THREADS + thread) + bit % 4u;
                let found = side_find(key_at(at), side_start(other), 0u);
                if found != NONE { side_out_put_word(at, found); }
            }
            break;
        }
        // The open element next to the searched side: the largest. Counted from the far end, so that zero is none.
        var next = 0u;
        if open != 0u {
            var bit = 0u;
            if side_LEFT { bit = firstTrailingBit(open); } else { bit = firstLeadingBit(open); }
            let element = 4u * ((bit / 4u) * THREADS + thread) + bit % 4u;
            next = select(element + 1u, TILE - element, side_LEFT);
            atomicMax(&next_open, next);
        }
        workgroupBarrier();
        if next != 0u && next == atomicLoad(&next_open) {
            let element = select(next - 1u, TILE - next, side_LEFT);
            target_block = side_find(key_at(tile * TILE + element), side_start(other), START);
        }
        let block = workgroupUniformLoad(&target_block);
        if block == NONE { break; }
        other = block / BLOCKS;
    }
    workgroupBarrier();
}
