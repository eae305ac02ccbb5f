// Residues of numbers given by the halves of their bits, plus a bias: see thalweg-fourier's `residues.rs`.
struct Params {
    p: u32,
    inverse: u32,
    one: u32,
    square: u32,
    bias: u32,
    // Elements, those that are there (the rest is zero), and where the high halves begin; 0 if there are none.
    count: u32,
    known: u32,
    high: u32,
}

const THREADS = 256u;

@compute @workgroup_size(THREADS)
fn residues_of(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = linear_workgroup(group, groups) * THREADS + thread;
    if i >= params.count { return; }
    var x = 0u;
    if i < params.known {
        x = times(bits[i], params.one);
        if params.high > 0u { x = reduce(x + times(bits[params.high + i], params.square)); }
        x -= params.bias;
        x = min(x, x + params.p);
    }
    values[i] = x;
}
