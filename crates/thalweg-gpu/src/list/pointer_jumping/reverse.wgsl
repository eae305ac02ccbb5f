// The same lists with links to the element before. A record's value is that of the element itself, or, if not
// INCLUSIVE, that of the element before.
struct Params { count: u32 }

@compute @workgroup_size(THREADS)
fn begin(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = linear_workgroup(group, groups) * THREADS + thread;
    if i >= params.count { return; }
    var value = Value();
    if INCLUSIVE { value = value_of(records_at(i)); }
    reversed_put(i, record_of(NONE, value));
}

@compute @workgroup_size(THREADS)
fn link_back(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = linear_workgroup(group, groups) * THREADS + thread;
    if i >= params.count { return; }
    let record = records_at(i);
    if record.x == NONE { return; }
    // Nobody else has this link.
    var value = value_of(record);
    if INCLUSIVE { value = value_of(records_at(record.x)); }
    reversed_put(record.x, record_of(i, value));
}
