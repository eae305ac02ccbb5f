// Scan in one pass over memory: a tile is read for its total, and again, from the cache, when what is before it is known. Keeping it
// in registers meanwhile leaves room for half as many tiles.
struct Params { count: u32, tiles: u32 }

// The tile's number once more, which the compiler cannot know to be the same: it would keep what it has read.
var<workgroup> same_tile: u32;

// Scans a subgroup's stretch of the tile, row by row.
fn scan_rows(tile: u32, before: Value, subgroup: u32, lane: u32, width: u32) {
    let first = subgroup * width * PACKS + lane;
    let start = tile * TILE_PACKS;
    let remaining = params.count - tile * TILE;
    var carry = before;
    @unroll for (var v = 0u; v < PACKS; v++) {
        let i = first + v * width;
        var pack = no_values();
        // See `load_tile`.
        if remaining >= TILE {
            pack = pack_values(values_at(start + i));
        } else if i * PACK < remaining {
            pack = pack_cut(pack_values(values_at(start + i)), remaining - i * PACK);
        }
        pack = pack_scan(pack);
        let upto = subgroup_scan(pack_last(pack), lane);
        var lower = value_shuffle_up(upto, 1u);
        if lane == 0u { lower = IDENTITY; }
        if EXCLUSIVE { pack = pack_shift(pack); }
        // What is written beyond the array's end stays inside its buffer.
        if remaining >= TILE || i * PACK < remaining { scanned_put(start + i, pack_bits(pack_after(combine(carry, lower), pack))); }
        carry = combine(carry, value_shuffle(upto, width - 1u));
    }
}

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
    if subgroup == 0u && lane == 0u { same_tile = tile; }
    let sums = around(stretch_total(load_tile(tile, subgroup, lane, width), width), subgroup, lane, width);
    if subgroup == 0u && lane == 0u { announce(tile, sums.all); }
    // Its barriers make `same_tile` known to all.
    let before = look_back(tile, sums.all, subgroup, lane, width);
    scan_rows(same_tile, combine(before, sums.before), subgroup, lane, width);
    if tile == params.tiles - 1u && subgroup == 0u && lane == 0u { total_put(0u, bits_of(combine(before, sums.all))); }
}
