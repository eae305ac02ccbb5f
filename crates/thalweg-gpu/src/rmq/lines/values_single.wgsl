// The kernel of `values.wgsl` for queries one at a time.
@compute @workgroup_size(THREADS)
fn query_values(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    // A thread takes several queries, as starting one takes time, and has the next one on its way while it answers one. The batch
    // is shorter than 2^31, so rounding up to whole workgroups does not wrap around.
    let start = linear_workgroup(group, groups) * (THREADS * PORTIONS) + thread;
    var next = query_or_first(start);
    for (var portion = 0u; portion < PORTIONS; portion++) {
        let i = start + portion * THREADS;
        let q = next;
        if portion + 1u < PORTIONS { next = query_or_first(i + THREADS); }
        let least = least_of(q);
        if i < params.count { answer(i, least, q.left); }
    }
}
