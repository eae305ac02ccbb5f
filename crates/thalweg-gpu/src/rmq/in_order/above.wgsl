// A layer from the one below it: the minima of 32, which are there as whole nodes.
struct Params {
    // Where the layer below begins, and its nodes with those that fill it up.
    source: u32,
    below: u32,
    // The same of this one.
    to: u32,
    nodes: u32,
}

@compute @workgroup_size(THREADS)
fn above(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let node = linear_workgroup(group, groups) * THREADS + thread;
    if node >= params.nodes { return; }
    var rank = WORST;
    // Nodes that fill the layer up have no children.
    if node < params.below / FAN {
        for (var k = 0u; k < FAN; k++) { rank = key_min(rank, minima_at(params.source + node * FAN + k)); }
    }
    minima_put(params.to + node, rank);
}
