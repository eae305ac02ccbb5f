// Adds the products of a piece of the kernel.
struct Params { p: u32, inverse: u32, count: u32, is_first: u32 }

const THREADS = 256u;

@compute @workgroup_size(THREADS)
fn accumulate(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = linear_workgroup(group, groups) * THREADS + thread;
    if i >= params.count { return; }
    let product = times(values[i], spectrum[i]);
    sums[i] = select(reduce(sums[i] + product), product, params.is_first == 1u);
}
