// Positions of windows wider than two runs: a thread has a run of RUN neighbours of every line. A window is the end of one run, whole runs
// and the beginning of another, so that few things are joined across lanes; the rule of van Herk and of Gil and Werman, in registers. Four
// positions of a thread are written at once: tiles are whole, and there is one row.
const OWN = RUN * LINES;
const ALL = RUN * DEPTH;

@compute @workgroup_size(THREADS)
fn runs(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) size: u32,
) {
    let me = who(linear_workgroup(group, groups), subgroup, lane, size);
    if me.tile >= params.tiles { return; }
    let first = me.tile * (RUN * TILE);
    let place = first - params.before;
    var keys: array<Key, ALL>;
    if place < params.len && params.len - place >= ALL * LANES {
        @unroll for (var k = 0u; k < DEPTH; k++) {
            @unroll for (var j = 0u; j < RUN; j++) {
                keys[RUN * k + j] = rank_of(values_at(place + RUN * (k * LANES + me.own) + j), 0u);
            }
        }
    } else {
        @unroll for (var k = 0u; k < DEPTH; k++) {
            @unroll for (var j = 0u; j < RUN; j++) {
                keys[RUN * k + j] = rank_of(bits_at(0u, place + RUN * (k * LANES + me.own) + j), 0u);
            }
        }
    }

    // Ends of runs, and where in them: 2 bits.
    var ends: array<Key, OWN>;
    var end_offsets: array<u32, LINES>;
    @unroll for (var k = 0u; k < LINES; k++) {
        var end = Best(keys[RUN * k + INNER], INNER);
        var word = 0u;
        @unroll for (var i = 0u; i < RUN; i++) {
            let j = INNER - i;
            end = leftmost(Best(keys[RUN * k + j], j), end);
            ends[RUN * k + j] = end.key;
            word |= end.place << (2u * j);
        }
        end_offsets[k] = word;
    }
    // Beginnings, in their place: a byte a line.
    var beginnings: array<u32, WORDS>;
    @unroll for (var k = 0u; k < DEPTH; k++) {
        var beginning = Best(keys[RUN * k], 0u);
        var word = 0u;
        @unroll for (var j = 0u; j < RUN; j++) {
            beginning = leftmost(beginning, Best(keys[RUN * k + j], j));
            keys[RUN * k + j] = beginning.key;
            word |= beginning.place << (2u * j);
        }
        beginnings[k / 4u] |= word << (8u * (k % 4u));
    }

    // Whole runs: from the next one on, one less than lie between the runs of a window's first and last element, or as many.
    let distance = (params.width - 1u) / RUN;
    let next_lane = lane_behind(me.lane, 1u);
    var between: array<Key, DEPTH>;
    @unroll for (var k = 0u; k < DEPTH; k++) {
        let next = keys[RUN * min(k + 1u, DEPTH - 1u) + INNER];
        between[k] = key_shuffle(key_select(keys[RUN * k + INNER], next, me.own == 0u), next_lane);
    }
    var inner: array<u32, WORDS>;
    var offsets: array<u32, WORDS>;
    @unroll for (var j = 0u; j < WORDS; j++) { inner[j] = (beginnings[j] >> (2u * INNER)) & (3u * ONE_EACH); }
    offsets_from(&inner, &offsets, me.own == 0u, next_lane);
    var middle: array<Key, LINES>;
    var middle_at: array<u32, LINES>;
    windows_of(&between, &offsets, distance - 1u, me, &middle, &middle_at);

    // The run of a window's last element is `distance` behind that of its first, or one more.
    let shift = distance - FARTHER * LANES;
    let near_lane = lane_behind(me.lane, shift);
    let far_lane = lane_behind(me.lane, shift + 1u);
    let near_next = me.own < shift;
    let far_next = me.own < shift + 1u;
    var near: array<u32, WORDS>;
    var far: array<u32, WORDS>;
    offsets_from(&beginnings, &near, near_next, near_lane);
    offsets_from(&beginnings, &far, far_next, far_lane);
    @unroll for (var k = 0u; k < LINES; k++) {
        let own = k * LANES + me.own;
        let here = Best(middle[k], middle_at[k] + RUN);
        let line = RUN * (k + FARTHER);
        let next = RUN * min(k + FARTHER + 1u, DEPTH - 1u);
        let near_offset = offset_of(&near, k + FARTHER);
        let far_offset = offset_of(&far, k + FARTHER);
        let another = key_shuffle(key_select(keys[line + INNER], keys[next + INNER], near_next), near_lane);
        let longer = leftmost(here, Best(another, RUN * (own + distance) + (near_offset >> (2u * INNER))));
        var places: array<u32, RUN>;
        @unroll for (var s = 0u; s < RUN; s++) {
            let j = (s + REST) % RUN;
            let beyond = s + REST >= RUN;
            var best = Best(ends[RUN * k + s], RUN * own + ((end_offsets[k] >> (2u * s)) & 3u));
            best = leftmost(best, best_select(here, longer, beyond));
            let wanted = key_select(keys[line + j], keys[next + j], select(near_next, far_next, beyond));
            let last = key_shuffle(wanted, select(near_lane, far_lane, beyond));
            let offset = (select(near_offset, far_offset, beyond) >> (2u * j)) & 3u;
            best = leftmost(best, Best(last, RUN * (own + distance + select(0u, 1u, beyond)) + offset));
            // Where all are the worst, the first, whatever was before the row.
            let d = first + RUN * own + s;
            places[s] = select(place + best.place, max(d, params.before) - params.before, key_equal(best.key, WORST));
        }
        fours_put((positions_from() + first) / RUN + own, vec4(places[0], places[1], places[2], places[3]) + origin());
    }
}
