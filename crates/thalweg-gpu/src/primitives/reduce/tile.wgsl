// A tile of values: TILE_PACKS packs, a stretch of PACKS * width of them for every subgroup, row by row. So a subgroup
// reads neighbouring packs at once, and its values follow each other.
const TILE_PACKS = THREADS * PACKS;
const TILE = TILE_PACKS * PACK;

var<workgroup> of_subgroups: array<Value, THREADS / WIDTH_MIN>;

// The tile's values. Beyond the end of the array there are identities.
// `tile` is one of the array's tiles, so `tile * TILE < params.count`, and pack numbers have two bits to spare.
fn load_tile(tile: u32, subgroup: u32, lane: u32, width: u32) -> array<vec4<u32>, PACKS> {
    var packs: array<vec4<u32>, PACKS>;
    let first = subgroup * width * PACKS + lane;
    let start = tile * TILE_PACKS;
    let remaining = params.count - tile * TILE;
    if remaining >= TILE {
        @unroll for (var v = 0u; v < PACKS; v++) { packs[v] = pack_values(values_at(start + first + v * width)); }
    } else {
        @unroll for (var v = 0u; v < PACKS; v++) {
            let at = (first + v * width) * PACK;
            packs[v] = no_values();
            // The last pack may reach beyond the array, but not beyond its buffer, whose size is rounded up.
            if at < remaining { packs[v] = pack_cut(pack_values(values_at(start + first + v * width)), remaining - at); }
        }
    }
    return packs;
}

// The total of a subgroup's stretch, in every thread of it.
fn stretch_total(packs: array<vec4<u32>, PACKS>, width: u32) -> Value {
    var total = IDENTITY;
    @unroll for (var v = 0u; v < PACKS; v++) { total = combine(total, pack_total(packs[v])); }
    return subgroup_reduce(total, width);
}

// The tile's total, in every thread.
fn tile_total(tile: u32, subgroup: u32, lane: u32, width: u32) -> Value {
    let total = stretch_total(load_tile(tile, subgroup, lane, width), width);
    workgroupBarrier();
    if lane == 0u { of_subgroups[subgroup] = total; }
    workgroupBarrier();
    var all = IDENTITY;
    for (var s = 0u; s < THREADS / width; s++) { all = combine(all, of_subgroups[s]); }
    return all;
}
