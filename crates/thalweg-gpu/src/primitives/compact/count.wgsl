// The number of set flags, and every flag as a bit, 32 to a word: so the tiles are moved without a second look at the flags
// themselves. A workgroup takes a group of tiles, one subgroup each, and tells of every tile how many are set before it in the group.
// Subgroups have at least 8 threads: as many packs make a word.
struct Params { count: u32, tiles: u32 }

var<workgroup> of_tiles: array<u32, GROUP>;

// The number of a tile's set flags, for all threads of the subgroup. The tile begins inside the array.
fn count_tile(tile: u32, lane: u32, width: u32) -> u32 {
    let start = tile * TILE_PACKS;
    let valid = min(params.count - 4u * start, 4u * TILE_PACKS);
    var mine = 0u;
    for (var first = 0u; first < TILE_PACKS; first += TOGETHER * width) {
        var rows: array<vec4<u32>, TOGETHER>;
        @unroll for (var v = 0u; v < TOGETHER; v++) {
            let i = first + v * width + lane;
            // The last pack may reach beyond the array, but not beyond its buffer, whose size is rounded up.
            if 4u * i < valid { rows[v] = flags_at(start + i); }
        }
        var own = 0u;
        @unroll for (var v = 0u; v < TOGETHER; v++) {
            let i = 4u * (first + v * width + lane);
            let inside = min(max(valid, i) - i, 4u);
            let marks = vec4<u32>(rows[v] != vec4(0u)) << vec4(0u, 1u, 2u, 3u);
            let four = (marks.x | marks.y | marks.z | marks.w) & ((1u << inside) - 1u);
            mine += countOneBits(four);
            // `width` and what a tile has are multiples of 8, so eight neighbours are in one subgroup.
            var word = four << (4u * (lane & 7u));
            word |= subgroupShuffleXor(word, 1u);
            word |= subgroupShuffleXor(word, 2u);
            word |= subgroupShuffleXor(word, 4u);
            if v == (lane & 7u) { own = word; }
        }
        let i = first + (lane & 7u) * width + (lane & ~7u);
        if 4u * i < valid { bits_put((start + i) / 8u, own); }
    }
    return subgroupAdd(mine);
}

@compute @workgroup_size(THREADS)
fn count_flags(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) size: u32,
) {
    let width = fixed_width(size);
    let number = linear_workgroup(group, groups);
    let first = number * GROUP;
    if first >= params.tiles { return; }
    for (var t = subgroup; t < GROUP; t += THREADS / width) {
        var all = 0u;
        if first + t < params.tiles { all = count_tile(first + t, lane, width); }
        if lane == 0u { of_tiles[t] = all; }
    }
    workgroupBarrier();
    let thread = subgroup * width + lane;
    if thread < GROUP {
        var before = 0u;
        for (var t = 0u; t < thread; t++) { before += of_tiles[t]; }
        if first + thread < params.tiles { in_group_put(first + thread, before); }
        if thread == GROUP - 1u { counts_put(number, before + of_tiles[thread]); }
    }
}
