// Tiles in workgroup memory: THREADS runs of ITEMS consecutive elements, one a thread, in quads of four. The quads of a
// run lie STRIDE apart, so that the threads' quads of one number lie side by side and do not meet in a bank. Above them a
// tree of the runs' minima with four children a node; its first entries are the runs' minima themselves.
//
// Workgroup memory decides how many tiles a processor works on at a time: there is no more than this, and answers stay in
// registers.
const STRIDE = THREADS;
// Entries of the tree's root that there are.
const ROOTS = THREADS / (LEAVES / 4u);

var<workgroup> tile_keys: array<Four, QUADS * STRIDE>;
var<workgroup> tree: array<Four, (LEAVES - 1u) / 3u>;

// Four keys of a tile from element `at` of it on, WORST after the array's end.
fn quad_load(tile: u32, at: u32, valid: u32) -> Four {
    if at >= valid { return four_worst(); }
    // A quad with at least one key is inside the buffer: buffers are multiples of 256 bytes.
    let four = values_four(tile * (TILE / 4u) + at / 4u);
    if at + 4u <= valid { return four; }
    return four_select(four_worst(), four, vec4(0u, 1u, 2u, 3u) < vec4(valid - at));
}

// Makes the tree of a tile whose runs' minima are in place. Starts and ends with a barrier.
fn tree_build(thread: u32) {
    workgroupBarrier();
    // Every entry from the runs' minima at once, instead of level by level with barriers. Where THREADS is no power of
    // four, some entries are beyond the last run and meaningless; searches stay away from them.
    if thread < LEAVES / 4u {
        tree_put(LEAVES + thread, four_min(tree[thread]));
    } else if thread < LEAVES / 4u + LEAVES / 16u {
        let first = 4u * (thread - LEAVES / 4u);
        var least = four_min(tree[first]);
        for (var k = 1u; k < 4u; k++) { least = key_min(least, four_min(tree[first + k])); }
        tree_put(LEAVES + thread, least);
    } else if LEAVES > 64u && thread < LEAVES / 4u + LEAVES / 16u + LEAVES / 64u {
        let first = 16u * (thread - LEAVES / 4u - LEAVES / 16u);
        var least = four_min(tree[first]);
        for (var k = 1u; k < 16u; k++) { least = key_min(least, four_min(tree[first + k])); }
        tree_put(LEAVES + thread, least);
    }
    workgroupBarrier();
}

// Which entries of the root count as neighbours of `key`.
fn root_before(key: Key) -> vec4<bool> {
    return four_before(tree[(LEAVES - 1u) / 3u - 1u], key) & (vec4(0u, 1u, 2u, 3u) < vec4(ROOTS));
}

// The minimum of the tile.
fn root_min() -> Key {
    let root = tree[(LEAVES - 1u) / 3u - 1u];
    return four_min(four_select(four_worst(), root, vec4(0u, 1u, 2u, 3u) < vec4(ROOTS)));
}
