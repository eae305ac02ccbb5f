// One thread an element, numbered by `i`: what it does is `each(i)`, which comes with the kernel.
struct Params { count: u32, a: u32, b: u32, c: u32 }

const NO_ELEMENT = 0xffffffffu;

@compute @workgroup_size(THREADS)
fn for_each(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    // Elements are fewer than 2^32 - THREADS.
    let i = linear_workgroup(group, groups) * THREADS + thread;
    if i < params.count { each(i); }
}
