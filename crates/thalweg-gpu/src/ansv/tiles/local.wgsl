// The nearest run whose minimum counts as a neighbour of this run's; NO_RUN if there is none.
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
            if at == 0u { return NO_RUN; }
            node = (at - 1u) >> 2u;
            hits = mask_of(four_before(tree[offset + node], key)) & low_bits(at - 4u * node);
        } else {
            if at >= count { return NO_RUN; }
            node = at >> 2u;
            hits = mask_of(four_before(tree[offset + node], key)) & ~low_bits(at - 4u * node) & low_bits(min(4u, count - 4u * node));
        }
        if hits != 0u {
            entry = 4u * node + side_bit(hits);
            break;
        }
        if size == 1u { return NO_RUN; }
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
