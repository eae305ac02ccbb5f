// Windows down the columns of a picture whose rows lie one behind the other: a thread has a column, of which it holds all that LINES windows
// see, in registers, and joins windows of 1, 2, 4, ... Threads side by side read rows side by side. `Along` sees columns: `rows` is how
// many there are, `len` their elements.
@compute @workgroup_size(THREADS)
fn down(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let workgroup = linear_workgroup(group, groups);
    let strip = workgroup / params.tiles;
    let column = (workgroup - strip * params.tiles) * THREADS + thread;
    let first = strip * LINES;
    if first >= params.dense || column >= params.rows || !some_wanted(first, LINES) { return; }
    // The rows before the picture compare as those behind it.
    let top = first - params.before;
    var seen: array<Key, DEPTH>;
    var at: array<u32, DEPTH>;
    if top < params.len && params.len - top >= DEPTH {
        let source = top * params.rows + column;
        @unroll for (var k = 0u; k < DEPTH; k++) { seen[k] = values_at(source + k * params.rows); }
    } else {
        @unroll for (var k = 0u; k < DEPTH; k++) {
            let is_one = top + k < params.len;
            seen[k] = key_select(nothing(), values_at(select(0u, (top + k) * params.rows + column, is_one)), is_one);
        }
    }
    @unroll for (var k = 0u; k < DEPTH; k++) {
        seen[k] = rank_of(seen[k], k);
        at[k] = k;
    }
    @unroll for (var level = 0u; level < LEVELS; level++) {
        // Entries whose windows reach beyond what is seen are wrong, and used by such entries only.
        @unroll for (var k = 0u; k < DEPTH; k++) {
            let other = min(k + (1u << level), DEPTH - 1u);
            let best = leftmost(Best(seen[k], at[k]), Best(seen[other], at[other]));
            seen[k] = best.key;
            at[k] = best.place;
        }
    }
    @unroll for (var k = 0u; k < LINES; k++) {
        let other = k + WIDTH - (1u << LEVELS);
        let best = leftmost(Best(seen[k], at[k]), Best(seen[other], at[other]));
        let d = first + k;
        // Where all are the worst, the first, whatever was before the picture.
        let place = select(top + best.place, max(d, params.before) - params.before, key_equal(best.key, WORST));
        if d < params.dense { answer_down(column, d, best.key, place); }
    }
}

// Writes the answer of window `d` of a column, if it is wanted: its rank and, if TRACK, the element's row.
fn answer_down(column: u32, d: u32, rank: Key, place: u32) {
    var j = d;
    if STRIDED {
        j = d / params.stride;
        if j * params.stride != d { return; }
    }
    let i = j * params.rows + column;
    if POSITIONS { positions_put(i, along_at(place * params.rows + column)); }
    if VALUES {
        var bits = bits_of(rank);
        if FLOAT && TRACK {
            // Of a zero or a NaN the rank does not tell the bits.
            if key_ambiguous(rank) { bits = values_at(place * params.rows + column); }
        } else if FLOAT {
            // All are NaN: the first.
            if key_equal(rank, WORST) { bits = values_at((max(d, params.before) - params.before) * params.rows + column); }
        }
        found_put(i, bits);
    }
}
