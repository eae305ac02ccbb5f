// The product of two real arrays' transforms, one of them as transforms of pairs, HEIGHT rows of MIDDLE, the other as half of its
// frequencies, rows of MIDDLE + 1. A value and its mirror image tell two frequencies of the real array each: they are taken
// apart, multiplied and put together again. A thread takes one such couple, of columns up to MIDDLE / 2: all are below the
// arrays' ends, and every couple is met once.

struct Params {
    count: u32,
}

fn times(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> { return vec2<f32>(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

fn conjugate(a: vec2<f32>) -> vec2<f32> { return vec2<f32>(a.x, -a.y); }

// The value in row and column, given the one there and its mirror image.
fn convolved(a: vec2<f32>, b: vec2<f32>, row: u32, column: u32) -> vec2<f32> {
    let mirror = (HEIGHT - row) % HEIGHT;
    let root = roots_at(column);
    let even = a + conjugate(b);
    let difference = a - conjugate(b);
    let odd = times(vec2<f32>(difference.y, -difference.x), root);
    // Twice the frequencies, here and half of the circle further.
    let first = times(even + odd, factors_at(row * (MIDDLE + 1u) + column));
    let second = times(even - odd, conjugate(factors_at(mirror * (MIDDLE + 1u) + MIDDLE - column)));
    let turned = times(first - second, conjugate(root));
    return (first + second + vec2<f32>(-turned.y, turned.x)) * 0.25;
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = linear_workgroup(id, count) * 256u + thread;
    if i >= params.count { return; }
    let row = i / (MIDDLE / 2u + 1u);
    let column = i % (MIDDLE / 2u + 1u);
    let mirror_row = (HEIGHT - row) % HEIGHT;
    let mirror_column = (MIDDLE - column) % MIDDLE;
    // In the first and the middle column, a couple is met from both sides.
    if mirror_column == column && mirror_row < row { return; }
    let here = row * MIDDLE + column;
    let there = mirror_row * MIDDLE + mirror_column;
    let a = values_at(here);
    let b = values_at(there);
    values_put(here, convolved(a, b, row, column));
    if there != here { values_put(there, convolved(b, a, mirror_row, mirror_column)); }
}
