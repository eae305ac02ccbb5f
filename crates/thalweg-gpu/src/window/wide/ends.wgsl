// The ends of a tile of wide windows, read where they can beat the core; and where few of their elements do, only these are looked at.

// Elements of an end that are looked at one by one, at most.
const FEW = 8u;
// `take_lines`, with one of the lines from `low` to `high` in the place of every other.
fn take_end(row: u32, first: u32, own: u32, low: u32, high: u32, bits: ptr<function, array<Key, DEPTH>>) {
    if first < params.len && params.len - first >= DEPTH * LANES {
        let source = row * params.len + first + own;
        @unroll for (var k = 0u; k < DEPTH; k++) { (*bits)[k] = values_at(source + clamp(k, low, high) * LANES); }
    } else {
        @unroll for (var k = 0u; k < DEPTH; k++) { (*bits)[k] = bits_at(row, first + clamp(k, low, high) * LANES + own); }
    }
}

// Answers a tile of which an end, or both, can beat the core.
fn open_ends(known: Known, me: Who) {
    let row = row_of(known.tile, params.tiles);
    let first = tile_first(known.tile);
    let core = known.core;
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
    if (known.ends & FIRST_END) != 0u {
        let place = first - params.before;
        // Windows that begin in lines before that of the end's best have it.
        var from_line = 0u;
        if TRACK { from_line = min((known.ahead - place) / LANES, LINES - 1u); }
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
    if (known.ends & LAST_END) != 0u {
        let place = first + params.width - params.before;
        // Windows that end in lines behind that of the end's best have it.
        var to_line = LINES - 1u;
        if TRACK { to_line = min((known.behind - place) / LANES, LINES - 1u); }
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
