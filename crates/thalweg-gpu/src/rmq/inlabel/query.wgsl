// One thread a query: the common ancestor of a range's ends. Positions have 31 bits.
struct Params {
    count: u32,
    row: u32,
    len_low: u32,
    len_high: u32,
}

@compute @workgroup_size(THREADS)
fn query(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = linear_workgroup(group, groups) * THREADS + thread;
    if i >= params.count { return; }
    let q = query_or_first(i);
    answer(i, WORST, vec2(common_ancestor(q.left.x, q.right.x), 0u));
}
