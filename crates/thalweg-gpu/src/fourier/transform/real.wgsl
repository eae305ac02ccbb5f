// Between real lines and half of their frequencies. A workgroup takes 256 results, each below the number that there are.
// LEN real values a line, STRIDE apart; HALF = LEN / 2 + 1 frequencies. PACKED: the values of a line are LEN / 2 pairs.

struct Params {
    count: u32,
}

const MIDDLE = LEN / 2u;

fn times(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> { return vec2<f32>(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

fn conjugate(a: vec2<f32>) -> vec2<f32> { return vec2<f32>(a.x, -a.y); }

// Transforms the other way are conjugates of those of conjugates.
fn turned(a: vec2<f32>) -> vec2<f32> { return select(a, conjugate(a), CONJUGATE); }

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = linear_workgroup(id, count) * 256u + thread;
    if i >= params.count { return; }
    BODY
}
