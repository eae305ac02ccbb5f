// Windows of at most a run's elements: a thread sees all that its windows see, in registers, and joins windows of 1, 2, 4, ...

@compute @workgroup_size(THREADS)
fn tiny(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let workgroup = linear_workgroup(group, groups);
    if workgroup >= params.workgroups { return; }
    if !SEVERAL && !some_wanted(spot(workgroup, 0u).first, params.tile) { return; }
    tile_take(workgroup, thread);
    let own = thread * ITEMS;
    // REACH elements: a run, and what the windows of its last element see. Behind the tile there are none that are wanted.
    var seen: array<Key, REACH>;
    var at: array<u32, REACH>;
    @unroll for (var k = 0u; k < REACH; k++) {
        seen[k] = slots[slot(min(own + k, TILE - 1u))];
        at[k] = k;
    }
    @unroll for (var level = 0u; level < LEVELS; level++) {
        let span = 1u << level;
        // Entries whose windows reach beyond what is seen are wrong, and used by such entries only.
        @unroll for (var k = 0u; k < REACH; k++) {
            let other = min(k + span, REACH - 1u);
            let best = leftmost(Best(seen[k], at[k]), Best(seen[other], at[other]));
            seen[k] = best.key;
            at[k] = best.place;
        }
    }
    let here = spot(workgroup, own);
    let lowest = here.start + max(here.first, params.before) - here.first;
    let shift = here.first - params.before - here.start;
    var run: array<Key, ITEMS>;
    var places: array<u32, ITEMS>;
    @unroll for (var k = 0u; k < ITEMS; k++) {
        let other = k + WIDTH - (1u << LEVELS);
        let best = leftmost(Best(seen[k], at[k]), Best(seen[other], at[other]));
        run[k] = best.key;
        if TRACK { places[k] = shift + select(own + best.place, max(own + k, lowest), key_equal(best.key, WORST)); }
    }
    workgroupBarrier();
    tile_put(workgroup, thread, &run, &places);
}
