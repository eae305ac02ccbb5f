// The kernel of `values.wgsl` for queries two at a time: reading 16 bytes and writing 8 at once, wide ranges take a sixth less.
@compute @workgroup_size(THREADS)
fn query_values(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    // As in `values_single.wgsl`, with pairs for queries.
    let start = linear_workgroup(group, groups) * (THREADS * PORTIONS) + thread;
    var next = pair_or_first(start);
    for (var portion = 0u; portion < PORTIONS; portion++) {
        let i = start + portion * THREADS;
        let pair = next;
        if portion + 1u < PORTIONS { next = pair_or_first(i + THREADS); }
        var first = WORST;
        var second = WORST;
        // A loop, so that the code is there once.
        for (var k = 0u; k < 2u; k++) {
            first = second;
            second = least_of(query_of_pair(pair, i, k == 1u));
        }
        answer_pair(i, first, second);
    }
}
