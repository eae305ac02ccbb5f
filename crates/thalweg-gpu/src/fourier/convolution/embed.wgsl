// The kernel as the transforms take it: WIDTH values a row, the kernel's element at SHIFT being the first one, what is left of
// it at the other end, and what is longer than the rows added up. A workgroup takes 256 values, each below the number that there
// are.

struct Params {
    count: u32,
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = linear_workgroup(id, count) * 256u + thread;
    if i >= params.count { return; }
    var sum = 0.0;
    for (var y = (i / WIDTH + SHIFT_DOWN) % HEIGHT; y < ROWS; y += HEIGHT) {
        for (var x = (i % WIDTH + SHIFT_ACROSS) % WIDTH; x < COLUMNS; x += WIDTH) {
            let place = y * COLUMNS + x;
            sum += input_at(select(place, ROWS * COLUMNS - 1u - place, TURNED));
        }
    }
    output_put(i, sum * FACTOR);
}
