// Writes what the threads have found for their runs, places in rows, side by side. The slots are free before this.
fn tile_put(
    workgroup: u32,
    thread: u32,
    keys: ptr<function, array<Key, ITEMS>>,
    places: ptr<function, array<u32, ITEMS>>,
) {
    let own = slot(thread * ITEMS);
    var at: array<u32, ITEMS>;
    if TRACK {
        @unroll for (var k = 0u; k < ITEMS; k++) { slots[own + k] = key_join((*places)[k], 0u); }
        workgroupBarrier();
        @unroll for (var k = 0u; k < ITEMS; k++) { at[k] = key_low(slots[side(k, thread)]); }
        if VALUES { workgroupBarrier(); }
    }
    var found: array<Key, ITEMS>;
    if VALUES {
        @unroll for (var k = 0u; k < ITEMS; k++) { slots[own + k] = (*keys)[k]; }
        workgroupBarrier();
        @unroll for (var k = 0u; k < ITEMS; k++) { found[k] = slots[side(k, thread)]; }
    }
    if !SEVERAL && !STRIDED {
        let here = spot(workgroup, 0u);
        let count = min(params.tile, params.dense - here.first);
        let first = here.row * params.count + here.first;
        @unroll for (var k = 0u; k < ITEMS; k++) {
            let i = k * THREADS + thread;
            if i < count { answer_at(first + i, here.row, here.first + i, found[k], at[k]); }
        }
        return;
    }
    @unroll for (var k = 0u; k < ITEMS; k++) {
        let i = k * THREADS + thread;
        let here = spot(workgroup, i);
        let d = here.first + i - here.start;
        if i - here.start < params.tile && d < params.dense && here.row < params.rows {
            answer_put(here.row, d, found[k], at[k]);
        }
    }
}
