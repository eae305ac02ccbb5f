// Answers a query by looking at every element of its range: one workgroup a query.
struct Params {
    count: u32,
    row: u32,
    len_low: u32,
    len_high: u32,
}

var<workgroup> ranks: array<Key, THREADS>;
// Pack and slot of each thread's minimum.
var<workgroup> places: array<vec2<u32>, THREADS>;

const PACK_BITS = firstTrailingBit(PACK);

// Packs are fewer than 2^32 - THREADS, so stepping beyond the last does not wrap around.
fn pack_number(position: vec2<u32>) -> u32 { return position.x / PACK | position.y << (32u - PACK_BITS); }

@compute @workgroup_size(THREADS)
fn naive(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = linear_workgroup(group, groups);
    let q = query_or_first(i);
    let first = pack_number(q.left);
    let last = pack_number(q.right);
    var best = WORST;
    var place = vec2(0xffffffffu, 0u);
    for (var p = first + thread; p <= last; p += THREADS) {
        let start = select(0u, q.left.x % PACK, p == first);
        let end = select(PACK, q.right.x % PACK + 1u, p == last);
        let found = pack_first_least(pack_within(pack_ranks(values_at(p)), start, end));
        if key_less(found.rank, best) {
            best = found.rank;
            place = vec2(p, found.slot);
        }
    }
    ranks[thread] = best;
    places[thread] = place;
    workgroupBarrier();
    for (var half = THREADS / 2u; half > 0u; half /= 2u) {
        if thread < half {
            let other = ranks[thread + half];
            // A thread's packs are its own, so the smaller number of a pack lies further left.
            if key_less(other, ranks[thread])
                || (key_equal(other, ranks[thread]) && places[thread + half].x < places[thread].x) {
                ranks[thread] = other;
                places[thread] = places[thread + half];
            }
        }
        workgroupBarrier();
    }
    if thread == 0u && i < params.count {
        // Where the minimum is the worst rank, the range holds nothing else: its first element.
        var position = q.left;
        if !key_equal(ranks[0], WORST) {
            position = vec2(places[0].x * PACK + places[0].y, places[0].x >> (32u - PACK_BITS));
        }
        answer(i, ranks[0], position);
    }
}
