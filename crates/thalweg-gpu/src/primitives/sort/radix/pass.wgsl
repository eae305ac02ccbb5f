// One pass of the radix sort: every key goes to where its digit's keys are, in order.
//
// A tile's keys are ranked by subgroups: ballots tell every thread which others hold the same digit, and a counter per
// subgroup and digit counts those of earlier rounds. Then the tile is put in order of its digits in workgroup memory, so
// that neighbours there are neighbours in the output as well, and are written together.
struct Params { count: u32, tiles: u32, shift: u32, pass_number: u32 }

const TILE = THREADS * ITEMS;
const SUBGROUPS_MOST = THREADS / WIDTH_MIN;

// First how many keys of a digit a subgroup has, then where in the ordered tile its first one goes.
var<workgroup> counters: array<atomic<u32>, SUBGROUPS_MOST * DIGITS>;
// The ordered tile: low words, then high words, where elements have two.
var<workgroup> stage: array<u32, TILE * STAGE_WORDS>;
// From the place in the ordered tile to the place in the output, per digit (modulo 2^32).
var<workgroup> displacement: array<u32, DIGITS>;
var<workgroup> of_subgroups: array<u32, SUBGROUPS_MOST>;

fn digit_of(key: Key) -> u32 { return rank_digit(key_rank(key), params.shift); }

// Exclusive scan over the workgroup's threads.
fn workgroup_before(value: u32, subgroup: u32, lane: u32, width: u32) -> u32 {
    let upto = subgroupInclusiveAdd(value);
    workgroupBarrier();
    if lane == width - 1u { of_subgroups[subgroup] = upto; }
    workgroupBarrier();
    var before = upto - value;
    for (var s = 0u; s < subgroup; s++) { before += of_subgroups[s]; }
    return before;
}

@compute @workgroup_size(THREADS)
fn radix(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(subgroup_id) subgroup: u32,
    @builtin(subgroup_invocation_id) lane: u32,
    @builtin(subgroup_size) size: u32,
) {
    let width = fixed_width(size);
    let thread = subgroup * width + lane;
    let tile = take_tile(group, groups, thread);
    if tile >= params.tiles { return; }
    // All of these are below 2^32: the tile begins inside the array, and the array ends below it.
    let start = tile * TILE;
    let valid = min(params.count - start, TILE);
    // A subgroup's stretch, row by row.
    let first = subgroup * width * ITEMS + lane;

    for (var c = thread; c < SUBGROUPS_MOST * DIGITS; c += THREADS) { atomicStore(&counters[c], 0u); }
    var keys: array<Key, ITEMS>;
    if valid == TILE {
        @unroll for (var k = 0u; k < ITEMS; k++) { keys[k] = keys_at(start + first + k * width); }
    } else {
        @unroll for (var k = 0u; k < ITEMS; k++) {
            keys[k] = WORST;
            if first + k * width < valid { keys[k] = keys_at(start + first + k * width); }
        }
    }
    // If all keys have the same digit, they stay where they are.
    if is_trivial(thread) {
        @unroll for (var k = 0u; k < ITEMS; k++) {
            let i = first + k * width;
            if i < valid {
                if KEEP_KEYS { keys_out_put(start + i, keys[k]); }
                if PAYLOAD_WORDS > 0u { store_payload(start + i, load_payload(start + i)); }
            }
        }
        return;
    }
    workgroupBarrier();

    // `places` are first the number of keys of the same subgroup and digit that come before.
    var places: array<u32, ITEMS>;
    let own_counters = subgroup * DIGITS;
    @unroll for (var k = 0u; k < ITEMS; k++) {
        // What is beyond the end comes last: it has the last digit, and stands behind all others.
        var digit = DIGITS - 1u;
        if first + k * width < valid { digit = digit_of(keys[k]); }
        let peers = same_digit(digit, width);
        let earlier = lanes_before(peers, lane);
        // One thread of those with the same digit counts them all. The rounds of a subgroup follow each other, because
        // each needs the result of the last exchange.
        var counted = 0u;
        if earlier == 0u { counted = atomicAdd(&counters[own_counters + digit], lanes_count(peers)); }
        counted = subgroupShuffle(counted, lanes_first(peers));
        places[k] = counted + earlier;
    }
    workgroupBarrier();

    // A thread a digit, from here to the displacement. DIGITS <= THREADS.
    var in_tile = 0u;
    if thread < DIGITS {
        for (var s = 0u; s < THREADS / width; s++) { in_tile += atomicLoad(&counters[s * DIGITS + thread]); }
        announce_digit(tile, thread, in_tile);
    }
    let tile_before = workgroup_before(in_tile, subgroup, lane, width);
    if thread < DIGITS {
        var next = tile_before;
        for (var s = 0u; s < THREADS / width; s++) {
            let c = s * DIGITS + thread;
            let here = atomicLoad(&counters[c]);
            atomicStore(&counters[c], next);
            next += here;
        }
    }
    workgroupBarrier();
    @unroll for (var k = 0u; k < ITEMS; k++) {
        var digit = DIGITS - 1u;
        if first + k * width < valid { digit = digit_of(keys[k]); }
        // A permutation of the tile: below TILE.
        places[k] += atomicLoad(&counters[own_counters + digit]);
        stage[places[k]] = key_low(keys[k]);
        if KEY_WORDS == 2u { stage[TILE + places[k]] = key_high(keys[k]); }
    }
    var payloads: array<vec2<u32>, ITEMS>;
    if PAYLOAD_WORDS > 0u {
        @unroll for (var k = 0u; k < ITEMS; k++) {
            let i = first + k * width;
            if i < valid { payloads[k] = load_payload(start + i); }
        }
    }
    let before = digit_before(tile, in_tile, thread, subgroup, lane, width);
    if thread < DIGITS { displacement[thread] = before - tile_before; }
    workgroupBarrier();

    // Keys of earlier tiles and smaller digits are before: places in the output are below the count.
    var targets: array<u32, ITEMS>;
    @unroll for (var k = 0u; k < ITEMS; k++) {
        let i = k * THREADS + thread;
        if i < valid {
            var high = 0u;
            if KEY_WORDS == 2u { high = stage[TILE + i]; }
            let key = key_join(stage[i], high);
            targets[k] = displacement[digit_of(key)] + i;
            if KEEP_KEYS { keys_out_put(targets[k], key); }
        }
    }
    if PAYLOAD_WORDS > 0u {
        workgroupBarrier();
        @unroll for (var k = 0u; k < ITEMS; k++) {
            stage[places[k]] = payloads[k].x;
            if PAYLOAD_WORDS == 2u { stage[TILE + places[k]] = payloads[k].y; }
        }
        workgroupBarrier();
        @unroll for (var k = 0u; k < ITEMS; k++) {
            let i = k * THREADS + thread;
            if i < valid {
                var high = 0u;
                if PAYLOAD_WORDS == 2u { high = stage[TILE + i]; }
                store_payload(targets[k], vec2(stage[i], high));
            }
        }
    }
}
