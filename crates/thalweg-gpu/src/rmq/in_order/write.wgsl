// Writes the children that were found, in order: a workgroup those of its nodes, whose places are next to each other.
struct Params {
    // Nodes that were opened.
    count: u32,
    // Bits that a node's number is shifted by, to become that of its first child.
    up: u32,
}

var<workgroup> begins: array<u32, THREADS>;
var<workgroup> found: array<u32, THREADS>;

// Which bit the one with `n` others below it is.
fn bit_of(mask: u32, n: u32) -> u32 {
    var bits = mask;
    var before = n;
    var at = 0u;
    for (var half = 16u; half > 0u; half /= 2u) {
        let low = countOneBits(bits & ((1u << half) - 1u));
        if before >= low {
            before -= low;
            bits >>= half;
            at += half;
        }
    }
    return at;
}

@compute @workgroup_size(THREADS)
fn write_children(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    // Nodes are fewer than 2^31, so this does not wrap around.
    let first = linear_workgroup(group, groups) * THREADS;
    let nodes = min(THREADS, max(params.count, first) - first);
    if thread < nodes {
        begins[thread] = offsets_at(first + thread);
        found[thread] = masks_at(first + thread);
        note(first + thread, begins[thread], countOneBits(found[thread]));
    }
    workgroupBarrier();
    if nodes == 0u { return; }
    let begin = begins[0];
    let end = begins[nodes - 1u] + countOneBits(found[nodes - 1u]);
    for (var place = begin + thread; place < end; place += THREADS) {
        // The last node that begins here or before: those without children begin where their follower does.
        var node = 0u;
        for (var step = THREADS / 2u; step > 0u; step /= 2u) {
            if node + step < nodes && begins[node + step] <= place { node += step; }
        }
        put(place, first + node, nodes_at(first + node), bit_of(found[node], place - begins[node]));
    }
}
