// The tiles of wide windows that were listed: see `slide.wgsl`. As `open_ends`, but a thread has RUN neighbours, so that few things are
// joined across lanes, and looks at them all: of one row, of which all windows are wanted.
const TILE = LINE;

// The ends of a tile that can matter, as they lie in memory.
struct Ends { first: FirstRun, last: LastRun }
fn ends_of(known: Known, own: u32) -> Ends {
    let place = tile_first(known.tile) - params.before;
    var ends: Ends;
    if (known.ends & FIRST_END) != 0u { ends.first = first_run(place, own); }
    if (known.ends & LAST_END) != 0u { ends.last = last_run(place + params.width, own); }
    return ends;
}

fn open_runs(known: Known, ends: Ends, me: Who) {
    let own = RUN * me.own;
    let first = tile_first(known.tile);
    let core = known.core;
    var keys: array<Key, RUN>;
    var places: array<u32, RUN>;
    @unroll for (var j = 0u; j < RUN; j++) {
        keys[j] = core.key;
        places[j] = core.place;
    }
    if (known.ends & FIRST_END) != 0u {
        let place = first - params.before;
        @unroll for (var j = 0u; j < RUN; j++) {
            keys[j] = pack_key(ends.first.packs[(j + FIRST_SHIFT) / PACK], (j + FIRST_SHIFT) % PACK);
        }
        keys = ranked(keys, own);
        var end = Best(WORST, NOWHERE);
        @unroll for (var k = 0u; k < RUN; k++) {
            let j = RUN - 1u - k;
            end = leftmost(Best(keys[j], place + own + j), end);
            keys[j] = end.key;
            places[j] = end.place;
        }
        // What is behind, up to the core's end.
        let next = best_from(line_end(end, me.own, me.lane), lane_behind(me.lane, 1u));
        let rest = best_select(leftmost(next, core), core, me.own == LANES - 1u);
        @unroll for (var j = 0u; j < RUN; j++) {
            let best = leftmost(Best(keys[j], places[j]), rest);
            keys[j] = best.key;
            places[j] = best.place;
        }
    }
    if (known.ends & LAST_END) != 0u {
        let place = first + params.width - params.before;
        var lasts: array<Key, RUN>;
        @unroll for (var j = 0u; j < RUN; j++) {
            lasts[j] = pack_key(ends.last.packs[(j + LAST_SHIFT) / PACK], (j + LAST_SHIFT) % PACK);
        }
        lasts = ranked(lasts, TILE + 1u + own);
        var all = Best(WORST, NOWHERE);
        @unroll for (var j = 0u; j < RUN; j++) { all = leftmost(all, Best(lasts[j], place + own + j)); }
        // What is before, from the core's end on. A window ends before the element that stands in its place.
        let previous = best_from(line_beginning(all, me.own, me.lane), lane_behind(me.lane, LANES - 1u));
        var before = best_select(leftmost(core, previous), core, me.own == 0u);
        @unroll for (var j = 0u; j < RUN; j++) {
            let best = leftmost(Best(keys[j], places[j]), before);
            keys[j] = best.key;
            places[j] = best.place;
            before = leftmost(before, Best(lasts[j], place + own + j));
        }
    }
    // Where all are the worst, the first, whatever was before the row.
    if TRACK && key_equal(core.key, WORST) {
        @unroll for (var j = 0u; j < RUN; j++) {
            if key_equal(keys[j], WORST) { places[j] = max(first + own + j, params.before) - params.before; }
        }
    }
    runs_put(first + own, keys, places);
}

@compute @workgroup_size(THREADS)
fn open(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) size: u32,
) {
    let workgroup = linear_workgroup(group, groups);
    if workgroup >= params.workgroups { return; }
    let me = who(workgroup, subgroup, lane, size);
    let count = opened_count_at(0u);
    if me.tile >= count { return; }
    let others = params.workgroups * (THREADS / LANES);
    // Asked for before they are needed: the next tile's ends, and the one behind it.
    var known = opened(me.tile);
    var ends = ends_of(known, RUN * me.own);
    var next = opened(min(me.tile + others, count - 1u));
    for (var i = me.tile; i < count; i += others) {
        let next_ends = ends_of(next, RUN * me.own);
        let behind = opened(min(i + 2u * others, count - 1u));
        open_runs(known, ends, me);
        known = next;
        ends = next_ends;
        next = behind;
    }
}
