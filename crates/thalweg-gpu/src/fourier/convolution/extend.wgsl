// The array and what lies beyond its ends, as the transforms take it: rows of WIDTH values. A workgroup takes 256 values, each
// below the number that there are; the array is read where `located` says, which is inside.

struct Params {
    count: u32,
    // Where the first value lies in the array, down and across.
    first_down: i32,
    first_across: i32,
}

// Where the element at a position is, of an array that goes on beyond its ends; -1 for a zero.
fn located(position: i32, len: i32) -> i32 {
    if position >= 0 && position < len { return position; }
    switch BOUNDARY {
        case 1u: {
            let rest = position % len;
            return select(rest, rest + len, rest < 0);
        }
        case 2u: {
            let rest = position % (2i * len);
            let place = select(rest, rest + 2i * len, rest < 0);
            return select(place, 2i * len - 1i - place, place >= len);
        }
        case 3u: { return select(len - 1i, 0i, position < 0); }
        default: { return -1i; }
    }
}

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) count: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = linear_workgroup(id, count) * 256u + thread;
    if i >= params.count { return; }
    let row = i / WIDTH;
    let column = i % WIDTH;
    var value = 0.0;
    if row < USED_HEIGHT && column < USED_WIDTH {
        let y = located(i32(row) + params.first_down, i32(ROWS));
        let x = located(i32(column) + params.first_across, i32(COLUMNS));
        if y >= 0 && x >= 0 { value = input_at(u32(y) * COLUMNS + u32(x)); }
    }
    output_put(i, value);
}
