// One thread an element, numbered by `i`, that may ask for range minima: what it does is `each(i)`, which comes with the
// kernel.
@compute @workgroup_size(THREADS)
fn for_each(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    // Elements are fewer than 2^32 - THREADS * ELEMENTS.
    let start = linear_workgroup(group, groups) * (THREADS * ELEMENTS) + thread;
    for (var k = 0u; k < ELEMENTS; k++) {
        let i = start + k * THREADS;
        if i < params.count { each(i); }
    }
}
