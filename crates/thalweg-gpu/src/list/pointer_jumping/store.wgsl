// The values of records, to the array that they are asked for in.
struct Params { count: u32 }

@compute @workgroup_size(THREADS)
fn store(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = linear_workgroup(group, groups) * THREADS + thread;
    if i >= params.count { return; }
    put_value(i, finished(i, value_of(records_at(i))));
}
