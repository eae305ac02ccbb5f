// The results among the values of the transforms: ROWS rows of COLUMNS, from rows of WIDTH complex values. Where PACKED, those
// from AHEAD on are imaginary parts. A workgroup takes 256 results, each below the number that there are.

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
    var row = i / COLUMNS;
    var column = i % COLUMNS;
    // One of the two is 0.
    let second = PACKED && row >= AHEAD_DOWN && column >= AHEAD_ACROSS;
    if second {
        row -= AHEAD_DOWN;
        column -= AHEAD_ACROSS;
    }
    let value = input_at(row * WIDTH + column);
    output_put(i, select(value.x, value.y, second));
}
