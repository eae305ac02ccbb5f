// Minima of blocks: of the head, and of the rest.

var<workgroup> of_subgroups: array<Best, 2u * (THREADS / WIDTH_MIN)>;

fn minimum_put(i: u32, best: Best) {
    minima_put(i, seen_from(best.key, 0u));
    if TRACK { places_put(i, best.place); }
}

// The better of two minima of a block, wherever they lie.
fn better(a: Best, b: Best) -> Best {
    if !TRACK { return Best(key_min(a.key, b.key), 0u); }
    let takes = key_less(b.key, a.key) || (key_equal(b.key, a.key) && b.place < a.place);
    return Best(key_select(a.key, b.key, takes), select(a.place, b.place, takes));
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
    side_by_side(row, first, thread, &keys);
    var head = Best(WORST, NOWHERE);
    var tail = Best(WORST, NOWHERE);
    @unroll for (var k = 0u; k < ITEMS; k++) {
        let i = k * THREADS + thread;
        let place = first + i;
        // Places outside the row must not win among equals.
        let here = Best(rank_of(keys[k], i), select(NOWHERE, place, place < params.len));
        let none = Best(WORST, NOWHERE);
        head = better(head, best_select(none, here, i <= head_last));
        tail = better(tail, best_select(here, none, i <= head_last));
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
