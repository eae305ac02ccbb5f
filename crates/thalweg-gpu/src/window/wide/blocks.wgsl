// Minima of blocks: of the head, and of the rest.

var<workgroup> of_subgroups: array<Best, 2u * (THREADS / WIDTH_MIN)>;

fn minimum_put(i: u32, best: Best) {
    minima_put(i, best.key);
    if TRACK { places_put(i, best.place); }
}

// The best of a subgroup's.
fn gathered(best: Best, width: u32) -> Best {
    var all = best;
    for (var mask = 1u; mask < width; mask *= 2u) {
        var place = 0u;
        if TRACK { place = subgroupShuffleXor(all.place, mask); }
        all = better(all, Best(key_shuffle_xor(all.key, mask), place));
    }
    return all;
}

@compute @workgroup_size(THREADS)
fn blocks(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) size: u32,
) {
    let block = linear_workgroup(group, groups);
    let blocks = params.rows * params.blocks;
    if block >= blocks { return; }
    let width = fixed_width(size);
    let thread = subgroup * width + lane;
    let row = block / params.blocks;
    let first = (block - row * params.blocks) * TILE - params.before;
    let head_last = (params.width - 1u) % TILE;
    var keys: array<Key, ITEMS>;
    @unroll for (var k = 0u; k < ITEMS; k++) { keys[k] = rank_at(row, first + k * THREADS + thread); }
    var head = Best(WORST, NOWHERE);
    var tail = Best(WORST, NOWHERE);
    @unroll for (var k = 0u; k < ITEMS; k++) {
        let i = k * THREADS + thread;
        let place = first + i;
        // Places outside the row must not win among equals.
        let here = Best(keys[k], select(NOWHERE, place, place < params.len));
        if i <= head_last { head = better(head, here); } else { tail = better(tail, here); }
    }
    head = gathered(head, width);
    tail = gathered(tail, width);
    if lane == 0u {
        of_subgroups[2u * subgroup] = head;
        of_subgroups[2u * subgroup + 1u] = tail;
    }
    workgroupBarrier();
    if thread > 0u { return; }
    for (var s = 1u; s < THREADS / width; s++) {
        head = better(head, of_subgroups[2u * s]);
        tail = better(tail, of_subgroups[2u * s + 1u]);
    }
    minimum_put(block, head);
    minimum_put(blocks + block, tail);
    minimum_put(params.levels + block, better(head, tail));
}
