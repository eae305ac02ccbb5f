// All nearest smaller values inside tiles, and outside of them where a tile leaves little open.

// Minima of every run's quads, a tree of the runs' minima with four children a node, and the runs' links.
var<workgroup> run_minima: array<Four, THREADS>;
var<workgroup> tree: array<Four, (LEAVES - 1u) / 3u>;
var<workgroup> links: array<u32, THREADS>;
// Answers, in the places of `tile_keys`.
var<workgroup> answers: array<vec4<u32>, QUADS * STRIDE>;
// Elements that stay open: how many on either side, and the first LIGHT of them.
var<workgroup> open_count: array<atomic<u32>, 2>;
var<workgroup> open_list: array<u32, 2u * LIGHT>;

@compute @workgroup_size(THREADS)
fn tiles_solve(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let tile = linear_workgroup(group, groups);
    // With it, `tile * TILE < count`: no product below wraps around.
    if tile >= params.tiles { return; }
    if thread < 2u { atomicStore(&open_count[thread], 0u); }
    tile_load(tile, thread);
    workgroupBarrier();
    let minima = run_quads(thread);
    run_minima[thread] = minima;
    tree_put(thread, four_min(minima));
    var offset = 0u;
    for (var size = LEAVES / 4u; size > 1u; size >>= 2u) {
        workgroupBarrier();
        // Where THREADS is no power of four, some nodes are beyond the last run and meaningless; searches stay away.
        if thread < size { tree_put(4u * (offset + size) + thread, four_min(tree[offset + thread])); }
        offset += size;
    }
    workgroupBarrier();
    SOLVE_SIDES
    if STAGES > 4u {
        // Answers of both sides are written: single ones may be replaced now, by half of the threads on either side.
        storageBarrier();
        SEARCH_SIDES
    }
}
