// Writes the answers of a run's elements that are in the tile, but for those that are far.
//
// Most are in the run itself or among the four next elements on this side: with those all of the run is compared in
// registers, without a branch. What is open then is a prefix minimum of the run, seen from this side. The run's minimum
// finds its answer in the run that its link names. What is left, one element in 23 of random data, is far. (On an H200 the
// loop over all that was open took half of the kernel's time: a thread has as many turns as the unluckiest of its subgroup.)
fn side_solve(run: Run, tile: u32, thread: u32, valid: u32, least: Key, link: u32) -> Rest {
    var keys: array<Key, ITEMS>;
    @unroll for (var i = 0u; i < ITEMS; i++) { keys[i] = four_get(run.fours[i / 4u], i % 4u); }
    // The first element seen from this side is open in the run, and no other open one is larger.
    let edge = keys[side_MIRROR];
    let is_only = key_equal(least, edge);
    let next = side_next(thread);
    var four = four_worst();
    if next < THREADS { four = tile_keys[(QUADS - 1u) * (1u - side_NUMBER) * STRIDE + next]; }
    let first = tile * TILE;
    // The minimum's, unless it is nearer than that.
    var answer = NONE;
    if link < THREADS && (is_only || !any(four_before(four, least))) { answer = first + link * ITEMS + side_in_run_of(link, least); }
    var answers: array<u32, ITEMS>;
    @unroll for (var i = 0u; i < ITEMS; i++) { answers[i] = select(NONE, answer, key_equal(keys[i], least)); }
    // Elements are compared with the farthest first: the nearest comes last and stays. Seen from the right, elements are
    // counted from the other end, which turns their bits over.
    if !is_only && any(four_before(four, edge)) {
        @unroll for (var k = 0u; k < ITEMS; k++) {
            if k < 4u {
                let key = four_get(four, k ^ (side_MIRROR % 4u));
                let place = first + next * ITEMS + ((ITEMS - 4u + k) ^ side_MIRROR);
                @unroll for (var i = 0u; i < ITEMS; i++) { answers[i] = select(answers[i], place, before(key, keys[i])); }
            }
        }
    }
    let own = first + thread * ITEMS;
    @unroll for (var k = 0u; k < ITEMS; k++) {
        @unroll for (var i = 0u; i < ITEMS; i++) {
            if k < (i ^ side_MIRROR) {
                answers[i] = select(answers[i], own + (k ^ side_MIRROR), before(keys[k ^ side_MIRROR], keys[i]));
            }
        }
    }
    var open = 0u;
    @unroll for (var i = 0u; i < ITEMS; i++) { open |= select(0u, 1u << i, answers[i] == NONE); }
    @unroll for (var q = 0u; q < QUADS; q++) {
        var quad = vec4(answers[4u * q], answers[4u * q + 1u], answers[4u * q + 2u], answers[4u * q + 3u]);
        // Filling after the array's end may count as a neighbour of the worst key, unless strictly.
        if !STRICT { quad = select(quad, vec4(NONE), quad >= vec4(params.count)); }
        // The last quad may reach beyond the array, but not beyond its buffer, a multiple of 256 bytes. Exchanging quads
        // with the next thread, to write whole sectors of memory at once, made no difference on an H200.
        let at = thread * QUADS + q;
        if 4u * at < valid { side_out_put(tile * (TILE / 4u) + at, quad); }
    }
    let there = clamp(valid, thread * ITEMS, thread * ITEMS + ITEMS) - thread * ITEMS;
    open &= low_bits(there);
    // What equals the run's minimum has an answer if the minimum has one, and else none in the tile.
    var far = open;
    if link >= THREADS {
        @unroll for (var i = 0u; i < ITEMS; i++) { far &= select(0xffffffffu, ~(1u << i), key_equal(keys[i], least)); }
    }
    // Neither have the others, if nothing there is less than the largest of them.
    if far != 0u && (next >= THREADS || (side_link(next) >= THREADS && !before(tree_key(next), edge))) { far = 0u; }
    return side_rest(open & ~far, far, thread * ITEMS, first);
}
