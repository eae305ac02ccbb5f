// Windows of more than two runs. A subgroup goes along a stretch of the array, a line of RUN * LANES elements at a time, of which a thread
// has a run of RUN neighbours: the last elements of as many windows, which it answers. A window is an end of the run that begins where the
// first of these windows does, the rest of the run that this one ends in, whole runs, and a beginning of the thread's own. Both runs are
// read where they lie, the first one for the second time, out of a cache. The whole runs are two spans that overlap, joined by doubling:
// across lanes, and then in each with those of lines before. These, and rests, are in workgroup memory. A thread reads what it has written
// there, and nobody waits for others. What is done to a line is a short loop: a subgroup that goes through a long text once waits for
// the text.
// Spans of runs, up to every run but without it, of the last lines: of all that are joined with one `2^k` lines before, so many lines
// each, and HELD lines of the longest. Behind them the best of every run's last REST elements, of all lines that a window reaches back.
const LONGEST = (1u << WIDER) - 1u;
const RESTS = LONGEST + HELD;
var<workgroup> kept: array<Key, GROUP_RUNS>;
var<workgroup> kept_places: array<u32, GROUP_PLACES>;

// What lies so many runs before: a lane finds what it is asked for so many lines before, and asks this lane.
struct Asked { lines: u32, lane: u32 }
fn asked(runs: u32, me: Who) -> Asked {
    let lanes = runs % LANES;
    return Asked(runs / LANES + select(0u, 1u, me.own + lanes >= LANES), lane_behind(me.lane, LANES - lanes));
}

// The slot of the line `back` lines before that of slot `slot`, of `count`.
fn slot_before(slot: u32, back: u32, count: u32) -> u32 { return select(slot + count - back, slot - back, slot >= back); }

fn kept_at(i: u32) -> Best {
    var place = 0u;
    if TRACK { place = kept_places[i]; }
    return Best(kept[i], place);
}
fn keep(i: u32, best: Best) {
    kept[i] = best.key;
    if TRACK { kept_places[i] = best.place; }
}

@compute @workgroup_size(THREADS)
fn stretches(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) size: u32,
) {
    let me = who(linear_workgroup(group, groups), subgroup, lane, size);
    if me.tile >= params.tiles { return; }
    let own = RUN * me.own;
    let mine = (me.tile % (THREADS / LANES)) * (KEPT * LANES) + me.own;
    let distance = params.width - 1u;
    let runs = distance / RUN;
    let to_rest = asked(runs, me);
    // The runs between are two of the longest spans.
    let to_span = asked(runs - 1u - SPAN, me);

    // The window that ends at the first element of the line, and that element's place.
    var window = me.tile * params.tile - WARM * LINE;
    var line = window - params.before + distance;
    var previous: array<Key, STEPS>;
    var previous_places: array<u32, STEPS>;
    @unroll for (var step = 0u; step < STEPS; step++) { previous[step] = WORST; }
    var slot = 0u;
    var rest_slot = 0u;
    var next = last_run(line, own);
    var next_first: FirstRun;
    for (var i = 0u; i < params.tile / LINE + WARM; i++) {
        // Places are told from a stretch's first on, and `distance` more.
        let at = i * LINE + own;
        var keys: array<Key, RUN>;
        @unroll for (var j = 0u; j < RUN; j++) {
            keys[j] = pack_key(next.packs[(j + LAST_SHIFT) / PACK], (j + LAST_SHIFT) % PACK);
        }
        keys = ranked(keys, at + distance);
        next = last_run(line + LINE, own);
        let first = next_first;
        if i + 1u >= WARM { next_first = first_run(line + LINE - distance, own); }

        if REST > 0u {
            var rest = Best(WORST, 0u);
            @unroll for (var j = 0u; j < RUN; j++) {
                if j >= RUN - REST { rest = leftmost(rest, Best(keys[j], line + own + j)); }
            }
            keep(mine + (RESTS + rest_slot) * LANES, rest);
        }
        // Beginnings, in the place of elements.
        var places: array<u32, RUN>;
        var beginning = Best(keys[0], line + own);
        @unroll for (var j = 0u; j < RUN; j++) {
            beginning = leftmost(beginning, Best(keys[j], line + own + j));
            keys[j] = beginning.key;
            places[j] = beginning.place;
        }
        // The run before, and then spans of 2, 4, ... runs.
        var span = beginning;
        @unroll for (var step = 0u; step < STEPS; step++) {
            let by = max((1u << step) >> 1u, 1u);
            let given = best_select(span, Best(previous[step], previous_places[step]), me.own + by >= LANES);
            previous[step] = span.key;
            if TRACK { previous_places[step] = span.place; }
            let other = best_from(given, lane_behind(me.lane, LANES - by));
            if step == 0u { span = other; } else { span = leftmost(other, span); }
        }
        @unroll for (var k = 0u; k < WIDER; k++) {
            let count = 1u << k;
            let at = mine + (count - 1u + (i & (count - 1u))) * LANES;
            let before = kept_at(at);
            keep(at, span);
            span = leftmost(before, span);
        }
        keep(mine + (LONGEST + slot) * LANES, span);

        if i >= WARM {
            let before = kept_at(mine + (LONGEST + slot_before(slot, to_span.lines, HELD)) * LANES);
            span = leftmost(best_from(before, to_span.lane), span);
            if REST > 0u {
                let rest = kept_at(mine + (RESTS + slot_before(rest_slot, to_rest.lines, WARM + 1u)) * LANES);
                span = leftmost(best_from(rest, to_rest.lane), span);
            }
            var firsts: array<Key, RUN>;
            @unroll for (var j = 0u; j < RUN; j++) {
                firsts[j] = pack_key(first.packs[(j + FIRST_SHIFT) / PACK], (j + FIRST_SHIFT) % PACK);
            }
            firsts = ranked(firsts, at);
            // Ends, from the last on.
            var end = span;
            let place = line - distance + own;
            @unroll for (var k = 0u; k < RUN; k++) {
                let j = RUN - 1u - k;
                end = leftmost(Best(firsts[j], place + j), end);
                let best = leftmost(end, Best(keys[j], places[j]));
                keys[j] = best.key;
                places[j] = best.place;
            }
            // Where all are the worst, the first, whatever was before the row.
            if TRACK && key_equal(span.key, WORST) {
                @unroll for (var j = 0u; j < RUN; j++) {
                    if key_equal(keys[j], WORST) { places[j] = max(window + own + j, params.before) - params.before; }
                }
            }
            runs_put(window + own, keys, places);
        }
        line += LINE;
        window += LINE;
        slot = select(slot + 1u, 0u, slot + 1u == HELD);
        rest_slot = select(rest_slot + 1u, 0u, rest_slot == WARM);
    }
}
