// Minima of tiles of THREADS * ITEMS values. `values` are keys' bits in the first round, ranks in later ones.
struct Params { count: u32 }

var<workgroup> of_subgroup: array<Key, THREADS>;

@compute @workgroup_size(THREADS)
fn reduce_min(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
    @builtin(subgroup_size) width: u32,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    let tile = linear_workgroup(group, groups);
    let start = tile * THREADS * ITEMS;
    var best = WORST;
    // The tile's start may lie beyond the array in the last row of workgroups, and wrap around.
    if tile < (params.count + THREADS * ITEMS - 1u) / (THREADS * ITEMS) {
        for (var k = 0u; k < ITEMS; k++) {
            let i = start + k * THREADS + thread;
            if i < params.count { best = key_min(best, key_rank(values_at(i))); }
        }
    }
    of_subgroup[thread] = best;
    workgroupBarrier();
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        if thread < half { of_subgroup[thread] = key_min(of_subgroup[thread], of_subgroup[thread + half]); }
        workgroupBarrier();
    }
    if thread == 0u && start < params.count { partial_put(tile, of_subgroup[0]); }
}
