// Answers queries, a thread each: layer by layer the ends of the range up to the next chunk are scanned, as in `hierarchy`,
// until what is left is short, or is a range of the top layer, which `least_entry` answers.
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
    // First entry in `upper` of layers 0 (unused), 1, 2 and so on.
    starts: array<vec4<u32>, 4>,
    // First vector of every level of `tree`.
    levels: array<vec4<u32>, 3>,
}

// `start` is where the part of the array begins that the entry stands for.
struct Best { rank: Key, start: u32, layer: u32 }

fn better(best: Best, rank: Key, start: u32, layer: u32) -> Best {
    if key_less(rank, best.rank) || (key_equal(rank, best.rank) && start < best.start) { return Best(rank, start, layer); }
    return best;
}

fn start_of(layer: u32) -> u32 { return params.starts[layer / 4u][layer % 4u]; }

fn entries(layer: u32, pack: u32) -> Pack {
    if layer == 0u { return pack_ranks(values_at(pack)); }
    return upper[start_of(layer) / PACK + pack];
}

// The best of entries l..r of a layer.
fn scan(layer: u32, l: u32, r: u32, so_far: Best) -> Best {
    var best = so_far;
    if l >= r { return best; }
    for (var p = l / PACK; p <= (r - 1u) / PACK; p++) {
        let first = max(l, p * PACK) - p * PACK;
        let found = pack_first_least(pack_within(entries(layer, p), first, r - p * PACK));
        best = better(best, found.rank, (p * PACK + found.slot) << (layer * CHUNK_BITS), layer);
    }
    return best;
}

fn climb(left: u32, last: u32) -> Best {
    var best = Best(WORST, 0xffffffffu, 0u);
    var l = left;
    var r = last + 1u;
    var layer = 0u;
    for (; layer < TOP; layer++) {
        if r - l <= 2u * CHUNK { break; }
        let next = (l + CHUNK - 1u) / CHUNK * CHUNK;
        let before = r / CHUNK * CHUNK;
        best = scan(layer, l, next, best);
        best = scan(layer, before, r, best);
        l = next / CHUNK;
        r = before / CHUNK;
    }
    if r - l <= 2u * CHUNK { return scan(layer, l, r, best); }
    let entry = least_entry(l, r - 1u);
    let rank = pack_key(entries(TOP, entry / PACK), entry % PACK);
    return better(best, rank, entry << (TOP * CHUNK_BITS), TOP);
}

@compute @workgroup_size(THREADS)
fn query(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = linear_workgroup(group, groups) * THREADS + thread;
    let q = query_or_first(i);
    if i >= params.count { return; }
    let best = climb(q.left.x, q.right.x);
    var position = q.left.x;
    if !key_equal(best.rank, WORST) {
        position = best.start;
        if best.layer > 0u { position = positions[start_of(best.layer) + (best.start >> (best.layer * CHUNK_BITS))]; }
    }
    answer(i, best.rank, vec2(position, 0u));
}
