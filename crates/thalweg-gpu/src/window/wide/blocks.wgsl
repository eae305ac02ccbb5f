// Minima of blocks: of the head, of the rest, and of both. The head ends in line HEAD.
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
    let row = row_of(block, params.blocks);
    let first = (block - row * params.blocks) * TILE - params.before;
    let in_head = me.own <= (params.width - 1u) % LANES;
    var keys: array<Key, DEPTH>;
    take_lines(row, first, me.own, &keys);
    // Places are those in the block. What is before or behind the row is the worst: whoever finds that asks for no place.
    var head = Best(WORST, 0u);
    var tail = Best(WORST, 0u);
    @unroll for (var k = 0u; k < LINES; k++) {
        let i = k * LANES + me.own;
        let here = Best(rank_of(keys[k], i), i);
        // A thread's own come in order.
        if k < HEAD {
            head = leftmost(head, here);
        } else if k > HEAD {
            tail = leftmost(tail, here);
        } else {
            head = leftmost(head, Best(key_select(WORST, here.key, in_head), i));
            tail = leftmost(tail, Best(key_select(here.key, WORST, in_head), i));
        }
    }
    head = gathered(head);
    tail = gathered(tail);
    let all = better(head, tail);
    for (var part = me.own; part < 3u; part += LANES) {
        let best = best_select(best_select(head, tail, part == 1u), all, part == 2u);
        minima_put(part * blocks + block, seen_from(best.key, 0u));
        if TRACK { places_put(part * blocks + block, first + best.place); }
    }
}
