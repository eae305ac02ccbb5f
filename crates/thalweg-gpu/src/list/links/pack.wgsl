// Links and weights, which are read together, in one record. A list's last element has no link.
struct Params { count: u32 }

@compute @workgroup_size(THREADS)
fn pack(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = linear_workgroup(group, groups) * THREADS + thread;
    if i >= params.count { return; }
    let link = next_at(i);
    records_put(i, record_of(select(link, NONE, link == i), weight_of(i)));
}
