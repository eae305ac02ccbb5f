// Windows wider than a tile. A tile's windows begin in one block, and have the core behind it in common; what they end in begins
// behind the core. Either end is read only if its minimum can beat the core's.

// The best of the runs before this one, or behind it, in the whole tile.
fn other_runs(thread: u32, lane: u32, own: Best, before: bool) -> Best {
    var others: Best;
    if before { others = runs_before(lane, own); } else { others = runs_behind(lane, own); }
    let group = thread / LANES;
    if thread % LANES == select(0u, LANES - 1u, before) {
        if before { run_put(0u, group, leftmost(others, own)); } else { run_put(0u, group, leftmost(own, others)); }
    }
    workgroupBarrier();
    if before {
        for (var g = group; g > 0u; g--) { others = leftmost(run_at(0u, g - 1u), others); }
    } else {
        for (var g = group + 1u; g < THREADS / LANES; g++) { others = leftmost(others, run_at(0u, g)); }
    }
    workgroupBarrier();
    return others;
}

// A thread's run of the tile of elements from a place of the row on, which are seen from `at` on. The slots are free before and after it.
fn run_of(row: u32, first: u32, thread: u32, at: u32, run: ptr<function, array<Key, ITEMS>>) {
    side_by_side(row, first, thread, run);
    @unroll for (var k = 0u; k < ITEMS; k++) { slots[side(k, thread)] = rank_of((*run)[k], at + k * THREADS + thread); }
    workgroupBarrier();
    @unroll for (var k = 0u; k < ITEMS; k++) { (*run)[k] = slots[slot(thread * ITEMS) + k]; }
    workgroupBarrier();
}

@compute @workgroup_size(THREADS)
fn slide(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) size: u32,
) {
    let workgroup = linear_workgroup(group, groups);
    if workgroup >= params.workgroups { return; }
    let thread = subgroup * fixed_width(size) + lane;
    let here = spot(workgroup, 0u);
    if !some_wanted(here.first, TILE) { return; }
    let block = here.first / TILE;
    let row_first = here.row * params.blocks;
    var core = minimum_at(params.cores + workgroup);
    let last = block + (params.width - 1u) / TILE;
    var behind = WORST;
    if last < params.blocks { behind = minima_at(params.rows * params.blocks + row_first + last); }
    if last + 1u < params.blocks { behind = key_min(behind, minima_at(row_first + last + 1u)); }
    // A tile's first end is seen from 0 on, the core from behind it, and the last end from there on.
    core.key = seen_from(core.key, TILE);
    let opens_first = !key_less(core.key, minima_at(params.levels + row_first + block));
    let opens_last = key_less(seen_from(behind, TILE + 1u), core.key);
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
        run_of(here.row, here.first - params.before, thread, 0u, &run);
        var end = Best(WORST, 0u);
        @unroll for (var k = 0u; k < ITEMS; k++) {
            let j = ITEMS - 1u - k;
            end = leftmost(Best(run[j], own + j - params.before), end);
            keys[j] = end.key;
            places[j] = end.place;
        }
        let others = leftmost(other_runs(thread, lane, end, false), core);
        @unroll for (var k = 0u; k < ITEMS; k++) {
            let best = leftmost(Best(keys[k], places[k]), others);
            keys[k] = best.key;
            places[k] = best.place;
        }
    }
    if opens_last {
        let shift = params.width - params.before;
        run_of(here.row, here.first + shift, thread, TILE + 1u, &run);
        var beginning = Best(WORST, 0u);
        @unroll for (var k = 0u; k < ITEMS; k++) { beginning = leftmost(beginning, Best(run[k], own + k + shift)); }
        // A window ends before the element that stands in its place.
        beginning = other_runs(thread, lane, beginning, true);
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
