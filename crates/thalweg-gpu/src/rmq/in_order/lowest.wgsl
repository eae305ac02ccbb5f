// The lowest layer: the minima of 32 elements, as ranks; the worst where there are none.
struct Params {
    // Whole packs of the array, and the keys of the pack behind them.
    packs: u32,
    rest: u32,
    // Nodes with those that fill the layer up.
    nodes: u32,
}

const NODE_PACKS = FAN / PACK;

var<workgroup> least: array<Key, THREADS>;

@compute @workgroup_size(THREADS)
fn lowest(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    // A thread a pack: packs are fewer than 2^32 - 1, and beyond the last row of workgroups the number may wrap around.
    let workgroup = linear_workgroup(group, groups);
    let first = workgroup * (THREADS / NODE_PACKS);
    let inside = workgroup < (params.nodes + THREADS / NODE_PACKS - 1u) / (THREADS / NODE_PACKS);
    let pack = workgroup * THREADS + thread;
    var rank = WORST;
    if inside && pack < params.packs {
        rank = pack_least(pack_ranks(values_at(pack)));
    } else if inside && pack == params.packs && params.rest > 0u {
        rank = pack_least(pack_within(pack_ranks(values_at(pack)), 0u, params.rest));
    }
    least[thread] = rank;
    workgroupBarrier();
    let node = first + thread;
    if inside && thread < THREADS / NODE_PACKS && node < params.nodes {
        // What the thread has found in its own pack is of another node.
        rank = WORST;
        for (var k = 0u; k < NODE_PACKS; k++) { rank = key_min(rank, least[thread * NODE_PACKS + k]); }
        minima_put(node, rank);
    }
}

