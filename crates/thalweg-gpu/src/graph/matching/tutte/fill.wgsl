// The Tutte matrix: a workgroup writes the entries of a row, which was 0 before.
struct Params { size: u32, stride: u32, key0: u32, key1: u32 }

// As the CPU has it, see `thalweg_graph::matching::tutte::number`: PCG's hash of four words (Jarzynski, Olano 2020).
fn number(high: u32, low: u32) -> u32 {
    var v = vec4(high, low, params.key0, params.key1) * 1664525u + 1013904223u;
    v = scrambled(v);
    v = scrambled(v ^ (v >> vec4(16u)));
    let bits = v.x >> 1u;
    return select(bits, 1u, bits == 0u || bits == PRIME);
}

fn scrambled(words: vec4<u32>) -> vec4<u32> {
    var v = words;
    v.x += v.y * v.w;
    v.y += v.z * v.x;
    v.z += v.x * v.y;
    v.w += v.y * v.z;
    return v;
}

@compute @workgroup_size(THREADS)
fn fill(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let v = linear_workgroup(group, groups);
    if v >= params.size { return; }
    for (var arc = offsets_at(v) + thread; arc < offsets_at(v + 1u); arc += THREADS) {
        let u = targets_at(arc);
        let entry = number(max(u, v), min(u, v));
        matrix_put(v * params.stride + u, select(negate(entry), entry, v > u));
    }
}
