// Who can be left alone: whoever a vector of the kernel is not 0 at. It has a vector for everybody whom no pivot covers, the row
// of the swept matrix.
struct Params { size: u32, stride: u32 }

@compute @workgroup_size(THREADS)
fn missed(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let v = linear_workgroup(group, groups);
    if v >= params.size || stamps_at(v) != 0xffffffffu { return; }
    if thread == 0u { atomicStore(&missed_flags[v], 1u); }
    for (var j = thread; j < params.size; j += THREADS) {
        if matrix_at(v * params.stride + j) != 0u { atomicStore(&missed_flags[j], 1u); }
    }
}
