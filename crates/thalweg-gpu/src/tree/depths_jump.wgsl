// Pointer jumping for the nodes that do not know their root yet: every one has an ancestor and the distance to it,
// both in `before`, as have all ancestors that are not known. Counts those left open in `left[round + 1]`.
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
    if i < params.count && atomicLoad(&left[params.round]) != 0u && !is_known(known_of(i)) {
        var way = vec2(parents_at(i), 1u);
        if params.round > 0u { way = before_at(i); }
        let other = known_of(way.x);
        if is_known(other) {
            know(i, other.link & ~FINAL, way.y + (other.depth & ~FINAL));
        } else {
            var more = vec2(parents_at(way.x), 1u);
            if params.round > 0u { more = before_at(way.x); }
            after_put(i, vec2(more.x, way.y + more.y));
            atomicAdd(&open, 1u);
        }
    }
    workgroupBarrier();
    if thread == 0u && atomicLoad(&open) != 0u { atomicAdd(&left[params.round + 1u], atomicLoad(&open)); }
}
