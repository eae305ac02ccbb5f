// The answers of a run's elements from the tile, two in a word, and a bit for every element that has none.
//
// First every pair of the run is compared, in registers, without a branch: for runs of 8 that is 7 instructions an
// element and side, less than one step of a search. (Comparing with the next run as well halves what is left open, and
// costs as much as that saves.) What is open then looks at other runs, largest first, so that every answer lies
// at or beyond the one before. A run without an answer is left behind by its link, as the runs in between hold nothing
// smaller than its own minimum. A run that is passed this way is never looked at by the threads beyond this one: all
// threads together pass every run at most once.
fn side_solve(run: Run, thread: u32, there: u32) -> Answers {
    var keys: array<Key, ITEMS>;
    @unroll for (var i = 0u; i < ITEMS; i++) { keys[i] = four_get(run.fours[i / 4u], i % 4u); }
    var open = 0u;
    var places: array<u32, ITEMS>;
    @unroll for (var i = 0u; i < ITEMS; i++) {
        places[i] = NO_ANSWER;
        // The elements on this side of element i, the farthest first: the nearest comes last and stays. Seen from the
        // right, elements are counted from the other end, which turns their bits over.
        @unroll for (var k = 0u; k < ITEMS; k++) {
            if k < (i ^ side_MIRROR) {
                places[i] = select(places[i], thread * ITEMS + (k ^ side_MIRROR), before(keys[k ^ side_MIRROR], keys[i]));
            }
        }
        open |= select(0u, 1u << i, places[i] == NO_ANSWER);
    }
    var words: array<u32, WORDS>;
    @unroll for (var w = 0u; w < WORDS; w++) { words[w] = places[2u * w] | (places[2u * w + 1u] << 16u); }
    open &= there;
    var other = select(thread + 1u, thread - 1u, side_LEFT);
    while open != 0u {
        var k = 0u;
        if side_LEFT { k = firstTrailingBit(open); } else { k = firstLeadingBit(open); }
        let key = tile_key((k >> 2u) * STRIDE + thread, k & 3u);
        while other < THREADS && !before(tree_key(other), key) {
            other = select(links[other] >> 16u, links[other] & 0xffffu, side_LEFT);
        }
        if other >= THREADS { break; }
        let answer = other * ITEMS + side_in_run_of(other, key);
        // All bits of an open element's half are set.
        let bits = select(answer | 0xffff0000u, (answer << 16u) | 0xffffu, (k & 1u) == 1u);
        let half = k >> 1u;
        @unroll for (var w = 0u; w < WORDS; w++) { words[w] &= select(0xffffffffu, bits, half == w); }
        open &= ~(1u << k);
    }
    return Answers(open, words);
}

// Writes the answers of a run.
fn side_store(answers: Answers, tile: u32, thread: u32, valid: u32) {
    let first = tile * TILE;
    @unroll for (var q = 0u; q < QUADS; q++) {
        let low = answers.words[2u * q];
        let high = answers.words[2u * q + 1u];
        var quad = vec4(
            answer_of(first, low & 0xffffu), answer_of(first, low >> 16u),
            answer_of(first, high & 0xffffu), answer_of(first, high >> 16u),
        );
        // Filling after the array's end may count as a neighbour of the worst key, unless strictly.
        if !STRICT { quad = select(quad, vec4(NONE), quad >= vec4(params.count)); }
        // The last quad may reach beyond the array, but not beyond its buffer, a multiple of 256 bytes. Exchanging quads
        // with the next thread, to write whole sectors of memory at once, made no difference on an H200.
        let at = thread * QUADS + q;
        if 4u * at < valid { side_out_put(tile * (TILE / 4u) + at, quad); }
    }
}
