// From the sums of sublists to the sums of elements.
struct Params { count: u32, sublists: u32 }

@compute @workgroup_size(THREADS)
fn expand(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let start = linear_workgroup(group, groups) * (THREADS * ITEMS) + thread;
    for (var k = 0u; k < ITEMS; k++) {
        let i = start + k * THREADS;
        if i < params.count { put_value(i, finished(i, of_element(i, params.sublists))); }
    }
}
