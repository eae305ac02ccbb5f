// Compaction and split: the flags of a tile are scanned, its elements are put in order in workgroup memory, and written in
// one piece, or two. The number of set flags before every tile is known from earlier passes: before its group, and before it in the group.
//
// A workgroup takes TILES neighbouring tiles, one after the other, and asks for the next one before it moves one: so the memory is never idle.
//
// A tile is laid out as in `reduce/tile.wgsl`: PACKS rows of four neighbours for every thread. A thread's
// flags are bits of one word, four a row, so that few registers are taken and many workgroups run at a time.
struct Params { count: u32, tiles: u32, bound_low: u32, bound_high: u32 }

const TILE_PACKS = THREADS * PACKS;
const TILE = TILE_PACKS * 4u;

var<workgroup> of_subgroups: array<u32, THREADS / WIDTH_MIN>;
var<workgroup> stage: array<Element, TILE>;

// Four numbers, 0 or 1, as the lowest bits of one.
fn marks_of(four: vec4<u32>) -> u32 { return four.x | (four.y << 1u) | (four.z << 2u) | (four.w << 3u); }

// What a thread asks for of a tile.
struct Asked { before: u32, rows: array<Row, PACKS>, quads: array<Quad, PACKS> }

// Everything is asked for before anything is looked at.
fn ask(tile: u32, first: u32, width: u32) -> Asked {
    var asked: Asked;
    asked.before = before_groups_at(tile / GROUP) + before_in_group(tile);
    let start = tile * TILE_PACKS + first;
    let remaining = params.count - tile * TILE;
    if remaining >= TILE {
        @unroll for (var v = 0u; v < PACKS; v++) { asked.rows[v] = load_flags(start + v * width); }
        @unroll for (var v = 0u; v < PACKS; v++) { asked.quads[v] = load_quad(start + v * width); }
    } else {
        @unroll for (var v = 0u; v < PACKS; v++) {
            // The last pack may reach beyond the array, but not beyond its buffer, whose size is rounded up.
            if 4u * (first + v * width) < remaining {
                asked.rows[v] = load_flags(start + v * width);
                asked.quads[v] = load_quad(start + v * width);
            }
        }
    }
    return asked;
}

// A thread's flags: row v's are the bits 4v to 4v + 3. PACKS <= 8. Beyond the `valid` elements of the tile none are set.
fn flags_of(asked: ptr<function, Asked>, valid: u32, first: u32, width: u32) -> u32 {
    var flags = 0u;
    @unroll for (var v = 0u; v < PACKS; v++) {
        let inside = min(max(valid, 4u * (first + v * width)) - 4u * (first + v * width), 4u);
        flags |= (row_flags((*asked).rows[v], (*asked).quads[v]) & ((1u << inside) - 1u)) << (4u * v);
    }
    return flags;
}

// The number of set flags of all subgroups and of those before this one.
fn count_around(stretch: u32, subgroup: u32, lane: u32, width: u32) -> vec2<u32> {
    if lane == 0u { of_subgroups[subgroup] = stretch; }
    workgroupBarrier();
    var before = 0u;
    var all = 0u;
    for (var s = 0u; s < THREADS / width; s++) {
        if s == subgroup { before = all; }
        all += of_subgroups[s];
    }
    return vec2(before, all);
}

// Puts an element into the stage: those whose flag is set are packed behind the others (split), or alone (compact).
// `i` is its place in the tile, `sets` the number of set flags before it there. Both are below TILE.
fn put(i: u32, flag: bool, sets: u32, clears_of_tile: u32, valid: u32, element: Element) {
    if SPLIT {
        if i < valid { stage[select(i - sets, clears_of_tile + sets, flag)] = element; }
    } else {
        if flag { stage[sets] = element; }
    }
}

fn move_tile(tile: u32, asked: ptr<function, Asked>, subgroup: u32, lane: u32, width: u32) {
    let thread = subgroup * width + lane;
    let first = subgroup * width * PACKS + lane;
    let start = tile * TILE;
    let valid = min(params.count - start, TILE);
    let before = (*asked).before;
    let flags = flags_of(asked, valid, first, width);
    // The number of set flags before each row of this thread: two rows of 16 bits are scanned at a time.
    var befores: array<u32, PACKS>;
    var stretch = 0u;
    @unroll for (var h = 0u; h < HALF_PACKS; h++) {
        let low = countOneBits(flags & (0xfu << (8u * h)));
        let high = countOneBits(flags & (0xfu << (8u * h + 4u)));
        let both = low | (high << 16u);
        let upto = subgroup_scan(both, lane);
        let all = subgroupShuffle(upto, width - 1u);
        befores[2u * h] = stretch + (upto & 0xffffu) - low;
        stretch += all & 0xffffu;
        if 2u * h + 1u < PACKS { befores[min(2u * h + 1u, PACKS - 1u)] = stretch + (upto >> 16u) - high; }
        stretch += all >> 16u;
    }
    // Its barrier is behind all reads of the stage for the tile before.
    let around = count_around(stretch, subgroup, lane, width);
    let sets_of_tile = around.y;
    let clears = valid - sets_of_tile;
    @unroll for (var v = 0u; v < PACKS; v++) {
        let i = 4u * (first + v * width);
        let row = flags >> (4u * v);
        let sets = around.x + befores[v];
        put(i, (row & 1u) != 0u, sets, clears, valid, (*asked).quads[v].a);
        put(i + 1u, (row & 2u) != 0u, sets + countOneBits(row & 1u), clears, valid, (*asked).quads[v].b);
        put(i + 2u, (row & 4u) != 0u, sets + countOneBits(row & 3u), clears, valid, (*asked).quads[v].c);
        put(i + 3u, (row & 8u) != 0u, sets + countOneBits(row & 7u), clears, valid, (*asked).quads[v].d);
    }
    workgroupBarrier();
    if SPLIT {
        // The clear ones of all tiles come first.
        let clears_before = start - before;
        let sets_start = params.count - total_at(0u) + before;
        for (var i = thread; i < valid; i += THREADS) {
            out_put(select(sets_start + i - clears, clears_before + i, i < clears), stage[i]);
        }
    } else {
        for (var i = thread; i < sets_of_tile; i += THREADS) { out_put(before + i, stage[i]); }
    }
}

@compute @workgroup_size(THREADS)
fn compact(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) size: u32,
) {
    let width = fixed_width(size);
    let first = subgroup * width * PACKS + lane;
    // Workgroups, and so tiles, may be some more than are needed.
    let begin = min(linear_workgroup(group, groups), params.tiles) * TILES;
    let end = min(begin + TILES, params.tiles);
    if begin >= end { return; }
    var next = ask(begin, first, width);
    for (var tile = begin; tile < end; tile++) {
        var asked = next;
        if tile + 1u < end { next = ask(tile + 1u, first, width); }
        move_tile(tile, &asked, subgroup, lane, width);
    }
}
