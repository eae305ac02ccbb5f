// Brings the elements that a tile's windows see to its slots, read side by side.
fn tile_take(workgroup: u32, thread: u32) {
    var read: array<Key, ITEMS>;
    @unroll for (var k = 0u; k < ITEMS; k++) {
        let i = k * THREADS + thread;
        let here = spot(workgroup, i);
        read[k] = rank_at(here.row, here.first + (i - here.start) - params.before);
    }
    @unroll for (var k = 0u; k < ITEMS; k++) { slots[slot(k * THREADS + thread)] = read[k]; }
    workgroupBarrier();
}
