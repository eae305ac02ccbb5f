// Windows wider than a run and narrower than a tile. A window is the end of one run, whole runs and the beginning of another: of
// every run the minima of its ends stay in its thread's registers, those of its beginnings are in workgroup memory, and whole
// runs, which are as many for all windows or one more, are joined by doubling.

// Of every run, where the minima of its beginnings lie.
var<workgroup> run_offsets: array<vec2<u32>, THREADS>;

@compute @workgroup_size(THREADS)
fn narrow(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let workgroup = linear_workgroup(group, groups);
    if workgroup >= params.workgroups { return; }
    if !SEVERAL && !some_wanted(spot(workgroup, 0u).first, params.tile) { return; }
    tile_take(workgroup, thread);
    var run: array<Key, ITEMS>;
    let own = thread * ITEMS;
    @unroll for (var k = 0u; k < ITEMS; k++) { run[k] = slots[slot(own) + k]; }

    // Ends.
    var ends: array<Key, ITEMS>;
    var end_offsets = vec2(0u);
    var end = Best(run[ITEMS - 1u], ITEMS - 1u);
    @unroll for (var k = 0u; k < ITEMS; k++) {
        let j = ITEMS - 1u - k;
        end = leftmost(Best(run[j], j), end);
        ends[j] = end.key;
        if TRACK { end_offsets = with_nibble(end_offsets, j, end.place); }
    }
    // Beginnings: nobody else looks at these slots before the next barrier.
    var offsets = vec2(0u);
    var beginning = Best(run[0], 0u);
    @unroll for (var k = 0u; k < ITEMS; k++) {
        beginning = leftmost(beginning, Best(run[k], k));
        slots[slot(own) + k] = beginning.key;
        if TRACK { offsets = with_nibble(offsets, k, beginning.place); }
    }
    if TRACK { run_offsets[thread] = offsets; }
    run_put(0u, thread, Best(beginning.key, own + beginning.place));
    workgroupBarrier();

    // The runs between a window's first and its last: `whole`, at least, or one more, `another`. What lies behind the tile belongs to no
    // window that is wanted.
    let distance = (params.width - 1u) / ITEMS;
    let rest = (params.width - 1u) % ITEMS;
    let whole = distance - 1u;
    let another = run_at(0u, min(thread + distance, THREADS - 1u));
    var half = 0u;
    var span = 1u;
    while 2u * span <= whole {
        let joined = leftmost(run_at(half, thread), run_at(half, min(thread + span, THREADS - 1u)));
        half = THREADS - half;
        run_put(half, thread, joined);
        workgroupBarrier();
        span *= 2u;
    }
    var middle = Best(WORST, 0u);
    if whole > 0u {
        let first = min(thread + 1u, THREADS - 1u);
        middle = leftmost(run_at(half, first), run_at(half, min(thread + 1u + whole - span, THREADS - 1u)));
    }
    let longer = leftmost(middle, another);

    let here = spot(workgroup, own);
    // The first element of the tile that is one, if it begins before the row, and from elements of the tile to places in the row.
    let lowest = here.start + max(here.first, params.before) - here.first;
    let shift = here.first - params.before - here.start;
    let last = thread + distance;
    var last_offsets: array<vec2<u32>, 2>;
    if TRACK {
        last_offsets[0] = run_offsets[min(last, THREADS - 1u)];
        last_offsets[1] = run_offsets[min(last + 1u, THREADS - 1u)];
    }
    var places: array<u32, ITEMS>;
    @unroll for (var k = 0u; k < ITEMS; k++) {
        let beyond = k + rest >= ITEMS;
        var best = Best(ends[k], own + nibble(end_offsets, k));
        best = leftmost(best, Best(key_select(middle.key, longer.key, beyond), select(middle.place, longer.place, beyond)));
        let at = min(own + k + params.width - 1u, TILE - 1u);
        let offset = nibble(select(last_offsets[0], last_offsets[1], beyond), (k + rest) % ITEMS);
        best = leftmost(best, Best(slots[slot(at)], (last + select(0u, 1u, beyond)) * ITEMS + offset));
        run[k] = best.key;
        if TRACK {
            // Where all are the worst, the first, whatever was before the row.
            places[k] = shift + select(best.place, max(own + k, lowest), key_equal(best.key, WORST));
        }
    }
    workgroupBarrier();
    tile_put(workgroup, thread, &run, &places);
}
