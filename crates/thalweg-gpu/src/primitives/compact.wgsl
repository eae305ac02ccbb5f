// Compaction and split in one pass: the flags of a tile are scanned, its elements are put in order in workgroup memory,
// and written in one piece, or two, when the number of elements before them is known.
//
// `values` are the flags, four to a pack, which become 0 or 1 when they are loaded.
struct Params { count: u32, tiles: u32 }

var<workgroup> stage: array<Element, TILE>;

// Where an element goes in the stage: those whose flag is set are packed behind the others (split), or alone (compact).
// `i` is its place in the tile, `sets` the number of set flags before it there.
// Both are below TILE, for `i < valid`.
fn put(i: u32, flag: u32, sets: u32, clears_of_tile: u32, valid: u32, element: Element) {
    if SPLIT {
        if i < valid { stage[select(i - sets, clears_of_tile + sets, flag != 0u)] = element; }
    } else {
        if flag != 0u { stage[sets] = element; }
    }
}

@compute @workgroup_size(THREADS)
fn compact(
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) size: u32,
) {
    let width = fixed_width(size);
    let thread = subgroup * width + lane;
    let tile = claim_tile(thread);
    if tile >= params.tiles { return; }
    let flags = load_tile(tile, subgroup, lane, width);
    let start = tile * TILE;
    let valid = min(params.count - start, TILE);
    let first = subgroup * width * PACKS + lane;
    var quads: array<Quad, PACKS>;
    @unroll for (var v = 0u; v < PACKS; v++) {
        // As in `load_tile`: inside the buffer, if not inside the array.
        if 4u * (first + v * width) < valid { quads[v] = load_quad(tile * TILE_PACKS + first + v * width); }
    }
    var ranks = flags;
    let stretch = scan_stretch(&ranks, lane, width);
    let sums = around(stretch, subgroup, lane, width);
    if thread == 0u { announce(tile, sums.all); }
    let clears = valid - sums.all;
    @unroll for (var v = 0u; v < PACKS; v++) {
        let i = 4u * (first + v * width);
        let sets = vec4(sums.before) + ranks[v];
        put(i, flags[v].x, sets.x, clears, valid, quads[v].a);
        put(i + 1u, flags[v].y, sets.y, clears, valid, quads[v].b);
        put(i + 2u, flags[v].z, sets.z, clears, valid, quads[v].c);
        put(i + 3u, flags[v].w, sets.w, clears, valid, quads[v].d);
    }
    let before = look_back(tile, sums.all, subgroup, lane, width);
    if SPLIT {
        // The clear ones of all tiles come first.
        let clears_before = start - before;
        let sets_start = params.count - all_sets() + before;
        for (var i = thread; i < valid; i += THREADS) {
            out_put(select(sets_start + i - clears, clears_before + i, i < clears), stage[i]);
        }
    } else {
        for (var i = thread; i < sums.all; i += THREADS) { out_put(before + i, stage[i]); }
    }
    if tile == params.tiles - 1u && thread == 0u { total_put(0u, before + sums.all); }
}
