// The array and what lies beyond its ends, as the transforms take it: HEIGHT rows of WIDTH complex values. Where PACKED, the
// imaginary parts are what the second half of the results needs, AHEAD further on. A workgroup takes 256 values, each below the
// number that there are; the array is read where `located` says, which is inside.

struct Params {
    count: u32,
    // Where the array begins, as the first value sees it, down and across.
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

fn element(down: i32, across: i32) -> f32 {
    let y = located(down, i32(ROWS));
    let x = located(across, i32(COLUMNS));
    if y < 0 || x < 0 { return 0.0; }
    return input_at(u32(y) * COLUMNS + u32(x));
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
    var value = vec2<f32>();
    if row < USED_HEIGHT && column < USED_WIDTH {
        let down = i32(row) + params.first_down;
        let across = i32(column) + params.first_across;
        value.x = element(down, across);
        if PACKED { value.y = element(down + i32(AHEAD_DOWN), across + i32(AHEAD_ACROSS)); }
    }
    output_put(i, value);
}
