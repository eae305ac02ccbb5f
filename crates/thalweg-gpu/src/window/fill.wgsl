// Writes what stands for windows that have no answer: those that reach over the ends of a row or of a column, or, by bounds, those
// that are empty.
struct Params {
    count: u32,
    // Windows of a row, and which rows and columns of windows have answers, to before the ends.
    columns: u32,
    top: u32,
    bottom: u32,
    left: u32,
    right: u32,
    // Elements of the array.
    len: u32,
    value_low: u32,
    value_high: u32,
}

fn has_answer(i: u32) -> bool {
    if BOUNDS {
        let end = ends_at(i);
        return starts_at(i) < end && end <= params.len;
    }
    let row = i / params.columns;
    let column = i - row * params.columns;
    return row >= params.top && row < params.bottom && column >= params.left && column < params.right;
}

@compute @workgroup_size(THREADS)
fn fill(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    for (var k = 0u; k < ITEMS; k++) {
        // Windows are fewer than 2^32 - THREADS * ITEMS.
        let i = (linear_workgroup(group, groups) * ITEMS + k) * THREADS + thread;
        if i >= params.count { return; }
        if !has_answer(i) {
            if VALUES { found_put(i, key_join(params.value_low, params.value_high)); }
            if POSITIONS { positions_put(i, 0xffffffffu); }
        }
    }
}
