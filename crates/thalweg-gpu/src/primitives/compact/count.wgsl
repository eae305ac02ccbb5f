// The number of set flags of every tile, and every flag as a bit, 32 to a word: so the tiles are moved without a second look at
// the flags themselves. Subgroups have at least 8 threads: as many packs make a word.
struct Params { count: u32, tiles: u32 }

const TILE_PACKS = THREADS * PACKS;
const TILE = TILE_PACKS * 4u;

var<workgroup> of_subgroups: array<u32, THREADS / WIDTH_MIN>;

@compute @workgroup_size(THREADS)
fn count_flags(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) size: u32,
) {
    let width = fixed_width(size);
    let tile = linear_workgroup(group, groups);
    if tile >= params.tiles { return; }
    let start = tile * TILE_PACKS;
    let first = subgroup * width * PACKS + lane;
    let remaining = params.count - tile * TILE;
    var rows: array<vec4<u32>, PACKS>;
    if remaining >= TILE {
        @unroll for (var v = 0u; v < PACKS; v++) { rows[v] = flags_at(start + first + v * width); }
    } else {
        @unroll for (var v = 0u; v < PACKS; v++) {
            let i = first + v * width;
            // The last pack may reach beyond the array, but not beyond its buffer, whose size is rounded up.
            if 4u * i < remaining { rows[v] = flags_at(start + i) & (vec4(0u) - vec4<u32>(vec4(remaining - 4u * i) > vec4(0u, 1u, 2u, 3u))); }
        }
    }
    var mine = 0u;
    @unroll for (var v = 0u; v < PACKS; v++) {
        let i = first + v * width;
        let marks = vec4<u32>(rows[v] != vec4(0u)) << vec4(0u, 1u, 2u, 3u);
        let four = marks.x | marks.y | marks.z | marks.w;
        mine += countOneBits(four);
        // `width` and what a tile has are multiples of 8, so eight neighbours are in one subgroup.
        var word = four << (4u * (i & 7u));
        word |= subgroupShuffleXor(word, 1u);
        word |= subgroupShuffleXor(word, 2u);
        word |= subgroupShuffleXor(word, 4u);
        if (i & 7u) == 0u && 4u * i < remaining { bits_put((start + i) / 8u, word); }
    }
    let stretch = subgroupAdd(mine);
    if lane == 0u { of_subgroups[subgroup] = stretch; }
    workgroupBarrier();
    if subgroup == 0u && lane == 0u {
        var all = 0u;
        for (var s = 0u; s < THREADS / width; s++) { all += of_subgroups[s]; }
        counts_put(tile, all);
    }
}
