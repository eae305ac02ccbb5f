// Parts the active elements into those that stay and those that were taken out, each in any order.
var<workgroup> found: array<atomic<u32>, 2>;
var<workgroup> places: array<u32, 2>;
var<workgroup> of_round: u32;

@compute @workgroup_size(THREADS)
fn part(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    if thread == 0u { of_round = atomicLoad(&counts[params.round]); }
    let there = workgroupUniformLoad(&of_round);
    // Whole stretches for all threads, which meet at the barriers. Stretches end before 2^32.
    let stretches = (there + THREADS - 1u) / THREADS;
    for (var stretch = linear_workgroup(group, groups); stretch < stretches; stretch += params.workgroups) {
        let k = stretch * THREADS + thread;
        if thread < 2u { atomicStore(&found[thread], 0u); }
        workgroupBarrier();
        var own = 0u;
        var i = 0u;
        var side = 0u;
        if k < there {
            i = member(k);
            side = (taken[i >> 5u] >> (i & 31u)) & 1u;
            own = atomicAdd(&found[side], 1u);
        }
        workgroupBarrier();
        if thread == 0u { places[0] = atomicAdd(&counts[params.round + 1u], atomicLoad(&found[0])); }
        if thread == 1u {
            places[1] = params.count - there + atomicAdd(&counts[TAKEN + params.round], atomicLoad(&found[1]));
        }
        workgroupBarrier();
        if k < there {
            if side == 0u { staying_put(places[0] + own, i); } else { stack_put(places[1] + own, i); }
        }
        workgroupBarrier();
    }
}
