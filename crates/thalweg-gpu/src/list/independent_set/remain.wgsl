// What remains after the last round: one thread an element, numbered by `k`. What is done with element `i` is
// `remaining(k, i)`, which comes with the kernel.
@compute @workgroup_size(THREADS)
fn remain(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let k = linear_workgroup(group, groups) * THREADS + thread;
    if k >= params.count { return; }
    remaining(k, member(k));
}
