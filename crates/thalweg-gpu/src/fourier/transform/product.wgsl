// Lines of LONG values times one line of factors. A workgroup takes 256 values, each below the number that there are.

struct Params {
    first: u32,
    lines: u32,
}

fn times(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> { return vec2<f32>(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

@compute @workgroup_size(256)
fn multiply(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = linear_workgroup(id, count) * 256u + thread;
    if i >= params.lines * LONG { return; }
    output_put(i, times(output_at(i), roots_at(i % LONG)));
}
