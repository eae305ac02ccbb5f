// Answers queries from layers of minima, as GPU-RMQ does: the ends of the range up to the next chunk are scanned layer by
// layer, and what is left of a layer once it is short.
//
// TEAM threads share a query. QUEUE: every thread brings a query, and its team takes them in turn. Else the threads of a
// team all read the team's one query. VECTOR: a thread reads packs, else single entries.
//
// Entries of different layers and places stand for disjoint parts of the array, so the leftmost of equal minima is the one
// whose part begins first. A range whose minimum is the worst rank holds nothing else: its first element is the answer.
//
// Bounds: l <= r < n by `query_or_first`, and in higher layers only whole chunks inside [l, r] are looked at.
struct Params {
    count: u32,
    row: u32,
    len_low: u32,
    len_high: u32,
    layers: u32,
    pad_1: u32,
    pad_2: u32,
    pad_3: u32,
    // First entry in `upper` of layers 0 (unused), 1, 2 and so on.
    starts: array<vec4<u32>, 4>,
}

// `start` is where the part of the array begins that the entry stands for.
struct Best { rank: Key, start: u32, layer: u32 }

fn better(best: Best, rank: Key, start: u32, layer: u32) -> Best {
    if !TRACK { return Best(key_min(best.rank, rank), 0u, 0u); }
    if key_less(rank, best.rank) || (key_equal(rank, best.rank) && start < best.start) { return Best(rank, start, layer); }
    return best;
}

fn entry(layer: u32, i: u32) -> Key {
    if layer == 0u { return told_rank(value_key(i)); }
    return upper_key(params.starts[layer / 4u][layer % 4u] + i);
}

fn entries(layer: u32, pack: u32) -> Pack {
    if layer == 0u { return pack_told_ranks(value_pack(pack)); }
    return upper_pack(params.starts[layer / 4u][layer % 4u] / PACK + pack);
}

// The best of entries l..r of a layer, those that thread `rank` of the team looks at.
fn scan(member: u32, layer: u32, l: u32, r: u32, so_far: Best) -> Best {
    var best = so_far;
    let shift = layer * CHUNK_BITS;
    if l >= r { return best; }
    if VECTOR {
        for (var p = l / PACK + member; p <= (r - 1u) / PACK; p += TEAM) {
            let first = max(l, p * PACK) - p * PACK;
            let found = pack_first_least(pack_within(entries(layer, p), first, r - p * PACK));
            best = better(best, found.rank, (p * PACK + found.slot) << shift, layer);
        }
    } else {
        // Reads begin at a multiple of the team's size. The array ends before 2^32 - TEAM.
        for (var i = l - l % TEAM + member; i < r; i += TEAM) {
            if i >= l { best = better(best, entry(layer, i), i << shift, layer); }
        }
    }
    return best;
}

// The same for entries of one chunk. If SHORT, in as many steps for any of them: whatever lies there is asked for at once.
fn scan_chunk(member: u32, layer: u32, l: u32, r: u32, so_far: Best) -> Best {
    if !SHORT { return scan(member, layer, l, r, so_far); }
    var best = so_far;
    let shift = layer * CHUNK_BITS;
    let start = l / CHUNK * CHUNK;
    if VECTOR {
        var packs: array<Pack, CHUNK_STEPS>;
        @unroll for (var k = 0u; k < CHUNK_STEPS; k++) {
            let p = start / PACK + k * TEAM + member;
            if p * PACK < r && (p + 1u) * PACK > l { packs[k] = entries(layer, p); }
        }
        @unroll for (var k = 0u; k < CHUNK_STEPS; k++) {
            let p = start / PACK + k * TEAM + member;
            if p * PACK < r && (p + 1u) * PACK > l {
                let inside = pack_of_run(packs[k], p * PACK - l, r - l);
                if TRACK {
                    let found = pack_first_least(inside);
                    best = better(best, found.rank, (p * PACK + found.slot) << shift, layer);
                } else {
                    best = better(best, pack_least(inside), 0u, layer);
                }
            }
        }
    } else {
        var keys: array<Key, CHUNK_STEPS>;
        @unroll for (var k = 0u; k < CHUNK_STEPS; k++) {
            let i = start + k * TEAM + member;
            if i >= l && i < r { keys[k] = entry(layer, i); }
        }
        @unroll for (var k = 0u; k < CHUNK_STEPS; k++) {
            let i = start + k * TEAM + member;
            if i >= l && i < r { best = better(best, keys[k], i << shift, layer); }
        }
    }
    return best;
}

// What thread `member` of the team sees of l..=last. The layers are written out: their reads do not wait for each other.
fn climb(member: u32, left: u32, last: u32) -> Best {
    var best = Best(WORST, 0xffffffffu, 0u);
    var l = left;
    var r = last + 1u;
    var top = 0u;
    @unroll for (var layer = 0u; layer < CLIMBED; layer++) {
        // Layers are left one after the other: who stays in one never comes to the next.
        if top == layer && r - l > 2u * CHUNK {
            let next = (l + CHUNK - 1u) / CHUNK * CHUNK;
            let before = r / CHUNK * CHUNK;
            best = scan_chunk(member, layer, l, next, best);
            best = scan_chunk(member, layer, before, r, best);
            l = next / CHUNK;
            r = before / CHUNK;
            top = layer + 1u;
        }
    }
    return scan(member, top, l, r, best);
}

// The best of the whole team, in every thread of it.
fn over_team(mine: Best) -> Best {
    var best = mine;
    for (var step = 1u; step < TEAM; step *= 2u) {
        let rank = key_shuffle_xor(best.rank, step);
        if TRACK {
            best = better(best, rank, subgroupShuffleXor(best.start, step), subgroupShuffleXor(best.layer, step));
        } else {
            best = better(best, rank, 0u, 0u);
        }
    }
    return best;
}

fn finish(i: u32, left: u32, best: Best) {
    if i >= params.count { return; }
    var position = left;
    if TRACK && !key_equal(best.rank, WORST) {
        position = best.start;
        if best.layer > 0u {
            let layer = best.layer;
            position = positions[params.starts[layer / 4u][layer % 4u] + (best.start >> (layer * CHUNK_BITS))];
        }
    }
    answer(i, best.rank, vec2(position, 0u));
}

@compute @workgroup_size(THREADS)
fn query(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
    @builtin(subgroup_invocation_id) lane: u32,
) {
    let workgroup = linear_workgroup(group, groups);
    let member = lane % TEAM;
    if QUEUE {
        let i = workgroup * THREADS + thread;
        let q = query_or_first(i);
        var result = Best(WORST, 0u, 0u);
        for (var k = 0u; k < TEAM; k++) {
            let owner = lane - member + k;
            let best = over_team(climb(member, subgroupShuffle(q.left.x, owner), subgroupShuffle(q.right.x, owner)));
            if member == k { result = best; }
        }
        finish(i, q.left.x, result);
    } else {
        // A subgroup is a run of threads of the workgroup, so a team's threads have one quotient.
        let i = workgroup * (THREADS / TEAM) + thread / TEAM;
        let q = query_or_first(i);
        let best = over_team(climb(member, q.left.x, q.right.x));
        if member == 0u { finish(i, q.left.x, best); }
    }
}
