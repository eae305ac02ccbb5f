// Scan in one pass: everything is read once and written once.
struct Params { count: u32, tiles: u32 }

@compute @workgroup_size(THREADS)
fn scan_lookback(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) size: u32,
) {
    let width = fixed_width(size);
    let tile = claim_tile(linear_workgroup(group, groups), subgroup * width + lane);
    if tile >= params.tiles { return; }
    var packs = load_tile(tile, subgroup, lane, width);
    let stretch = scan_stretch(&packs, lane, width);
    let sums = around(stretch, subgroup, lane, width);
    if subgroup == 0u && lane == 0u { announce(tile, sums.all); }
    let before = look_back(tile, sums.all, subgroup, lane, width);
    store_tile(tile, combine(before, sums.before), &packs, subgroup, lane, width);
    if tile == params.tiles - 1u && subgroup == 0u && lane == 0u { total_put(0u, bits_of(combine(before, sums.all))); }
}
