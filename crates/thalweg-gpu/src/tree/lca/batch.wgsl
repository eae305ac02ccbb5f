// One thread a query: two nodes. Those of a query with a number that is no node are the first node, and the first
// such row is kept. What is done with a query is `answer(i, q)`, which comes with the engine.
struct Params { count: u32, row: u32, nodes: u32 }

const NO_NODE = 0xffffffffu;

@compute @workgroup_size(THREADS)
fn batch(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    // Batches are shorter than 2^31.
    let i = linear_workgroup(group, groups) * THREADS + thread;
    if i >= params.count { return; }
    var q = queries_at(i);
    if max(q.x, q.y) >= params.nodes {
        // The largest complement is that of the first row, and is not 0.
        atomicMax(&bad_row[0], ~(params.row + i));
        q = vec2(0u);
    }
    answer(i, q);
}
