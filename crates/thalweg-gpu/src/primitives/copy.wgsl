// A copy: what a pass over memory costs at least.
struct Params { packs: u32 }

@compute @workgroup_size(THREADS)
fn copy_tiles(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) size: u32,
) {
    let width = fixed_width(size);
    let first = linear_workgroup(group, groups) * THREADS * PACKS + subgroup * width * PACKS + lane;
    var packs: array<vec4<u32>, PACKS>;
    @unroll for (var v = 0u; v < PACKS; v++) {
        if first + v * width < params.packs { packs[v] = values_at(first + v * width); }
    }
    @unroll for (var v = 0u; v < PACKS; v++) {
        if first + v * width < params.packs { copied_put(first + v * width, packs[v]); }
    }
}
