// Windows wider than a tile. A tile's windows begin in one block, and have the core behind it in common; what they end in begins
// behind the core. Either end is read only if its minimum can beat the core's.

fn best_from(best: Best, lane: u32) -> Best {
    var place = 0u;
    if TRACK { place = subgroupShuffle(best.place, lane); }
    return Best(key_shuffle(best.key, lane), place);
}

// The best of a line from this lane on.
fn line_end(here: Best, own: u32, lane: u32) -> Best {
    var joined = here;
    @unroll for (var level = 0u; level < LANES_LOG; level++) {
        let distance = 1u << level;
        let other = best_from(joined, lane_behind(lane, distance));
        joined = best_select(joined, leftmost(joined, other), own + distance < LANES);
    }
    return joined;
}

// The best of a line up to this lane.
fn line_beginning(here: Best, own: u32, lane: u32) -> Best {
    var joined = here;
    @unroll for (var level = 0u; level < LANES_LOG; level++) {
        let distance = 1u << level;
        let other = best_from(joined, lane_behind(lane, LANES - distance));
        joined = best_select(joined, leftmost(other, joined), own >= distance);
    }
    return joined;
}

@compute @workgroup_size(THREADS)
fn slide(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) size: u32,
) {
    let me = who(linear_workgroup(group, groups), subgroup, lane, size);
    if me.tile >= params.rows * params.tiles { return; }
    let row = me.tile / params.tiles;
    let block = me.tile - row * params.tiles;
    let first = block * TILE;
    if !some_wanted(first, TILE) { return; }
    let row_first = row * params.blocks;
    var core = minimum_at(params.cores + me.tile);
    let last = block + (params.width - 1u) / TILE;
    var behind = WORST;
    if last < params.blocks { behind = minima_at(params.rows * params.blocks + row_first + last); }
    if last + 1u < params.blocks { behind = key_min(behind, minima_at(row_first + last + 1u)); }
    // A tile's first end is seen from 0 on, the core from behind it, and the last end from there on.
    core.key = seen_from(core.key, TILE);
    let opens_first = !key_less(core.key, minima_at(params.levels + row_first + block));
    let opens_last = key_less(seen_from(behind, TILE + 1u), core.key);
    if !opens_first && !opens_last {
        @unroll for (var k = 0u; k < LINES; k++) {
            let d = first + k * LANES + me.own;
            if d < params.dense { answer_put(row, d, core.key, core.place); }
        }
        return;
    }
    // The lanes' first and last.
    let left = me.lane - me.own;
    let right = left + LANES - 1u;
    var keys: array<Key, LINES>;
    var places: array<u32, LINES>;
    @unroll for (var k = 0u; k < LINES; k++) {
        keys[k] = core.key;
        places[k] = core.place;
    }
    var line: array<Key, DEPTH>;
    if opens_first {
        take_lines(row, first - params.before, me.own, &line);
        // What is behind a line, up to the core's end.
        var rest = core;
        @unroll for (var k = 0u; k < LINES; k++) {
            let j = LINES - 1u - k;
            let i = j * LANES + me.own;
            let end = line_end(Best(rank_of(line[j], i), first + i - params.before), me.own, me.lane);
            let best = leftmost(end, rest);
            keys[j] = best.key;
            places[j] = best.place;
            rest = best_from(best, left);
        }
    }
    if opens_last {
        let shift = params.width - params.before;
        take_lines(row, first + shift, me.own, &line);
        // What is before a line, from the core's end on.
        var rest = Best(WORST, 0u);
        @unroll for (var k = 0u; k < LINES; k++) {
            let i = k * LANES + me.own;
            let here = Best(rank_of(line[k], TILE + 1u + i), first + i + shift);
            let beginning = leftmost(rest, line_beginning(here, me.own, me.lane));
            // A window ends before the element that stands in its place.
            let before = best_select(best_from(beginning, lane_behind(me.lane, LANES - 1u)), rest, me.own == 0u);
            let best = leftmost(Best(keys[k], places[k]), before);
            keys[k] = best.key;
            places[k] = best.place;
            rest = best_from(beginning, right);
        }
    }
    @unroll for (var k = 0u; k < LINES; k++) {
        let d = first + k * LANES + me.own;
        // Where all are the worst, the first, whatever was before the row.
        if TRACK && key_equal(keys[k], WORST) { places[k] = max(d, params.before) - params.before; }
        if d < params.dense { answer_put(row, d, keys[k], places[k]); }
    }
}
