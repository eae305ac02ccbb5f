// The tiles of wide windows that were listed: see `slide.wgsl`.
@compute @workgroup_size(THREADS)
fn open(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) size: u32,
) {
    let workgroup = linear_workgroup(group, groups);
    if workgroup >= params.workgroups { return; }
    let me = who(workgroup, subgroup, lane, size);
    let count = opened_count_at(0u);
    for (var i = me.tile; i < count; i += params.workgroups * (THREADS / LANES)) { open_ends(opened(i), me); }
}
