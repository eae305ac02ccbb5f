// Minima of blocks: of the head, and of the rest.

fn minimum_put(i: u32, best: Best) {
    minima_put(i, seen_from(best.key, 0u));
    if TRACK { places_put(i, best.place); }
}

// The better of two minima of a block, wherever they lie.
fn better(a: Best, b: Best) -> Best {
    if !TRACK { return Best(key_min(a.key, b.key), 0u); }
    let takes = key_less(b.key, a.key) | (key_equal(b.key, a.key) & (b.place < a.place));
    return Best(key_select(a.key, b.key, takes), select(a.place, b.place, takes));
}

// The least of a subgroup's.
fn key_least(key: Key) -> Key {
    if KEY_WORDS == 1u { return key_join(subgroupMin(key_low(key)), 0u); }
    let high = subgroupMin(key_high(key));
    return key_join(subgroupMin(select(NOWHERE, key_low(key), key_high(key) == high)), high);
}

// The best of all lanes'. WHOLE: they are a subgroup.
fn gathered(best: Best) -> Best {
    var all = best;
    if WHOLE {
        all.key = key_least(best.key);
        if TRACK { all.place = subgroupMin(select(NOWHERE, best.place, key_equal(best.key, all.key))); }
        return all;
    }
    @unroll for (var level = 0u; level < LANES_LOG; level++) {
        var place = 0u;
        if TRACK { place = subgroupShuffleXor(all.place, 1u << level); }
        all = better(all, Best(key_shuffle_xor(all.key, 1u << level), place));
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
    let me = who(linear_workgroup(group, groups), subgroup, lane, size);
    let block = me.tile;
    let blocks = params.rows * params.blocks;
    if block >= blocks { return; }
    let row = block / params.blocks;
    let first = (block - row * params.blocks) * TILE - params.before;
    let head_last = (params.width - 1u) % TILE;
    var keys: array<Key, DEPTH>;
    take_lines(row, first, me.own, &keys);
    var head = Best(WORST, NOWHERE);
    var tail = Best(WORST, NOWHERE);
    @unroll for (var k = 0u; k < LINES; k++) {
        let i = k * LANES + me.own;
        let place = first + i;
        // Places outside the row must not win among equals. A thread's own come in order.
        let here = Best(rank_of(keys[k], i), select(NOWHERE, place, place < params.len));
        head = leftmost(head, Best(key_select(WORST, here.key, i <= head_last), here.place));
        tail = leftmost(tail, Best(key_select(here.key, WORST, i <= head_last), here.place));
    }
    head = gathered(head);
    tail = gathered(tail);
    if me.own > 0u { return; }
    minimum_put(block, head);
    minimum_put(blocks + block, tail);
    minimum_put(params.levels + block, better(head, tail));
}
