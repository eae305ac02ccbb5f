// Roots know themselves.
@compute @workgroup_size(THREADS)
fn begin(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = linear_workgroup(group, groups) * THREADS + thread;
    if i >= params.count { return; }
    let root = is_root(i, parents_at(i));
    known_put(i, select(vec2(0u), vec2(~i, ~0u), root));
}
