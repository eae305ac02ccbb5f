// One side of a tile, as far as the tile knows.

// The nearest run whose minimum counts as a neighbour of this run's; THREADS or more if there is none.
fn side_link_of(run: u32, key: Key) -> u32 {
    var offset = 0u;
    var size = LEAVES / 4u;
    var count = THREADS;
    var at = select(run + 1u, run, side_LEFT);
    var entry = 0u;
    loop {
        var node = 0u;
        var hits = 0u;
        if side_LEFT {
            if at == 0u { return NONE; }
            node = (at - 1u) >> 2u;
            hits = mask_of(four_before(tree[offset + node], key)) & low_bits(at - 4u * node);
        } else {
            if at >= count { return NONE; }
            node = at >> 2u;
            hits = mask_of(four_before(tree[offset + node], key)) & ~low_bits(at - 4u * node) & low_bits(min(4u, count - 4u * node));
        }
        if hits != 0u {
            entry = 4u * node + side_bit(hits);
            break;
        }
        if size == 1u { return NONE; }
        offset += size;
        size >>= 2u;
        count = (count + 3u) >> 2u;
        at = select(node + 1u, node, side_LEFT);
    }
    while offset > 0u {
        size <<= 2u;
        offset -= size;
        entry = 4u * entry + side_pick(four_before(tree[offset + entry], key));
    }
    return entry;
}

// Answers this thread's open elements from other runs of the tile; returns those that stay open.
//
// Largest first: every answer lies at or beyond the one before. A run without an answer is left behind by its link, as
// the runs in between hold nothing smaller than its own minimum. A run that is passed this way is never looked at by the
// threads beyond this one, so that all threads together pass every run at most once.
fn side_settle(thread: u32, first: u32, open_elements: u32) -> u32 {
    var open = open_elements;
    var run = select(thread + 1u, thread - 1u, side_LEFT);
    while open != 0u && run < THREADS {
        var k = 0u;
        if side_LEFT { k = firstTrailingBit(open); } else { k = firstLeadingBit(open); }
        let key = tile_key((k >> 2u) * STRIDE + thread, k & 3u);
        var quad = side_pick_quad(four_before(run_minima[run], key));
        if NESTED {
            while quad >= QUADS {
                run = links[run];
                if run >= THREADS { return open; }
                quad = side_pick_quad(four_before(run_minima[run], key));
            }
        }
        if quad < QUADS {
            let element = side_pick(four_before(tile_keys[quad * STRIDE + run], key));
            answers[(k >> 2u) * STRIDE + thread][k & 3u] = first + run * ITEMS + 4u * quad + element;
            open &= ~(1u << k);
        } else {
            run = links[run];
        }
    }
    return open;
}

// Needs the tile and its tree; ends with a barrier.
fn side_solve(tile: u32, thread: u32) {
    let first = tile * TILE;
    let valid = min(TILE, params.count - first);
    let own = thread * ITEMS;
    var open_in_run = 0u;
    if STAGES > 1u {
        open_in_run = side_in_run(thread, first + own) & low_bits(clamp(valid, own, own + ITEMS) - own);
    }
    if STAGES > 2u { links[thread] = side_link_of(thread, four_min(run_minima[thread])); }
    workgroupBarrier();
    var open = 0u;
    if STAGES > 3u { open = side_settle(thread, first, open_in_run); }
    if open != 0u {
        var place = atomicAdd(&open_count[side_NUMBER], countOneBits(open));
        while open != 0u && place < LIGHT {
            let k = firstTrailingBit(open);
            open_list[side_NUMBER * LIGHT + place] = own + k;
            open &= open - 1u;
            place++;
        }
    }
    workgroupBarrier();
    for (var j = 0u; j < QUADS; j++) {
        let quad = j * THREADS + thread;
        if 4u * quad < valid {
            var answer = answers[slot_of(quad)];
            // Filling after the array's end may count as a neighbour of the worst key, unless strictly.
            if !STRICT { answer = select(answer, vec4(NONE), answer >= vec4(params.count)); }
            // The last quad may reach beyond the array, but not beyond its buffer, a multiple of 256 bytes.
            side_out_put(tile * (TILE / 4u) + quad, answer);
        }
    }
    workgroupBarrier();
}

// What the tile left open, if it is little: one search each. If it is much: noted for the kernel of tile pairs, unless
// already the largest has no neighbour anywhere.
fn side_search(tile: u32, thread: u32) {
    let open = atomicLoad(&open_count[side_NUMBER]);
    let start = select(tile + 1u, tile, side_LEFT) * BLOCKS;
    if open <= LIGHT {
        for (var i = thread; i < open; i += THREADS / 2u) {
            let element = open_list[side_NUMBER * LIGHT + i];
            let quad = element >> 2u;
            let found = side_find(tile_key(slot_of(quad), element & 3u), start, 0u);
            if found != NONE { side_out_put_word(tile * TILE + element, found); }
        }
    } else if thread == 0u {
        // The first element from this side is always open, and no other open one is larger.
        let element = select(min(TILE, params.count - tile * TILE) - 1u, 0u, side_LEFT);
        let found = side_find(tile_key(slot_of(element >> 2u), element & 3u), start, START);
        if found != NONE {
            let place = 2u * atomicAdd(&heavy_count[0], 1u);
            heavy_put(place, 2u * tile + side_NUMBER);
            heavy_put(place + 1u, found / BLOCKS);
        }
    }
}
