// Writes the changed elements that nobody else claims, and lists their lines if their minima may be others now. Rivals are listed,
// their elements cleared, and their lines listed in any case.
var<workgroup> found: array<atomic<u32>, 2>;
var<workgroup> first: array<u32, 2>;
var<workgroup> lines_here: array<u32, THREADS * ITEMS>;
var<workgroup> rivals_here: array<u32, THREADS * ITEMS>;

// Whether an element that becomes this may change the minimum of its line, or where that lies.
fn matters(line: u32, lane: u32, rank: Key) -> bool {
    let least = line_minima_at(line);
    let offset = line_offsets_at(line / 4u) >> (8u * (line % 4u)) & 255u;
    if lane == offset { return !key_equal(rank, least); }
    return key_less(rank, least) || (lane < offset && key_equal(rank, least));
}

// The first who asks for a line to be made anew. Without marks everybody is.
fn is_first(line: u32) -> bool {
    if !MARKED { return true; }
    let word = params.line_marks + line / 32u;
    let bit = 1u << (line % 32u);
    return (atomicLoad(&notes[word]) & bit) == 0u && (atomicOr(&notes[word], bit) & bit) == 0u;
}

@compute @workgroup_size(THREADS)
fn write(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    if thread < 2u { atomicStore(&found[thread], 0u); }
    workgroupBarrier();
    let start = linear_workgroup(group, groups) * (THREADS * ITEMS) + thread;
    @unroll for (var k = 0u; k < ITEMS; k++) {
        let i = start + k * THREADS;
        if i < params.count {
            let position = changed_at(i);
            let bits = news_at(i);
            let line = line_of(position);
            let pack = pack_over(position);
            let word = word_in_pack(position);
            var rival = false;
            if !DISTINCT {
                let claim = claim_of(position);
                rival = (atomicLoad(&notes[claim.word]) & (claim.bit << 1u)) != 0u;
            }
            if rival {
                values_store(pack, word, 0u);
                rivals_here[atomicAdd(&found[1], 1u)] = i;
            } else {
                values_store(pack, word, key_low(bits));
                if KEY_WORDS == 2u { values_store(pack, word + 1u, key_high(bits)); }
            }
            if LOOK && (rival || matters(line, position.x % LINE, key_rank(bits))) && is_first(line) {
                lines_here[atomicAdd(&found[0], 1u)] = line;
            }
            if ORDERED && LOOK {
                // Its elements may not ascend or descend any more.
                let block = line / BLOCK;
                let order = 3u << (2u * (block % 16u));
                if (atomicLoad(&monotone[block / 16u]) & order) != 0u { atomicAnd(&monotone[block / 16u], ~order); }
            }
        }
    }
    workgroupBarrier();
    if thread < 2u {
        let count = atomicLoad(&found[thread]);
        if count > 0u { first[thread] = atomicAdd(&notes[select(LINES_FOUND, RIVALS_FOUND, thread == 1u)], count); }
    }
    workgroupBarrier();
    for (var k = thread; k < atomicLoad(&found[0]); k += THREADS) { lines_put(first[0] + k, lines_here[k]); }
    if !DISTINCT {
        for (var k = thread; k < atomicLoad(&found[1]); k += THREADS) { rivals_put(first[1] + k, rivals_here[k]); }
    }
}
