// Windows wider than a tile. A tile's windows begin in one block, and have the core behind it in common; what they end in begins
// behind the core. Either end is read only if its minimum can beat the core's.

// The best of the runs before this one, or behind it.
fn other_runs(thread: u32, own: Best, before: bool) -> Best {
    var half = 0u;
    run_put(0u, thread, own);
    workgroupBarrier();
    var joined = own;
    for (var span = 1u; span < THREADS; span *= 2u) {
        if before {
            if thread >= span { joined = leftmost(run_at(half, thread - span), joined); }
        } else if thread + span < THREADS {
            joined = leftmost(joined, run_at(half, thread + span));
        }
        half = THREADS - half;
        run_put(half, thread, joined);
        workgroupBarrier();
    }
    var others = Best(WORST, 0u);
    if before {
        if thread > 0u { others = run_at(half, thread - 1u); }
    } else if thread + 1u < THREADS {
        others = run_at(half, thread + 1u);
    }
    workgroupBarrier();
    return others;
}

// A thread's run of the tile of elements from a place of the row on. The slots are free before and after it.
fn run_of(row: u32, first: u32, thread: u32, run: ptr<function, array<Key, ITEMS>>) {
    @unroll for (var k = 0u; k < ITEMS; k++) { (*run)[k] = rank_at(row, first + k * THREADS + thread); }
    @unroll for (var k = 0u; k < ITEMS; k++) { slots[slot(k * THREADS + thread)] = (*run)[k]; }
    workgroupBarrier();
    @unroll for (var k = 0u; k < ITEMS; k++) { (*run)[k] = slots[thread * RUN_SLOTS + k]; }
    workgroupBarrier();
}

@compute @workgroup_size(THREADS)
fn slide(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let workgroup = linear_workgroup(group, groups);
    if workgroup >= params.workgroups { return; }
    let here = spot(workgroup, 0u);
    if !some_wanted(here.first, TILE) { return; }
    let block = here.first / TILE;
    let row_first = here.row * params.blocks;
    let core = minimum_at(params.cores + workgroup);
    let last = block + (params.width - 1u) / TILE;
    var behind = WORST;
    if last < params.blocks { behind = minima_at(params.rows * params.blocks + row_first + last); }
    if last + 1u < params.blocks { behind = key_min(behind, minima_at(row_first + last + 1u)); }
    let opens_first = !key_less(core.key, minima_at(params.levels + row_first + block));
    let opens_last = key_less(behind, core.key);
    if !opens_first && !opens_last {
        @unroll for (var k = 0u; k < ITEMS; k++) {
            let d = here.first + k * THREADS + thread;
            if d < params.dense { answer_put(here.row, d, core.key, core.place); }
        }
        return;
    }
    let own = here.first + thread * ITEMS;
    var keys: array<Key, ITEMS>;
    var places: array<u32, ITEMS>;
    @unroll for (var k = 0u; k < ITEMS; k++) {
        keys[k] = core.key;
        places[k] = core.place;
    }
    var run: array<Key, ITEMS>;
    if opens_first {
        run_of(here.row, here.first - params.before, thread, &run);
        var end = Best(WORST, 0u);
        @unroll for (var k = 0u; k < ITEMS; k++) {
            let j = ITEMS - 1u - k;
            end = leftmost(Best(run[j], own + j - params.before), end);
            keys[j] = end.key;
            places[j] = end.place;
        }
        let others = leftmost(other_runs(thread, end, false), core);
        @unroll for (var k = 0u; k < ITEMS; k++) {
            let best = leftmost(Best(keys[k], places[k]), others);
            keys[k] = best.key;
            places[k] = best.place;
        }
    }
    if opens_last {
        let shift = params.width - params.before;
        run_of(here.row, here.first + shift, thread, &run);
        var beginning = Best(WORST, 0u);
        @unroll for (var k = 0u; k < ITEMS; k++) { beginning = leftmost(beginning, Best(run[k], own + k + shift)); }
        // A window ends before the element that stands in its place.
        beginning = other_runs(thread, beginning, true);
        @unroll for (var k = 0u; k < ITEMS; k++) {
            let best = leftmost(Best(keys[k], places[k]), beginning);
            keys[k] = best.key;
            places[k] = best.place;
            beginning = leftmost(beginning, Best(run[k], own + k + shift));
        }
    }
    if TRACK {
        // Where all are the worst, the first, whatever was before the row.
        @unroll for (var k = 0u; k < ITEMS; k++) {
            if key_equal(keys[k], WORST) { places[k] = max(own + k, params.before) - params.before; }
        }
    }
    tile_put(workgroup, thread, &keys, &places);
}
