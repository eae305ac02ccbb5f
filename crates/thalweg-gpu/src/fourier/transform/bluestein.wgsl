// Values times the chirp, into lines of LONG values; and back. A workgroup takes 256 values, each below the number that there
// are.

struct Params {
    // The first line of this group, and how many there are in it.
    first: u32,
    lines: u32,
}

fn times(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> { return vec2<f32>(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

fn swapped(a: vec2<f32>) -> vec2<f32> { return select(a, a.yx, SWAP); }

// Where value `i` of a line is in the array.
fn place(line: u32, i: u32) -> u32 { return (line / STRIDE * LEN + i) * STRIDE + line % STRIDE; }

@compute @workgroup_size(256)
fn spread(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = linear_workgroup(id, count) * 256u + thread;
    if i >= params.lines * LONG { return; }
    let position = i % LONG;
    var value = vec2<f32>();
    if position < LEN {
        value = times(swapped(input_at(place(params.first + i / LONG, position))), roots_at(position));
    }
    output_put(i, value);
}

@compute @workgroup_size(256)
fn gather(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    // Neighbours in memory are neighbouring lines, unless lines are contiguous.
    let i = linear_workgroup(id, count) * 256u + thread;
    if i >= params.lines * LEN { return; }
    let line = i / LEN;
    let position = i % LEN;
    let value = times(input_at(line * LONG + position), roots_at(position)) * FACTOR;
    output_put(place(params.first + line, position), swapped(value));
}
