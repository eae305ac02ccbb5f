// The bits of a tile's elements from a place of a row on, side by side: a thread has every THREADS-th. Nothing is asked of single ones where
// all are there.
fn side_by_side(row: u32, first: u32, thread: u32, bits: ptr<function, array<Key, ITEMS>>) {
    if first < params.len && params.len - first >= TILE && row < params.rows {
        let own = row * params.len + first + thread;
        @unroll for (var k = 0u; k < ITEMS; k++) { (*bits)[k] = values_at(own + k * THREADS); }
    } else {
        @unroll for (var k = 0u; k < ITEMS; k++) { (*bits)[k] = bits_at(row, first + k * THREADS + thread); }
    }
}

// Brings the elements that a tile's windows see to its slots, read side by side.
fn tile_take(workgroup: u32, thread: u32) {
    var read: array<Key, ITEMS>;
    if SEVERAL {
        @unroll for (var k = 0u; k < ITEMS; k++) {
            let i = k * THREADS + thread;
            let here = spot(workgroup, i);
            read[k] = bits_at(here.row, here.first + (i - here.start) - params.before);
        }
    } else {
        let here = spot(workgroup, 0u);
        side_by_side(here.row, here.first - params.before, thread, &read);
    }
    @unroll for (var k = 0u; k < ITEMS; k++) { slots[side(k, thread)] = rank_of(read[k], k * THREADS + thread); }
    workgroupBarrier();
}
