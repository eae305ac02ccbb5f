// Windows wider than a tile. A tile's windows begin in one block, and have the core behind it in common; what they end in begins
// behind the core. Either end is read only if its minimum can beat the core's; and where few of its elements do, only these are
// looked at.

// Elements of an end that are looked at one by one, at most.
const FEW = 8u;
// Where the head of the last block lies among all that a core is made of.
const LAST = 8192u;

// `take_lines`, with one of the lines from `low` to `high` in the place of every other.
fn take_end(row: u32, first: u32, own: u32, low: u32, high: u32, bits: ptr<function, array<Key, DEPTH>>) {
    if first < params.len && params.len - first >= DEPTH * LANES {
        let source = row * params.len + first + own;
        @unroll for (var k = 0u; k < DEPTH; k++) { (*bits)[k] = values_at(source + clamp(k, low, high) * LANES); }
    } else {
        @unroll for (var k = 0u; k < DEPTH; k++) { (*bits)[k] = bits_at(row, first + clamp(k, low, high) * LANES + own); }
    }
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

// A lane's share of the whole blocks from `low` to before `high`, numbered across rows, from levels of 16 above them. Zeros are told where
// they lie among all these. Nothing waits for anything: all is read at a time.
fn blocks_share(low_block: u32, high_block: u32, own: u32) -> Best {
    var best = Best(WORST, NOWHERE);
    var low = low_block;
    var high = high_block;
    var base = params.levels;
    var size = params.rows * params.blocks;
    @unroll for (var level = 0u; level < RAISED; level++) {
        // What no whole node has at either end: less than 16 and less than 16.
        let low_end = min((low + 15u) / 16u * 16u, high);
        let high_start = max(high / 16u * 16u, low_end);
        let left = low_end - low;
        let count = left + (high - high_start);
        @unroll for (var share = 0u; share < SHARES; share++) {
            let i = share * LANES + own;
            if i < count {
                let is_left = i < left;
                let node = minimum_at(base + select(high_start + i - left, low + i, is_left));
                let order = select(LAST - 64u * (level + 1u), 64u * level, is_left) + i;
                best = better(best, Best(seen_from(node.key, order), node.place));
            }
        }
        low = (low_end + 15u) / 16u;
        high = max(high_start / 16u, low);
        base += size;
        size = (size + 15u) / 16u;
    }
    @unroll for (var share = 0u; share < SHARES; share++) {
        let i = share * LANES + own;
        if i < high - low {
            let node = minimum_at(base + low + i);
            best = better(best, Best(seen_from(node.key, 64u * RAISED + i), node.place));
        }
    }
    return best;
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
    let row = row_of(me.tile, params.tiles);
    let block = me.tile - row * params.tiles;
    let first = block * TILE;
    if !some_wanted(first, TILE) { return; }
    // The core: whole blocks, and the head of the block behind them.
    let mine = row * params.blocks + block;
    let blocks = params.rows * params.blocks;
    let reach = (params.width - 1u) / TILE;
    let has_head = block + reach < params.blocks;
    let has_more = block + reach + 1u < params.blocks;
    let head_at = select(mine, mine + reach, has_head);
    let ahead = minimum_at(params.levels + mine);
    let head = minimum_at(head_at);
    let tail = minimum_at(blocks + head_at);
    let more = minimum_at(select(mine, mine + reach + 1u, has_more));
    var share = blocks_share(mine + 1u, mine + min(reach, params.blocks - block), me.own);
    share = better(share, Best(key_select(WORST, seen_from(head.key, LAST), has_head), head.place));
    var core = gathered(share);
    // What is behind the core.
    let behind = leftmost(
        Best(key_select(WORST, tail.key, has_head), tail.place),
        Best(key_select(WORST, more.key, has_more), more.place),
    );
    // A tile's first end is seen from 0 on, the core from behind it, and the last end from there on.
    core.key = seen_from(core.key, TILE);
    let opens_first = !key_less(core.key, ahead.key);
    let opens_last = key_less(seen_from(behind.key, TILE + 1u), core.key);
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
        let place = first - params.before;
        // Windows that begin in lines before that of the end's best have it.
        var from_line = 0u;
        if TRACK { from_line = min((ahead.place - place) / LANES, LINES - 1u); }
        take_end(row, place, me.own, from_line, LINES - 1u, &line);
        var count = 0u;
        @unroll for (var k = 0u; k < LINES; k++) {
            line[k] = compared(line[k], k * LANES + me.own);
            if WHOLE && k >= from_line { count += countOneBits(subgroupBallot(may_beat(line[k], core.key)).x); }
        }
        // What is behind, up to the core's end.
        var rest = core;
        if WHOLE && count <= FEW {
            @unroll for (var k = 0u; k < LINES; k++) {
                let j = LINES - 1u - k;
                var here = rest;
                var others = subgroupBallot(may_beat(line[j], core.key)).x;
                if j < from_line { others = 0u; }
                while others != 0u {
                    let at = firstLeadingBit(others);
                    others ^= 1u << at;
                    let i = j * LANES + at;
                    rest = leftmost(Best(rank_from(key_shuffle(line[j], at), i), place + i), rest);
                    here = best_select(here, rest, me.own <= at);
                }
                keys[j] = here.key;
                places[j] = here.place;
            }
        } else {
            @unroll for (var k = 0u; k < LINES; k++) {
                let j = LINES - 1u - k;
                let i = j * LANES + me.own;
                let end = line_end(Best(rank_from(line[j], i), place + i), me.own, me.lane);
                let best = best_select(leftmost(end, rest), rest, j < from_line);
                keys[j] = best.key;
                places[j] = best.place;
                rest = best_from(best, left);
            }
        }
    }
    if opens_last {
        let place = first + params.width - params.before;
        // Windows that end in lines behind that of the end's best have it.
        var to_line = LINES - 1u;
        if TRACK { to_line = min((behind.place - place) / LANES, LINES - 1u); }
        take_end(row, place, me.own, 0u, to_line, &line);
        var count = 0u;
        @unroll for (var k = 0u; k < LINES; k++) {
            line[k] = compared(line[k], TILE + 1u + k * LANES + me.own);
            if WHOLE && k <= to_line { count += countOneBits(subgroupBallot(may_beat(line[k], core.key)).x); }
        }
        // What is before, from the core's end on. A window ends before the element that stands in its place.
        var rest = core;
        if WHOLE && count <= FEW {
            @unroll for (var k = 0u; k < LINES; k++) {
                var here = rest;
                var others = subgroupBallot(may_beat(line[k], core.key)).x;
                if k > to_line { others = 0u; }
                while others != 0u {
                    let at = firstTrailingBit(others);
                    others ^= 1u << at;
                    let i = k * LANES + at;
                    rest = leftmost(rest, Best(rank_from(key_shuffle(line[k], at), TILE + 1u + i), place + i));
                    here = best_select(here, rest, me.own > at);
                }
                let best = leftmost(Best(keys[k], places[k]), here);
                keys[k] = best.key;
                places[k] = best.place;
            }
        } else {
            @unroll for (var k = 0u; k < LINES; k++) {
                let i = k * LANES + me.own;
                let here = line_beginning(Best(rank_from(line[k], TILE + 1u + i), place + i), me.own, me.lane);
                let beginning = best_select(leftmost(rest, here), rest, k > to_line);
                let before = best_select(best_from(beginning, lane_behind(me.lane, LANES - 1u)), rest, me.own == 0u);
                let best = leftmost(Best(keys[k], places[k]), before);
                keys[k] = best.key;
                places[k] = best.place;
                rest = best_from(beginning, right);
            }
        }
    }
    @unroll for (var k = 0u; k < LINES; k++) {
        let d = first + k * LANES + me.own;
        // Where all are the worst, the first, whatever was before the row.
        if TRACK && key_equal(keys[k], WORST) { places[k] = max(d, params.before) - params.before; }
        if d < params.dense { answer_put(row, d, keys[k], places[k]); }
    }
}
