// The totals of tiles.
// The bound is that of a comparison, where elements are counted that pass one.
struct Params { count: u32, tiles: u32, bound_low: u32, bound_high: u32 }

@compute @workgroup_size(THREADS)
fn reduce_tiles(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) size: u32,
) {
    let width = fixed_width(size);
    let tile = linear_workgroup(group, groups);
    if tile >= params.tiles { return; }
    let total = tile_total(tile, subgroup, lane, width);
    if subgroup == 0u && lane == 0u { totals_put(tile, total); }
}
