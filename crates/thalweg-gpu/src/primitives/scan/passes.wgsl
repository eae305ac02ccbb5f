// Scan whose tiles know what is before them from an earlier pass.
struct Params { count: u32, tiles: u32 }

@compute @workgroup_size(THREADS)
fn scan_tiles(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) size: u32,
) {
    let width = fixed_width(size);
    let tile = linear_workgroup(group, groups);
    if tile >= params.tiles { return; }
    var packs = load_tile(tile, subgroup, lane, width);
    let stretch = scan_stretch(&packs, lane, width);
    let sums = around(stretch, subgroup, lane, width);
    var before = IDENTITY;
    if params.tiles > 1u { before = before_tiles_at(tile); }
    store_tile(tile, combine(before, sums.before), &packs, subgroup, lane, width);
    if tile == params.tiles - 1u && subgroup == 0u && lane == 0u { total_put(0u, bits_of(combine(before, sums.all))); }
}
