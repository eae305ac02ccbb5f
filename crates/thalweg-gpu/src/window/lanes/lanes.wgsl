// Windows of up to some lines, of elements.
@compute @workgroup_size(THREADS)
fn lanes(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) size: u32,
) {
    let me = who(linear_workgroup(group, groups), subgroup, lane, size);
    if me.tile >= params.rows * params.tiles { return; }
    let row = me.tile / params.tiles;
    let first = params.tile + (me.tile - row * params.tiles) * TILE;
    if !some_wanted(first, TILE) { return; }
    var keys: array<Key, DEPTH>;
    take_lines(row, first - params.before, me.own, &keys);
    var odd = false;
    @unroll for (var k = 0u; k < DEPTH; k++) { odd = odd | is_odd(keys[k]); }
    if odd {
        @unroll for (var k = 0u; k < DEPTH; k++) { keys[k] = rank_of(keys[k], k * LANES + me.own); }
    } else {
        @unroll for (var k = 0u; k < DEPTH; k++) { keys[k] = plain_rank(keys[k]); }
    }
    var offsets: array<u32, WORDS>;
    var found: array<Key, LINES>;
    var places: array<u32, LINES>;
    windows_of(&keys, &offsets, params.width, me, &found, &places);
    @unroll for (var k = 0u; k < LINES; k++) {
        let d = first + k * LANES + me.own;
        var place = first - params.before + places[k];
        // Where all are the worst, the first, whatever was before the row.
        if TRACK && key_equal(found[k], WORST) { place = max(d, params.before) - params.before; }
        if d < params.dense { answer_put(row, d, found[k], place); }
    }
}
