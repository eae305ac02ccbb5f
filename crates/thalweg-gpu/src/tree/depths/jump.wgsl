// Pointer jumping for the nodes that do not know their root yet: every one has an ancestor and the distance to it,
// and takes over its ancestor's ancestor, or root. Counts those left open in `left[round + 1]`.
//
// A round is left out if nothing was open before it, and before the one before: then that one has copied everything,
// and both arrays hold the same.
struct Params { count: u32, round: u32 }

const FINAL = 0x80000000u;

var<workgroup> open: atomic<u32>;

@compute @workgroup_size(THREADS)
fn jump(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    if thread == 0u { atomicStore(&open, 0u); }
    workgroupBarrier();
    let i = linear_workgroup(group, groups) * THREADS + thread;
    let last = max(params.round, 1u) - 1u;
    if i < params.count && (atomicLoad(&left[params.round]) != 0u || atomicLoad(&left[last]) != 0u) {
        var way = before_at(i);
        if (way.x & FINAL) == 0u {
            let other = before_at(way.x);
            // The bit is in both words or in none.
            way = vec2(other.x, way.y + other.y);
            if (other.x & FINAL) == 0u { atomicAdd(&open, 1u); }
        }
        after_put(i, way);
    }
    workgroupBarrier();
    if thread == 0u && atomicLoad(&open) != 0u { atomicAdd(&left[params.round + 1u], atomicLoad(&open)); }
}
