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
    rank_lines(me.own, &keys);
    // Places are those in the block. What is before or behind the row is the worst: whoever finds that asks for no place.
    var head = Best(WORST, 0u);
    var tail = Best(WORST, 0u);
    @unroll for (var k = 0u; k < LINES; k++) {
        let i = k * LANES + me.own;
        let here = Best(keys[k], i);
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
    var order = 0u;
    if WHOLE && first < params.len && params.len - first >= TILE {
        // If a block is in order, its first element is as good as the best, or the last one is.
        var is_first = all.place == 0u;
        if !TRACK { is_first = key_equal(key_shuffle(keys[0], 0u), all.key); }
        // Of equal elements a later one is the answer only where nobody asks for its place.
        var is_last = all.place == TILE - 1u;
        if !TRACK { is_last = key_equal(key_shuffle(keys[LINES - 1u], LANES - 1u), all.key); }
        if is_first | is_last { order = order_of(&keys, is_last, row, first, me); }
        if order != 0u { order |= answered_ahead(&keys, order, row, first, me.own); }
    }
    for (var part = me.own; part < 4u; part += LANES) {
        let best = best_select(best_select(head, tail, part == 1u), all, part == 3u);
        let key = key_select(seen_from(best.key, 0u), key_join(order, 0u), part == 2u);
        minima_put(part * blocks + block, key);
        if TRACK { places_put(part * blocks + block, first + best.place); }
    }
}

// Ranks in the place of bits. Those of odd keys take twice as long, and most threads have none.
fn rank_lines(own: u32, keys: ptr<function, array<Key, DEPTH>>) {
    var odd = false;
    @unroll for (var k = 0u; k < LINES; k++) { odd = odd | is_odd((*keys)[k]); }
    if odd {
        @unroll for (var k = 0u; k < LINES; k++) { (*keys)[k] = rank_of((*keys)[k], k * LANES + own); }
    } else {
        @unroll for (var k = 0u; k < LINES; k++) { (*keys)[k] = plain_rank((*keys)[k]); }
    }
}

// Which orders the ranks of a block are in, if any: it improves only if its last element is the best, and if the element before it fits, too.
fn order_of(keys: ptr<function, array<Key, DEPTH>>, is_last: bool, row: u32, first: u32, me: Who) -> u32 {
    var worsens = true;
    var improves = is_last;
    // What a line's last lane gives the first one: the element before the line.
    var before = WORST;
    if is_last { before = rank_of(bits_at(row, first - 1u), 0u); }
    @unroll for (var k = 0u; k < LINES; k++) {
        var here = (*keys)[k];
        let given = key_select(here, before, me.own == LANES - 1u);
        let previous = key_shuffle(given, lane_behind(me.lane, LANES - 1u));
        before = here;
        let is_first = k == 0u && me.own == 0u;
        // A zero behind another.
        if is_first { here = seen_from(here, 1u); }
        let is_better = key_less(here, previous);
        worsens = worsens & (is_first | !is_better);
        improves = improves & (is_better | (!TRACK & !key_less(previous, here)));
    }
    return select(0u, WORSENS, subgroupAll(worsens)) | select(0u, IMPROVES, subgroupAll(improves));
}
