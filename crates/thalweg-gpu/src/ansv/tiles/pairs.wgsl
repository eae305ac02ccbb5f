// Tile pairs: a tile with many open elements on one side, against the tiles that answer them, the nearest first.

// One more than the last open element from this side's end, and the block of the tile that answers it.
var<workgroup> next_open: atomic<u32>;
var<workgroup> target_block: u32;

// Of which keys `key` counts as a neighbour.
fn keys_after(four: Four, key: Key) -> vec4<bool> {
    return vec4(
        before(key, four_get(four, 0u)), before(key, four_get(four, 1u)),
        before(key, four_get(four, 2u)), before(key, four_get(four, 3u)),
    );
}

@compute @workgroup_size(THREADS)
fn pairs_solve(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let workers = groups.x * groups.y;
    let count = counts[3];
    for (var i = linear_workgroup(group, groups); i < count; i += workers) {
        let task = heavy[2u * i];
        if WANT_LEFT && (task & 1u) == left_NUMBER { left_pair(task, heavy[2u * i + 1u], thread); }
        if WANT_RIGHT && (task & 1u) == right_NUMBER { right_pair(task, heavy[2u * i + 1u], thread); }
    }
}
