// What remains after the last round: one thread an element, numbered by `k`.
@compute @workgroup_size(THREADS)
fn remain(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let k = linear_workgroup(group, groups) * THREADS + thread;
    if k >= params.count { return; }
    let i = member(k);
    BODY
}
