// The nearest run whose minimum counts as a neighbour of this run's; NO_RUN if there is none.
fn side_link_of(run: u32, key: Key) -> u32 {
    // Up the tree, without a branch: which nodes lie beside the way up is known before, and none waits for another. The
    // lowest that has a neighbour has the nearest.
    var offset = 0u;
    var size = LEAVES / 4u;
    var count = THREADS;
    // The first entry that is not looked at any more (left), or the first that is (right).
    var at = select(run + 1u, run, side_LEFT);
    var entry = NO_RUN;
    var start = 0u;
    var start_size = 0u;
    @unroll for (var level = 0u; level < LEVELS; level++) {
        var node = 0u;
        var mask = 0u;
        if side_LEFT {
            node = (max(at, 1u) - 1u) >> 2u;
            mask = low_bits(at - 4u * node);
        } else {
            node = min(at >> 2u, size - 1u);
            mask = ~low_bits(at - 4u * node) & low_bits(min(4u, count - 4u * node));
        }
        let hits = mask_of(four_before(tree[offset + node], key)) & mask;
        let is_first = (entry == NO_RUN) & (hits != 0u);
        entry = select(entry, 4u * node + side_bit(hits), is_first);
        start = select(start, offset, is_first);
        start_size = select(start_size, size, is_first);
        at = select(node + 1u, node, side_LEFT);
        count = (count + 3u) >> 2u;
        offset += size;
        size >>= 2u;
    }
    while start > 0u {
        start_size <<= 2u;
        start -= start_size;
        entry = 4u * entry + side_pick(four_before(tree[start + entry], key));
    }
    return entry;
}

// Room for a tile's open elements in the list of searches: where it starts, or NONE if they are too many. Then the tile
// is noted as one that may have to be merged. One thread a tile.
fn side_reserve(tile: u32, valid: u32) -> u32 {
    let open = atomicLoad(&open_count[side_NUMBER]);
    if open <= LIGHT {
        let place = atomicAdd(&counts[side_NUMBER], open);
        if place < params.capacity && params.capacity - place >= open { return place; }
        // The list is full, also for those that come after: its last places stay empty.
        for (var i = place; i < min(params.capacity, place + open); i++) { searches_put(side_NUMBER * params.capacity + i, NONE); }
    }
    // The second bit: all of the tile is open.
    candidates_put(atomicAdd(&counts[2], 1u), 4u * tile + select(0u, 2u, open == valid) + side_NUMBER);
    return NONE;
}

// Notes this thread's open elements, if there is room: `place` is the first one's place among the tile's.
fn side_note(elements: u32, place: u32, first: u32) {
    let reserved = open_place[side_NUMBER];
    if reserved == NONE { return; }
    var open = elements;
    var at = side_NUMBER * params.capacity + reserved + place;
    while open != 0u {
        searches_put(at, first + firstTrailingBit(open));
        open &= open - 1u;
        at++;
    }
}
